/* SPDX-License-Identifier: BSD-3-Clause */
/* A call tree as text that is read from top to bottom, and as JSON. */
#ifndef TREE_VIEW_H
#define TREE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "calltree.h"
#include "json.h"

struct tree_view {
        const struct calltree *tree; /* finished; of callers below their callees it is an inverted one */
        bool is_inverted;
        uint64_t all_count, all_weight; /* of the event; 0: the tree's are all */
        const char *event;
        double min_percent; /* nodes with a smaller share of all are left out */
        unsigned max_depth; /* deeper ones too; 0: no limit */
        uint64_t max_rows;  /* of the table of functions */
        const char *
                symbol; /* the pattern that the tree's paths were chosen by, and that table's functions are; or NULL */
        bool long_names;      /* nothing of a name is folded or cut */
        unsigned max_columns; /* of the terminal; 0: nothing is cut */
        bool is_colored;      /* shares, by heat */
};

/* The table of functions with what they called, of a tree that is not inverted, and the tree. */
void tree_view_text(const struct tree_view *view, struct buf *out);

/* An object: functions, and nodes as [parent, function, self count, self weight], parents first. */
void tree_view_json(const struct tree_view *view, struct json *json);

#endif
