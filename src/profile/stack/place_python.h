/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of Python functions, and the names of the functions and of their lines. */
#ifndef PLACE_PYTHON_H
#define PLACE_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "place_names.h"
#include "places.h"

struct place_python {
        /* of the resolver; different functions with the same displayed name have different ids */
        str_id function;
        str_id path;               /* of the resolver: source file; 0 if unknown */
        uint32_t line, first_line; /* 0 if unknown */
        str_id label;              /* of names->texts: the function with its first line, `parse [app.py:5]` */
        str_id line_label;         /* of names->texts: the function with this line, `parse [app.py:6]` */
        str_id name;               /* of names->texts: `parse` */
        str_id file;               /* of names->texts: the base name of the source file, `app.py` */
};

bool place_python_is(const struct place_modules *modules, module_id module);

/* False if the place is not Python code or nothing is known about it. */
bool place_python_find(struct place_names *names, const struct code_place *place, struct place_python *ret);

#endif
