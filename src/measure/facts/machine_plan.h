/* SPDX-License-Identifier: BSD-3-Clause */
/* What -e, -m and --config of `test` request: how it would be counted or sampled, without doing so. */
#ifndef MACHINE_PLAN_H
#define MACHINE_PLAN_H

#include "count_list.h"
#include "event_facts.h"
#include "machine_support.h"
#include "schedule.h"

enum {
        USUAL_COUNTERS = 6, /* of a core, if the number is unknown */
};

struct machine_plan {
        bool has_counting, has_sampling; /* both false if nothing was requested */
        struct count_list counting;
        struct event_list sampling;
        struct schedule schedules[COUNT_CLASSES];
        uint64_t period_ms;
};

/* Events are parsed with the grammar of `stat`. If that fails, or an event has a period, they are parsed with
 * the grammar of `record`. `n_counters` is indexed by class; 0 if unknown. A setting that is not supported
 * and an assumed number of counters are not errors; a sentence is appended to `warnings`. */
bool machine_plan_make(const struct machine_support_request *request, const unsigned *n_counters,
                       struct machine_plan *ret, struct buf *warnings, struct err *err);
void machine_plan_release(struct machine_plan *plan);

bool machine_plan_has_class(const struct machine_plan *plan, enum count_class class);

/* Adds the rows ioctl_events[EVT_...].index and .note for WindowsPerf's classes. */
void machine_plan_add_schedules(const struct machine_plan *plan, machine_support_row_fn *row, void *ctx);

/* Adds a row for each event with the fields of its attribute. */
void machine_plan_add_events(const struct machine_plan *plan, machine_support_row_fn *row, void *ctx);

#endif
