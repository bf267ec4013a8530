/* SPDX-License-Identifier: BSD-3-Clause */
/* What -e, -m and --config of `test` ask for: how it would be counted or sampled, without doing it. */
#ifndef MACHINE_PLAN_H
#define MACHINE_PLAN_H

#include "count_list.h"
#include "event_facts.h"
#include "machine_test.h"
#include "schedule.h"

enum {
        USUAL_COUNTERS = 6, /* of a core, where nobody knows */
};

struct machine_plan {
        bool has_counting, has_sampling; /* neither: nothing was asked for */
        struct count_list counting;
        struct event_list sampling;
        struct schedule schedules[COUNT_CLASSES];
        uint64_t period_ms;
};

/* Events are those of `stat` unless only the grammar of `record` takes them, which has intervals.  `n_counters` of each
 * class; 0: not known.  A setting that is not taken and a number of counters that is only assumed are no failures: a
 * sentence is appended to `warnings`. */
bool machine_plan_make(const struct machine_test_request *request, const unsigned *n_counters,
                       struct machine_plan *ret, struct buf *warnings, struct err *err);
void machine_plan_release(struct machine_plan *plan);

bool machine_plan_has_class(const struct machine_plan *plan, enum count_class class);

/* ioctl_events[EVT_...].index and .note of WindowsPerf's classes. */
void machine_plan_add_schedules(const struct machine_plan *plan, machine_test_row_fn *row, void *ctx);

/* A row for each event, with its attribute field by field. */
void machine_plan_add_events(const struct machine_plan *plan, machine_test_row_fn *row, void *ctx);

#endif
