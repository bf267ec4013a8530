/* SPDX-License-Identifier: BSD-3-Clause */
/* Who ended waits, as text and JSON. */
#ifndef WAKER_VIEW_H
#define WAKER_VIEW_H

#include "buf.h"
#include "json.h"
#include "waker_rows.h"

struct waker_view {
        const struct waker_rows *rows;
        uint64_t n_rows;      /* at most */
        unsigned max_columns; /* of the screen; 0: no limit */
};

void waker_view_text(const struct waker_view *view, struct buf *out);

/* Adds the key "wakers". */
void waker_view_json(const struct waker_view *view, struct json *json);

#endif
