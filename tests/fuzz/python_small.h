/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts for small images: the lists of interpreters and threads are at the start of their structs. */
#ifndef PYTHON_SMALL_H
#define PYTHON_SMALL_H

#include <string.h>

#include "python_binary.h"
#include "python_layouts.h"

enum {
        SMALL_OFFSETS =
                N_LAYOUTS, /* first byte of an input: a layout, or the image begins with _Py_DebugOffsets */
        SMALL_LINES,       /* or the rest is a line table in one of three formats */
        SMALL_TAIL_BYTES = 16, /* of the native stack, behind the image */
        /* Flags in the second byte. */
        SMALL_STARTS = 1,  /* the thread is at the start of the eval function */
        SMALL_WHOLE = 2,   /* the native stack is whole */
        SMALL_TYPED = 4,   /* the address of PyCode_Type is the word at SMALL_TYPE */
        SMALL_COPIED = 8,  /* the caller has a copy of the first bytes */
        SMALL_FEW = 16,    /* there is room for SMALL_FRAMES frames */
        SMALL_RUNS = 32,   /* the thread is after the start of the eval function */
        SMALL_CUT = 64,    /* at the second walk, only SMALL_CUT_BYTES of the memory are left */
        SMALL_MOVED = 128, /* it lies SMALL_MOVED_BYTES lower then */
        SMALL_FRAMES = 8,
        SMALL_CUT_BYTES = 1024,
        SMALL_MOVED_BYTES = 8,
        SMALL_LINKS = 128, /* set in the last byte of the tail: its other bits are the number of links */
        SMALL_TYPE = 16,
        SMALL_COPY_BYTES = 1024,
        SMALL_RUNTIME = 0x1000, /* addresses in the file */
        SMALL_EVAL = 0x400000,
        SMALL_BIAS = 0x10000000 - SMALL_RUNTIME, /* the image begins with the runtime */
        SMALL_NATIVE_ID = 7,
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

/* The interpreter that the first two bytes of an input and its memory are about; false: there is none. */
static inline bool small_binary(const uint8_t *data, size_t size, struct python_binary *ret)
{
        *ret = (struct python_binary){.runtime_addr = SMALL_RUNTIME};
        if (data[0] < N_LAYOUTS)
                ret->layout = layout_number(data[0]);
        else if (data[0] != SMALL_OFFSETS ||
                 !python_layout_read(data + 2, size - 2, false, &ret->layout, NULL))
                return false;
        if (data[0] < N_LAYOUTS)
                small_shrink(&ret->layout);
        if (data[1] & (SMALL_STARTS | SMALL_RUNS))
                ret->eval = SMALL_EVAL;
        if (data[1] & SMALL_TYPED && size >= 2 + SMALL_TYPE + sizeof(ret->code_type)) {
                memcpy(&ret->code_type, data + 2 + SMALL_TYPE, sizeof(ret->code_type));
                ret->code_type -= SMALL_BIAS;
        }
        return true;
}

#endif
