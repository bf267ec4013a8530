/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the code at an address at a given time, if memory was used again. */
#ifndef CODE_HISTORY_H
#define CODE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

#define CODE_HISTORY_LATEST UINT64_MAX /* as a time: the latest code */

/* Code that is at its addresses from `time` on, until a later range replaces it, or a part of it. */
struct code_range {
        uint64_t start, end; /* empty when equal, never start > end */
        uint64_t time;
        uint64_t off; /* offset of its bytes in a file; code that was moved keeps the offset */
};

struct code_history;

/* Copies `ranges`; results are indexes into it; at most UINT32_MAX.  If times are equal, the range with the
 * higher index is later. */
struct code_history *code_history_new(const struct code_range *ranges, size_t n_ranges);
void code_history_free(struct code_history *history);
AUTO_DEFINE(code_history)

/* Which code a search returns if there was none yet at the time. */
enum code_told {
        CODE_TOLD_BEFORE, /* none */
        /* the first code that was ever there, because a compiler may describe code after it ran */
        CODE_TOLD_LATE,
};

struct code_found {
        uint32_t range;
        uint64_t same_from, same_to; /* the result is the same for every address in this range */
};

/* The range that is at `addr` at `time`; false: there is none, and only the addresses of *ret are set. */
bool code_history_find(const struct code_history *history, uint64_t addr, uint64_t time, enum code_told told,
                       struct code_found *ret);

/* The longest interval around `time` without a code change, from *ret_from up to but not including *ret_to:
 * with CODE_TOLD_LATE all results in it are the same.  0 and UINT64_MAX if code never changes. */
void code_history_span(const struct code_history *history, uint64_t time, uint64_t *ret_from,
                       uint64_t *ret_to);

/* True if any address got other code at some time. */
bool code_history_has_changes(const struct code_history *history);

/* The offset in the file of the code that was at `addr` at `time`, with CODE_TOLD_LATE; false: none. */
bool code_history_to_off(const struct code_history *history, uint64_t addr, uint64_t time, uint64_t *ret_off);

/* The range whose bytes are at an offset of the file; addresses in *ret are offsets. */
bool code_history_find_off(const struct code_history *history, uint64_t off, struct code_found *ret);

size_t code_history_n(const struct code_history *history);
const struct code_range *code_history_get(const struct code_history *history, size_t index);

#endif
