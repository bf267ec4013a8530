/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks by the time that threads waited for them, as text, CSV and JSON. */
#ifndef LOCK_VIEW_H
#define LOCK_VIEW_H

#include "buf.h"
#include "json.h"
#include "lock_rows.h"

struct lock_view {
        const struct lock_rows *rows;
        uint64_t n_rows;      /* at most, in the text */
        unsigned max_columns; /* of the screen; 0: no limit */
};

void lock_view_text(const struct lock_view *view, struct buf *out);
void lock_view_csv(const struct lock_view *view, struct buf *out);

/* Adds the key "locks". */
void lock_view_json(const struct lock_view *view, struct json *json);

#endif
