/* SPDX-License-Identifier: BSD-3-Clause */
/* What debug information of any format says about addresses: the function, the functions inlined into it, and
 * the source line of each. */
#ifndef SOURCE_FRAMES_H
#define SOURCE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget.h"

struct source_frame {
        const char *function; /* as in the file, possibly mangled; NULL if unknown */
        const char *path;     /* of the source file; NULL if unknown */
        uint32_t line;        /* 0 if unknown */
        uint32_t column;      /* 0 if unknown */
        bool is_inlined;      /* into the next frame */
        bool is_guessed;      /* the nearest symbol before the address, whose size is unknown */
        uint64_t start;       /* first address of the function or of its inlined copy; 0 without a function */
};

/* The frames of address i are the spans[i].n frames from frames[spans[i].first] on, innermost first; there
 * are none if nothing is known. Texts live as long as the reader that returned them. */
struct source_span {
        size_t first;
        size_t n;
};

struct source_frames {
        struct source_frame *frames;
        size_t n_frames, cap_frames;
        struct source_span *spans; /* one per address */
        struct budget *budget;     /* charged by source_frames_add(); NULL for no limit */
        uint64_t taken_bytes;
};

/* A label of a function: in an interpreter with computed goto, the name of a handler. */
struct source_label {
        const char *name;
        const char *path; /* of the source file that declares it; NULL if unknown */
        uint32_t line;    /* 0 if unknown */
        uint64_t addr;    /* 0 if unknown */
        bool has_addr;    /* false if the optimizer removed it */
};

/* A range of code: [start, end). */
struct source_extent {
        uint64_t start, end;
};

/* Sorts by address. */
void source_extents_sort(struct source_extent *extents, size_t n);

/* Sorts by address, line and name; labels without an address are last. */
void source_labels_sort(struct source_label *labels, size_t n);

/* Makes room for `n` more frames. False if the budget does not allow it. */
bool source_frames_reserve(struct source_frames *frames, size_t n);

static inline bool source_frames_add(struct source_frames *frames, const struct source_frame *frame)
{
        if (frames->n_frames == frames->cap_frames && !source_frames_reserve(frames, 1))
                return false;
        frames->frames[frames->n_frames++] = *frame;
        return true;
}

void source_frames_release(struct source_frames *frames);

#endif
