/* SPDX-License-Identifier: BSD-3-Clause */
/* Who ends waits: chains of the thread that waits, the one that wakes it, and the one that had woken that one
 * during the same wait. */
#ifndef WAKER_ROWS_H
#define WAKER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"

enum { WAKER_MAX_LINKS = 5, WAKER_MAX_FRAMES = 16 };

struct waker_link {
        const char *thread;   /* its name; "interrupt" for a wakeup by one */
        const char *function; /* in which it waits, or wakes; "" if its stack is not recorded */
};

struct waker_row {
        struct waker_link links[WAKER_MAX_LINKS]; /* the thread that waits comes first */
        size_t n_links;
        uint8_t kind; /* of the wait, enum wait_kind */
        uint64_t count, total_ns, longest_ns;
        /* the stack of the waker of the longest wait, innermost first */
        const char *frames[WAKER_MAX_FRAMES];
        size_t n_frames;
        uint32_t waker_node; /* where that stack ends; NAMED_NONE: it is not recorded */
};

struct waker_rows {
        struct waker_row *items; /* the largest total first */
        size_t n;
        uint64_t n_waits, total_ns;     /* of all rows */
        uint64_t n_unknown, unknown_ns; /* waits whose end is not recorded, which are in no row */
        struct arena texts;
};

struct wall_making; /* wall_making.h */

/* Of the waits that `making` has. */
struct waker_rows *waker_rows_new(struct wall_making *making);
void waker_rows_free(struct waker_rows *rows);
AUTO_DEFINE(waker_rows)

#endif
