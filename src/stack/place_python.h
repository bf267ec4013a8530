/* SPDX-License-Identifier: BSD-3-Clause */
/* Places that are lines of Python functions: what they are called where each line is shown apart. */
#ifndef PLACE_PYTHON_H
#define PLACE_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "place_names.h"
#include "places.h"

struct place_python {
        str_id function; /* of the resolver; functions that read the same have names of their own */
        str_id path;     /* of the resolver: of the source file; 0: not known */
        uint32_t line;   /* 0: not known */
        str_id label;    /* of names->texts: `parse [app.py:6]` */
        str_id name;     /* of names->texts: `parse` */
        str_id file;     /* of names->texts: the short form of the path, `app.py` */
};

bool place_python_is(const struct place_modules *modules, module_id module);

/* False: the place is of other code, or nothing is known of it. */
bool place_python_find(struct place_names *names, const struct code_place *place, struct place_python *ret);

#endif
