/* SPDX-License-Identifier: BSD-3-Clause */
/* How the stacks that were unwound while recording end, which perf.data cannot record: the feature section
 * FEATURE_WPERF_STACKS. See docs/session-format.md. */
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
        uint32_t n_ways, n_ends;                /* how many entries of by_way and by_end are valid */
        uint64_t by_way[STACK_MARKS_MAX_KINDS]; /* frames, by enum unwind_way */
        uint64_t by_end[STACK_MARKS_MAX_KINDS]; /* walks, by enum unwind_end */
        uint64_t unwind_ns; /* CPU time that the recorder used to order and unwind the samples */
        /* one bit per sample, lowest bit first: 1 if the walk did not reach the outermost frame */
        const uint8_t *cut;
};

/* The bits of `cut` in compressed form, because a recording may be long. Most bits are 0, so a run of zero
 * bytes is stored as a count. Zero-initialize before use. */
struct stack_cuts {
        /* bytes of bits; a zero byte is followed by the number of further zero bytes, at most 255 */
        struct buf packed;
        uint64_t n_samples;
        size_t run_at; /* offset of the count of the current run of zeros; 0 if the last byte was not zero */
        uint8_t last;  /* the bits of the byte that is not full yet */
};

void stack_cuts_add(struct stack_cuts *marks, bool is_cut);

/* Appends all bits in the form of stack_marks.cut. */
void stack_cuts_unpack(const struct stack_cuts *marks, struct buf *out);
void stack_cuts_release(struct stack_cuts *marks);

/* Writes the section. */
void stack_marks_write(const struct stack_marks *marks, struct perfdata_writer *writer);

/* Appends the content of the section. */
void stack_marks_add(const struct stack_marks *marks, struct buf *out);

/* `cut` points into the section. False if the section is of another kind or version, or truncated. */
bool stack_marks_read(struct cursor section, struct stack_marks *ret);

/* False also for a sample that is not in the section. */
bool stack_marks_is_cut(const struct stack_marks *marks, uint64_t sample);

#endif
