/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes a unit's counters over, and leaves its registers as they were. Bits of counters that others use are
 * left alone.
 *
 * All functions are called on the unit's CPU, without interrupts of its PMU. */
#ifndef COUNTER_KEEP_H
#define COUNTER_KEEP_H

#include "counter_set.h"

/* Stores the registers that the set will write, and stops its counters. Decides on which counter cycles are
 * counted. */
void counter_keep_take(struct counter_set *set);

/* Writes what was stored: enables, filters, events, values, overflow and interrupt bits. The switch of all
 * counters goes off again only if nobody else has begun to count. */
void counter_keep_give_back(struct counter_set *set);

/* Whether the counters in `bits` still count, as wide as before: a CPU that was without power, or another
 * program, may have changed that. */
bool counter_keep_is_intact(const struct counter_set *set, uint64_t bits);

/* Stops the set's counters again, after counter_keep_is_intact returned false. */
void counter_keep_take_again(struct counter_set *set);

/* Switches all counters on, if they are off. */
void counter_keep_switch_on(const struct counter_set *set);

/* The counters of others that count and interrupt at overflow. */
uint64_t counter_keep_find_others(const struct counter_set *set);

/* Switches off the interrupts of counters that the set does not use and that have come, and returns which;
 * their overflow bits stay. *ret_is_used: another program may use one of them. counter_keep_let_go switches
 * them on again. */
uint64_t counter_keep_hold(const struct counter_set *set, bool *ret_is_used);
void counter_keep_let_go(const struct counter_set *set, uint64_t held);

#endif
