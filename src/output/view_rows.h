/* SPDX-License-Identifier: BSD-3-Clause */
/* From results of a report to the rows that views show: text and numbers.  Texts are the results' own, the rows stand in the
 * caller's arena. */
#ifndef VIEW_ROWS_H
#define VIEW_ROWS_H

#include "arena.h"
#include "branch_view.h"
#include "branches.h"
#include "hot.h"
#include "hot_view.h"

/* Sets the rows of `view`, and with its `verbose` their addresses, by its pattern. */
void view_rows_of_hot(const struct hot *hot, struct hot_view *view, struct arena *arena);

/* `symbol` is a pattern or NULL; `n_events` is how many events the session has. */
struct branch_view_rows *view_rows_of_branches(const struct branch_rows *rows, const char *symbol,
                                               size_t n_events, struct arena *arena);

#endif
