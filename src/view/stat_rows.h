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
};

/* The heading; nothing with a separator. */
void stat_rows_add_head(const struct stat_rows *rows, const struct stat_view *view, struct buf *out);

/* The rows of one count that ended `end_ns` after the start. */
void stat_rows_add(const struct stat_rows *rows, const struct stat_view *view, uint64_t end_ns,
                   struct buf *out);

#endif
