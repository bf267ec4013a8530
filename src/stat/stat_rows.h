/* SPDX-License-Identifier: BSD-3-Clause */
/* A count as one row an event, the form of `stat -I` and `stat -x`: columns for a reader, or perf's fields with a
 * separator, which its users' scripts read. */
#ifndef STAT_ROWS_H
#define STAT_ROWS_H

#include "stat_view.h"

struct stat_rows {
        const char *separator; /* perf's fields; NULL: columns */
        bool times;            /* each row begins with the seconds since the start */
        bool each_cpu;         /* a row for each CPU; else their sum */
        /* Of the counts so far; zero-initialised is ready. */
        uint64_t n_counts, n_poor;
        struct buf notes;   /* each once */
        struct buf quality; /* of the last one */
};

/* The rows of one count that ended `end_ns` after the start; a heading comes before the first of them where there is no
 * separator. */
void stat_rows_add(struct stat_rows *rows, const struct stat_view *view, uint64_t end_ns, struct buf *out);

/* Notes and quality, behind the last count.  perf's fields stand alone: whoever reads them expects nothing else, and they tell
 * what is missing themselves. */
void stat_rows_add_end(const struct stat_rows *rows, struct buf *out);
void stat_rows_release(struct stat_rows *rows);

#endif
