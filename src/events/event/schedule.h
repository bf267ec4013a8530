/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule planner: assigns events, groups and N counters to windows that are counted in turn. A driver
 * runs this plan. Linux makes its own; there the plan shows which group can never be counted. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

enum {
        SCHEDULE_PADDING_CODE = 0x1b, /* inst_spec fills unused slots */
        SCHEDULE_CORE_MAX = 127,      /* events of a class, padding included; 128 with the fixed counter */
        SCHEDULE_DSU_MAX = 32,
        SCHEDULE_DMC_CLK_MAX = 4,
        SCHEDULE_DMC_CLKDIV2_MAX = 8,
};

struct schedule_event {
        uint32_t code;
        int32_t group;      /* number of its group; -1 for none. A group of one event is treated as none */
        const char *metric; /* the metric that added the event; NULL for none */
};

struct schedule_slot {
        uint32_t event; /* index of the event; UINT32_MAX for padding */
        uint32_t code;
        int32_t group; /* as displayed: numbered from 0 over the groups of more than one event; -1 for none */
        const char *metric;
};

struct schedule {
        struct schedule_slot *slots;
        size_t n_slots;
        size_t n_counters; /* slots in a window */
};

/* Assigns `events` (events of a group adjacent and in order) to windows of `n_counters` (at least 1):
 *   1. each group goes to the padding at the end of the schedule if that is long enough, else after it;
 *   2. after each group, the window is filled: first with waiting events without a group, then with padding;
 *   3. the other events without a group are appended; if there is a group, the last window is padded.
 * Without groups there is no padding. ERR_LIMIT: a group larger than n_counters ("event group size(8) exceeds
 * number of hardware PMU counters(6)") or more than `max_slots` slots ("too many core (including padding)
 * events: 130 > 127", with `class_name`). Release *ret with schedule_release. */
bool schedule_make(const struct schedule_event *events, size_t n_events, size_t n_counters, size_t max_slots,
                   const char *class_name, struct schedule *ret, struct err *err);
void schedule_release(struct schedule *schedule);

/* Appends the codes, "27,117,115", and the kinds of the slots, "(e),(g0,imix),(p)". */
void schedule_add_indexes(const struct schedule *schedule, struct buf *out);
void schedule_add_notes(const struct schedule *schedule, struct buf *out);

#endif
