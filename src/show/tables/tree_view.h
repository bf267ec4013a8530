/* SPDX-License-Identifier: BSD-3-Clause */
/* A call tree as text and as JSON. */
#ifndef TREE_VIEW_H
#define TREE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "calltree.h"
#include "json.h"

struct tree_view {
        const struct calltree *tree; /* finished; an inverted tree has callers below their callees */
        bool is_inverted;
        uint64_t all_count, all_weight; /* sums of the event; 0: use the sums of the tree */
        const char *event;
        double min_percent; /* nodes with a smaller share of the event are left out */
        unsigned max_depth; /* deeper nodes are left out, too; 0: no limit */
        uint64_t max_rows;  /* of the table of functions */
        /* the pattern by which paths, and functions of the table, were selected; or NULL */
        const char *symbol;
        bool long_names;      /* do not fold or cut names */
        unsigned max_columns; /* width of the terminal; 0: no limit */
        bool is_colored;      /* shares, by heat */
};

/* The table of functions with their totals, unless the tree is inverted, and the tree. */
void tree_view_text(const struct tree_view *view, struct buf *out);

/* An object: functions, and nodes as [parent, function, self count, self weight], parents first. */
void tree_view_json(const struct tree_view *view, struct json *json);

/* "x_mul [python3.11]", in one line.  If it would be wider than `max` columns (0: no limit), and unless
 * `is_long`, the name is shortened.  If there is no room for the name then, it is printed without its
 * module. */
void tree_view_add_name(const struct calltree_function *f, bool with_module, bool is_long, size_t max,
                        struct buf *out);

#endif
