/* SPDX-License-Identifier: BSD-3-Clause */
/* What is shown of stacks that have Python frames between native ones.  docs/decisions/0019-python-places.md. */
#ifndef STACKS_PYTHON_H
#define STACKS_PYTHON_H

#include <stdbool.h>

#include "place_modules.h"
#include "sample_list.h"
#include "stacks.h"

enum stacks_python {
        STACKS_PYTHON_ALL,    /* every frame */
        STACKS_PYTHON_MERGED, /* Python frames stand for the frames of the interpreter's loop that run them */
        STACKS_PYTHON_ONLY,   /* stacks with Python frames have no others */
        STACKS_PYTHON_NATIVE, /* no Python frames */
};

/* "all", "merged", "only" or "native". */
bool stacks_python_parse(const char *word, enum stacks_python *ret);

struct stacks_python_request {
        struct resolver *resolver;
        const struct place_modules *modules;
};

/* After stacks_finish(): leaves the frames out that are not to be shown.  Their samples are those of the frame that stands for
 * them.  `samples` are of the same stacks; NULL: there is no list. */
void stacks_python_fold(struct stacks *stacks, struct sample_list *samples,
                        const struct stacks_python_request *request, enum stacks_python how);

#endif
