/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads frames of a thread with few reads.  From 3.11 on frames of functions are next to each other on the
 * data stack, callees above their callers, so one copy below the innermost frame contains many of them. */
#ifndef PYTHON_WINDOW_H
#define PYTHON_WINDOW_H

#include "python_layout.h"
#include "python_memory.h"

enum { PYTHON_WINDOW_BYTES = 16384 }; /* bytes of one read; the size of a chunk of the data stack */

struct python_window {
        const struct python_layout *layout; /* both are set before the first begin */
        struct python_memory *memory;
        uint64_t chunk, chunk_top; /* the chunk of the data stack, and the end of its used part; 0: none */
        bool is_first_chunk;
        uint32_t reach;             /* bytes to read first */
        uint64_t first_top, lowest; /* end of the innermost frame on the first chunk; 0: none */
        uint64_t start;             /* the current copy */
        size_t size;
        uint8_t bytes[PYTHON_WINDOW_BYTES];
        uint8_t single[PYTHON_MAX_FRAME_BYTES];
};

/* Begins with the frames of a thread state, of which `state` has layout.thread_bytes.  `reach`: the result
 * of python_window_reach of the last walk, 0 at first. */
void python_window_begin(struct python_window *window, const uint8_t *state, uint32_t reach);

/* The frame's bytes (layout.frame_bytes), valid until the next call; NULL: they can't be read. */
const uint8_t *python_window_get(struct python_window *window, uint64_t addr);

/* The number of bytes to read first the next time: slightly more than this walk needed. */
uint32_t python_window_reach(const struct python_window *window);

#endif
