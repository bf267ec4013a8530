/* SPDX-License-Identifier: BSD-3-Clause */
/* A count with one row for each event, as `stat -I` and `stat -x` print it: columns for people, or perf's
 * separated fields for scripts. */
#ifndef STAT_ROWS_H
#define STAT_ROWS_H

#include "stat_view.h"

struct stat_rows {
        const char *separator; /* perf's fields; NULL: columns */
        bool times;            /* each row begins with the time since the start, in seconds */
        bool each_cpu;         /* a row for each CPU; otherwise for their sum */
        /* For all counts so far; zero-initialised is ready. */
        uint64_t n_counts, n_poor;
        struct buf notes;   /* each once */
        struct buf quality; /* quality of the last count */
};

/* Adds the rows of a count that ended `end_ns` after the start.  Without a separator, a heading comes
 * before the first rows. */
void stat_rows_add(struct stat_rows *rows, const struct stat_view *view, uint64_t end_ns, struct buf *out);

/* Adds notes and quality after the last count.  With a separator it adds nothing, because scripts expect
 * only perf's fields; these show what is missing. */
void stat_rows_add_end(const struct stat_rows *rows, struct buf *out);
void stat_rows_release(struct stat_rows *rows);

#endif
