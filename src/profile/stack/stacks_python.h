/* SPDX-License-Identifier: BSD-3-Clause */
/* How to show stacks with Python frames between native ones. docs/decisions/0019-python-places.md. */
#ifndef STACKS_PYTHON_H
#define STACKS_PYTHON_H

#include <stdbool.h>

#include "place_modules.h"
#include "place_names.h"
#include "sample_list.h"
#include "stacks.h"

enum stacks_python {
        STACKS_PYTHON_ALL,    /* every frame */
        STACKS_PYTHON_MERGED, /* Python frames replace the frames of the interpreter's loop that run them */
        STACKS_PYTHON_ONLY,   /* stacks with Python frames have no other frames */
        STACKS_PYTHON_NATIVE, /* no Python frames */
};

/* Parses "all", "merged", "only" or "native"; false for another word. */
bool stacks_python_parse(const char *word, enum stacks_python *ret);

/* Whether a native function runs Python frames, or helps to: the one frame that STACKS_PYTHON_MERGED leaves
 * out below Python frames. */
bool stacks_python_runs(const struct place_names *names, const struct symbol *symbol);

struct stacks_python_request {
        struct resolver *resolver;
        const struct place_modules *modules;
};

/* Removes the frames that are not to be shown; their samples are counted at the frame that replaces them.
 * Call after stacks_finish(). `samples` belongs to the same stacks; NULL if there is no list. */
void stacks_python_fold(struct stacks *stacks, struct sample_list *samples,
                        const struct stacks_python_request *request, enum stacks_python how);

#endif
