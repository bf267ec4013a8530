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
        uint64_t off; /* of its bytes in a file; code that was moved has them where it was first */
};

struct code_history;

/* Numbers are those of `ranges`, which is copied; at most UINT32_MAX.  Of equal times the higher number is later. */
struct code_history *code_history_new(const struct code_range *ranges, size_t n_ranges);
void code_history_free(struct code_history *history);
AUTO_DEFINE(code_history)

/* What a search does where nothing stood at the time. */
enum code_told {
        CODE_TOLD_BEFORE, /* there is nothing */
        CODE_TOLD_LATE, /* a compiler may tell of code after it ran: the first that ever stood there is meant */
};

struct code_found {
        uint32_t range;
        uint64_t same_from, same_to; /* every address from here up to there gives the same answer */
};

/* The range that stands at `addr` at `time`; false: none, of *ret only the addresses are set. */
bool code_history_find(const struct code_history *history, uint64_t addr, uint64_t time, enum code_told told,
                       struct code_found *ret);

/* The times around `time`, from *ret_from until before *ret_to, in which no address that had code got another one: of
 * CODE_TOLD_LATE all answers are the same.  Without any change 0 and UINT64_MAX. */
void code_history_span(const struct code_history *history, uint64_t time, uint64_t *ret_from,
                       uint64_t *ret_to);

/* True when some address got other code at some time. */
bool code_history_has_changes(const struct code_history *history);

/* The offset in the file of the byte of code that stood at `addr` at `time`, of CODE_TOLD_LATE; false: none. */
bool code_history_to_off(const struct code_history *history, uint64_t addr, uint64_t time, uint64_t *ret_off);

/* The range whose bytes are at an offset of the file, where they were first; addresses of *ret are offsets. */
bool code_history_find_off(const struct code_history *history, uint64_t off, struct code_found *ret);

size_t code_history_n(const struct code_history *history);
const struct code_range *code_history_get(const struct code_history *history, size_t index);

#endif
