/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts for images that are small: the lists of interpreters and threads stand at the start of their structs. */
#ifndef PYTHON_SMALL_H
#define PYTHON_SMALL_H

#include "python_layouts.h"

enum {
        SMALL_OFFSETS =
                N_LAYOUTS, /* first byte of an input: a layout, or the image begins with _Py_DebugOffsets */
        SMALL_LINES,       /* or the rest is a line table of one of three formats */
        SMALL_TAIL_BYTES = 16, /* of the native stack, behind the image */
        SMALL_STARTS = 1, /* flag in the second byte: the thread stands at the start of the eval function */
        SMALL_EVAL = 0x400000,
        SMALL_THREAD_SP = 0x10000000,
};

static inline void small_shrink(struct python_layout *layout)
{
        layout->runtime_interpreters = 0;
        if (layout->runtime_current != PYTHON_NO_FIELD)
                layout->runtime_current = 8;
        layout->interp_next = 0;
        layout->interp_threads = 8;
}

#endif
