/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of one class of one unit: they are counted by a plan of windows, or sampled at overflow.
 *
 * All functions that touch registers are called on the unit's CPU, without interrupts of its PMU. */
#ifndef COUNTER_SET_H
#define COUNTER_SET_H

#include "abi.h"
#include "hw.h"

enum { COUNTER_NONE = 0xff, COUNTER_CYCLES = 0xfe };

struct counter_source {
        struct abi_source source;
        uint8_t counter; /* index in `map` */
        uint64_t last;   /* the counter's value when it was last read or written */
};

/* The unit's registers as they were before the start; counter_keep.h. */
struct counter_kept {
        uint64_t control, enabled, interrupts, overflow, cycles_filter;
        uint64_t events[BLOCK_COUNTERS_MAX], values[BLOCK_COUNTERS_MAX]; /* by the index in `map` */
        uint64_t own;    /* the bits that the driver changes */
        uint64_t paused; /* those of others, whose counters were enabled while all were off */
};

struct counter_set {
        const struct hw *hw;
        const struct hw_unit *unit;
        const struct block_class *class;
        uint8_t n_counters;              /* free ones */
        uint8_t map[BLOCK_COUNTERS_MAX]; /* their indexes in the unit */

        /* The plan, and its counts. */
        struct abi_slot slots[ABI_SLOTS_MAX];
        struct abi_count counts[ABI_SLOTS_MAX];
        uint32_t n_slots, window, period_ms;
        uint64_t cycles_filter; /* that the cycles should be counted with */
        uint32_t first;         /* the slot with which the running window begins */
        uint64_t last[BLOCK_COUNTERS_MAX];
        uint64_t window_start_ns, enabled_ns, windows, overflows;
        uint64_t cycles, last_cycles;
        uint8_t cycles_counter; /* that counts cycles: index in `map`, COUNTER_CYCLES or COUNTER_NONE */
        uint64_t n_losses;      /* times that counters had stopped, as after a time without power */

        struct counter_source sources[ABI_SOURCES_MAX];
        uint32_t n_sources;

        bool running;
        bool is_wide; /* event counters wrap at 64 bits */
        struct counter_kept kept;
};

/* Finds the free counters. */
void counter_set_init(struct counter_set *set, const struct hw *hw, const struct hw_unit *unit,
                      const struct block_class *class);

/* Whether the set has a plan or sources. */
bool counter_set_is_used(const struct counter_set *set);

/* Whether `window` counters for a plan and `n_sources` for sampling are free together. The counter that
 * counts cycles only is none of them: programs read it, so it can't be set to a period. */
bool counter_set_has_room(const struct counter_set *set, uint32_t window, uint32_t n_sources);

/* Replaces the plan or the sources; the set is not running, and the arguments have been checked. */
void counter_set_assign(struct counter_set *set, const struct abi_assign *plan);
void counter_set_sample(struct counter_set *set, const struct abi_source *sources, uint32_t n_sources);

/* Sets all counts to 0. */
void counter_set_reset(struct counter_set *set);

void counter_set_start(struct counter_set *set);

/* Adds what was counted since the last call, and goes on with the next window. */
void counter_set_tick(struct counter_set *set);

/* Adds what was counted; the counts do not change after, and the registers are as before the start. */
void counter_set_stop(struct counter_set *set);

/* Adds what was counted so far, without a change of the window. */
void counter_set_read(struct counter_set *set);

/* Handles an overflow interrupt: re-arms the sources. Calls `due` for each source that has reached its
 * period, with the number of periods beyond the first that have passed too. False if no counter of a source
 * has overflowed. */
bool counter_set_interrupt(struct counter_set *set, void (*due)(void *ctx, uint32_t source, uint64_t missed),
                           void *ctx);

#endif
