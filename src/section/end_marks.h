/* SPDX-License-Identifier: BSD-3-Clause */
/* Where chains of the kernel end whole, for where the files are not that tell it: the feature section FEATURE_WPERF_ENDS, which
 * wperf archive writes.  docs/session-format.md. */
#ifndef END_MARKS_H
#define END_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "cursor.h"

enum { END_MARKS_MAX = 1 << 16 };

enum end_mark_kind {
        END_MARK_RETURN,  /* an outermost function is before the place, to which a call returns */
        END_MARK_EXACT,   /* an outermost function is at the place */
        END_MARK_NO_FILE, /* the file could not be read: nobody knows */
        END_MARK_N_KINDS,
};

struct end_mark {
        enum end_mark_kind kind;
        uint64_t offset; /* as in struct place; 0: of a file */
        const char *path;
};

/* Makes an empty buffer a section without marks: all chains are cut. */
void end_marks_open(struct buf *section);

/* Appends to a section, which an empty buffer becomes.  False: it is full. */
bool end_marks_add(struct buf *section, const struct end_mark *mark);

struct end_marks {
        struct cursor at;
        uint32_t n_left;
};

/* False when it is of another kind or version, or has too many. */
bool end_marks_begin(struct cursor section, struct end_marks *ret);

/* False behind the last one, and where the section is damaged.  The path is in the section. */
bool end_marks_next(struct end_marks *marks, struct end_mark *ret);

#endif
