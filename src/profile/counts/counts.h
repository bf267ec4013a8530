/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes counts from STAT records: a number for each event and CPU, one round after the other. */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "count_list.h"
#include "err.h"
#include "record.h"

/* The CPU number of counts that follow threads on all CPUs. */
#define COUNTS_NO_CPU UINT32_MAX

struct counts;

/* `list` must outlive the result. */
struct counts *counts_new(const struct count_list *list);
void counts_free(struct counts *counts);
AUTO_DEFINE(counts)

/* Assigns the ids that the records of `event` carry. */
void counts_set_event(struct counts *counts, size_t event, const uint64_t *ids, size_t n_ids);

/* Drops ids and values, to count the same list again. */
void counts_forget(struct counts *counts);

/* Takes a whole record; ignores all types but STAT and STAT_ROUND. Values in records are totals since the
 * beginning. The count of a round is the difference from the previous round. */
void counts_take(struct counts *counts, const struct perf_header *header, struct cursor record);

/* A sink that calls counts_take() for each record. */
struct record_sink counts_sink(struct counts *counts);

uint64_t counts_n_rounds(const struct counts *counts);
uint64_t counts_round_ns(const struct counts *counts); /* length of the last round */

/* The CPUs that have counts of COUNT_CORE events, sorted; COUNTS_NO_CPU is first. */
size_t counts_n_cpus(const struct counts *counts);
uint32_t counts_get_cpu(const struct counts *counts, size_t index);

enum count_state {
        COUNT_COUNTED,
        COUNT_ELSEWHERE,     /* the event does not exist on that CPU: print no row */
        COUNT_NOT_COUNTED,   /* enabled but never scheduled; `reason` says why, the value is 0 */
        COUNT_NOT_SUPPORTED, /* cannot be counted on this machine; `reason` says why, the value is 0 */
};

struct count {
        enum count_state state;
        uint64_t value;
        uint64_t scaled; /* value * enabled / running */
        uint64_t enabled_ns, running_ns;
        const char *reason;   /* one sentence; NULL if the event was counted */
        const char *estimate; /* where the value comes from instead; NULL for the kernel's counter */
};

/* The count of an event in the last round, on one CPU and summed over all CPUs. */
struct count counts_get(const struct counts *counts, size_t event, uint32_t cpu);
struct count counts_sum(const struct counts *counts, size_t event);

#endif
