/* SPDX-License-Identifier: BSD-3-Clause */
/* The call trees of all events that have samples, made one at a time. */
#ifndef TREES_VIEW_H
#define TREES_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "hot_view.h"
#include "json.h"
#include "stacks_tree.h"

struct trees_view {
        const struct stacks_tree *names; /* NULL: no trees are wanted */
        const struct hot_view_event *events;
        size_t n_events;
        bool is_inverted; /* callers below what they called */
        double min_percent;
        unsigned max_depth;
        uint64_t max_rows;
        const char *symbol; /* pattern: paths with a function that matches; or NULL */
        bool long_names;
        unsigned max_columns;
        bool is_colored;
};

void trees_view_text(const struct trees_view *view, struct buf *out);

/* The key "call_trees" with an array of one object an event. */
void trees_view_json(const struct trees_view *view, struct json *json);

#endif
