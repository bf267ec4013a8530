/* SPDX-License-Identifier: BSD-3-Clause */
/* Which code stood at an address at a time, where memory is used again and again. */
#ifndef CODE_HISTORY_H
#define CODE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

#define CODE_HISTORY_LATEST UINT64_MAX /* as a time: what came last */

/* Stands from `time` on, until a later one takes its addresses, or some of them. */
struct code_range {
        uint64_t start, end; /* empty when equal, never start > end */
        uint64_t time;
};

struct code_history;

/* Numbers are those of `ranges`, which is not kept; at most UINT32_MAX.  Of equal times the higher number is later. */
struct code_history *code_history_new(const struct code_range *ranges, size_t n_ranges);
void code_history_free(struct code_history *history);
AUTO_DEFINE(code_history)

/* The range that stands at `addr` at `time`; false: none.  Every address from *ret_from up to *ret_to gives the same
 * answer; they are set in both cases. */
bool code_history_find(const struct code_history *history, uint64_t addr, uint64_t time, uint32_t *ret_range,
                       uint64_t *ret_from, uint64_t *ret_to);

/* True when some address belonged to more than one range. */
bool code_history_has_replaced(const struct code_history *history);

#endif
