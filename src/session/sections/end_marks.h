/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the call chains recorded by the kernel are complete, for readers that do not have the modules' files:
 * the feature section FEATURE_WPERF_ENDS, which wperf archive writes. See docs/session-format.md. */
#ifndef END_MARKS_H
#define END_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "cursor.h"

enum { END_MARKS_MAX = 1 << 16 };

enum end_mark_kind {
        END_MARK_RETURN,  /* the byte before this return address belongs to an outermost function */
        END_MARK_EXACT,   /* this address belongs to an outermost function */
        END_MARK_NO_FILE, /* the file could not be read: unknown */
        END_MARK_N_KINDS,
};

struct end_mark {
        enum end_mark_kind kind;
        uint64_t offset; /* in the file, as in struct place; 0 for END_MARK_NO_FILE */
        const char *path;
};

/* Writes the head of the section if `section` is empty. A section without marks says that all chains are
 * truncated. */
void end_marks_open(struct buf *section);

/* Appends a mark; begins the section if it is empty. False if the section is full. */
bool end_marks_add(struct buf *section, const struct end_mark *mark);

struct end_marks {
        struct cursor at;
        uint32_t n_left;
};

/* False if the section is of another kind or version, or has too many marks. */
bool end_marks_begin(struct cursor section, struct end_marks *ret);

/* False after the last mark, and if the section is damaged. mark->path points into the section. */
bool end_marks_next(struct end_marks *marks, struct end_mark *ret);

#endif
