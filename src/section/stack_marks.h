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
#include "perfdata_writer.h"

enum { STACK_MARKS_MAX_KINDS = 64 }; /* of ways, and of ends */

struct stack_marks {
        uint64_t n_samples;                     /* of all events, in the order of the file */
        uint32_t n_ways, n_ends;                /* numbers that are there */
        uint64_t by_way[STACK_MARKS_MAX_KINDS]; /* frames, by enum unwind_way */
        uint64_t by_end[STACK_MARKS_MAX_KINDS]; /* walks, by enum unwind_end */
        uint64_t unwind_ns;                     /* CPU time of the recorder's that went into walks */
        const uint8_t *cut; /* a bit a sample, the lowest first: the walk did not reach the outermost frame */
};

/* The bits of `cut` as they come while recording, which may take long: most are 0, and bytes of 8 zeros are counted.
 * Zero-initialised is empty and ready. */
struct stack_cuts {
        struct buf packed; /* bytes of bits; a zero is followed by how many zeros follow it, at most 255 */
        uint64_t n_samples;
        size_t run_at; /* where the count of the zeros stands that came last; 0: none did */
        uint8_t last;  /* the bits of the byte that is not full */
};

void stack_cuts_add(struct stack_cuts *marks, bool is_cut);

/* Appends all bits as stack_marks.cut has them. */
void stack_cuts_unpack(const struct stack_cuts *marks, struct buf *out);
void stack_cuts_release(struct stack_cuts *marks);

/* Writes the section. */
void stack_marks_write(const struct stack_marks *marks, struct perfdata_writer *writer);

/* Appends its content. */
void stack_marks_add(const struct stack_marks *marks, struct buf *out);

/* `cut` leads into the section.  False when it is of another kind or version, or shorter than it says. */
bool stack_marks_read(struct cursor section, struct stack_marks *ret);

/* False also for a sample that the section does not have. */
bool stack_marks_is_cut(const struct stack_marks *marks, uint64_t sample);

#endif
