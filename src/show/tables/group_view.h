/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of one event by groups of functions. */
#ifndef GROUP_VIEW_H
#define GROUP_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "json.h"

struct group_view_row {
        const char *group;
        uint64_t count, weight;
        double share;     /* of the event's weight, 0 to 1 */
        double low, high; /* 95 % interval of the share */
};

struct group_view {
        const char *event;
        const struct group_view_row *rows;
        size_t n_rows;
        bool is_colored;
        unsigned max_columns;
};

void group_view_text(const struct group_view *view, struct buf *out);

/* An object. */
void group_view_json(const struct group_view *view, struct json *json);

/* With a column for the event and a heading, for all events. */
void group_view_csv(const struct group_view *views, size_t n, struct buf *out);

#endif
