/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of rows by their key, for the last interval and since the start. The number of rows is limited: the
 * smallest ones are merged into one row, so that a view may run for days. */
#ifndef LIVE_SUMS_H
#define LIVE_SUMS_H

#include "live_table.h"
#include "map.h"

struct live_sums {
        struct live_row *rows;
        size_t n, cap;
        struct map by_key; /* hash of a key, or the next free number, to index + 1 */
        struct arena texts;
        size_t max_rows;
        bool has_states;            /* rows have them; set it before the first one */
        struct live_sum rest_since; /* of merged rows */
        struct live_states rest_states;
        size_t n_merged;
};

void live_sums_init(struct live_sums *sums, size_t max_rows);
void live_sums_release(struct live_sums *sums);

/* The row with the key of `row`: its texts, line, pid, tid and flags; added without samples if it is new.
 * Valid until the next call. */
struct live_row *live_sums_get(struct live_sums *sums, const struct live_row *row);

/* Begins an interval. If there are too many rows, merges those with the fewest samples. */
void live_sums_begin_interval(struct live_sums *sums);

/* For rows with states, in each interval: forgets what is not settled, before it is added anew; sets the
 * other sums of all rows, with the states that are shown; and settles what was added. */
void live_sums_begin_states(struct live_sums *sums);
void live_sums_end_states(struct live_sums *sums, unsigned shown);
void live_sums_settle(struct live_sums *sums);

/* Forgets all sums. */
void live_sums_zero(struct live_sums *sums);

/* Copies the largest rows, at most `max`; the others become one row with `is_rest`. */
void live_sums_copy(const struct live_sums *sums, size_t max, struct live_rows *ret, struct arena *texts);

#endif
