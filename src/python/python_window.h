/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of a thread out of few reads.  From 3.11 on frames of functions lie close to each other on the data stack, callees above their
 * callers: one copy below the innermost frame holds many of them. */
#ifndef PYTHON_WINDOW_H
#define PYTHON_WINDOW_H

#include "python_layout.h"
#include "python_memory.h"

enum { PYTHON_WINDOW_BYTES = 16384 }; /* in one read, as long as a piece of the data stack is */

struct python_window {
        const struct python_layout *layout; /* both set before the first begin */
        struct python_memory *memory;
        uint64_t chunk, chunk_top; /* the piece of the data stack, and where its used part ends; 0: none */
        bool is_first_chunk;
        uint32_t reach; /* bytes to read first */
        uint64_t first_top,
                lowest; /* of the frames on the first piece: the end of the innermost one; 0: none */
        uint64_t start; /* what is copied now */
        size_t size;
        uint8_t bytes[PYTHON_WINDOW_BYTES];
        uint8_t single[PYTHON_MAX_FRAME_BYTES];
};

/* For the frames of a thread state, of which `state` has layout.thread_bytes.  `reach`: what python_window_reach said the last time, 0
 * at first. */
void python_window_begin(struct python_window *window, const uint8_t *state, uint32_t reach);

/* The frame's bytes (layout.frame_bytes), valid until the next call; NULL: they can't be read. */
const uint8_t *python_window_get(struct python_window *window, uint64_t addr);

/* What to read first the next time: as much as was needed, and a little more. */
uint32_t python_window_reach(const struct python_window *window);

#endif
