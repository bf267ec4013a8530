/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the rows of views from the results of a report: text and numbers.  Texts belong to the results, the rows to the caller's
 * arena. */
#ifndef VIEW_ROWS_H
#define VIEW_ROWS_H

#include "arena.h"
#include "branch_view.h"
#include "branches.h"
#include "hot.h"
#include "hot_view.h"

/* Sets the rows of `view`, and if it is `verbose` their addresses; hides rows by its pattern. */
void view_rows_of_hot(const struct hot *hot, struct hot_view *view, struct arena *arena);

/* `symbol` is a pattern or NULL; `n_events` is the number of events in the session. */
struct branch_view_rows *view_rows_of_branches(const struct branch_rows *rows, const char *symbol,
                                               size_t n_events, struct arena *arena);

#endif
