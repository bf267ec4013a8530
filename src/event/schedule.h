/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule planner: events, groups and N counters become windows that are counted in turn.  Pure.  A driver
 * runs this plan; on Linux the kernel makes its own, and the plan tells which group can never be counted. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

enum {
        SCHEDULE_PADDING_CODE = 0x1b, /* inst_spec fills the places that are left */
        SCHEDULE_CORE_MAX = 127,      /* events of a class, padding included; with the fixed counter 128 */
        SCHEDULE_DSU_MAX = 32,
        SCHEDULE_DMC_CLK_MAX = 4,
        SCHEDULE_DMC_CLKDIV2_MAX = 8,
};

struct schedule_event {
        uint32_t code;
        int32_t group;      /* number of its group; -1: loose.  A group of one event is a loose event */
        const char *metric; /* that brought it; NULL */
};

struct schedule_slot {
        uint32_t event; /* index of the event; UINT32_MAX: padding */
        uint32_t code;
        int32_t group; /* as it is shown: counted from 0 over the groups of more than one event; -1: loose */
        const char *metric;
};

struct schedule {
        struct schedule_slot *slots;
        size_t n_slots;
        size_t n_counters; /* slots of a window */
};

/* Places `events` (those of a group stand together and in order) on `n_counters` at least 1:
 * 1. each group goes to the padding at the end of the schedule where it is long enough, else behind it;
 * 2. after each group the schedule is filled to a whole window: waiting loose events first, then padding;
 * 3. loose events that are left are appended, and with any group the last window is filled with padding.
 * Without groups nothing is filled.  ERR_LIMIT: a group larger than n_counters («event group size(8) exceeds number of
 * hardware PMU counters(6)») or more than `max_slots` slots («too many core (including padding) events: 130 > 127»,
 * with `class_name`). */
bool schedule_make(const struct schedule_event *events, size_t n_events, size_t n_counters, size_t max_slots,
                   const char *class_name, struct schedule *ret, struct err *err);
void schedule_release(struct schedule *schedule);

/* "27,117,115" and "(e),(g0,imix),(p)". */
void schedule_add_indexes(const struct schedule *schedule, struct buf *out);
void schedule_add_notes(const struct schedule *schedule, struct buf *out);

#endif
