/* SPDX-License-Identifier: BSD-3-Clause */
/* How the stacks end that were unwound while recording, for which perf.data has no place: the feature section
 * FEATURE_WPERF_STACKS.  docs/session-format.md. */
#ifndef STACK_MARKS_H
#define STACK_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "cursor.h"

enum { STACK_MARKS_MAX_KINDS = 64 }; /* of ways, and of ends */

struct stack_marks {
        uint64_t n_samples;                     /* of all events, in the order of the file */
        uint32_t n_ways, n_ends;                /* numbers that are there */
        uint64_t by_way[STACK_MARKS_MAX_KINDS]; /* frames, by enum unwind_way */
        uint64_t by_end[STACK_MARKS_MAX_KINDS]; /* walks, by enum unwind_end */
        uint64_t unwind_ns;                     /* CPU time of the recorder's that went into walks */
        const uint8_t *cut; /* a bit a sample, the lowest first: the walk did not reach the outermost frame */
};

/* Appends the section's content. */
void stack_marks_write(const struct stack_marks *marks, struct buf *out);

/* `cut` leads into the section.  False when it is of another kind or version, or shorter than it says. */
bool stack_marks_read(struct cursor section, struct stack_marks *ret);

/* False also for a sample that the section does not have. */
bool stack_marks_is_cut(const struct stack_marks *marks, uint64_t sample);

#endif
