/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts as they arrive: STAT records become a number for each event and CPU, one round after the other. */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "count_list.h"
#include "err.h"
#include "record.h"

/* The CPU of a count that follows threads wherever they run. */
#define COUNTS_NO_CPU UINT32_MAX

struct counts;

/* `list` must outlive it. */
struct counts *counts_new(const struct count_list *list);
void counts_free(struct counts *counts);
AUTO_DEFINE(counts)

/* Says which ids the records of event `event` have. */
void counts_set_event(struct counts *counts, size_t event, const uint64_t *ids, size_t n_ids);

/* For another run of the same list: ids and values are forgotten. */
void counts_forget(struct counts *counts);

/* Takes a whole record; others than STAT and STAT_ROUND are passed over.  Values are those since the beginning, so that a
 * round's count is the difference to the round before. */
void counts_take(struct counts *counts, const struct perf_header *header, struct cursor record);

/* The same for records as they arrive. */
struct record_sink counts_sink(struct counts *counts);

uint64_t counts_n_rounds(const struct counts *counts);
uint64_t counts_round_ns(const struct counts *counts); /* length of the last round */

/* The CPUs that have counts of COUNT_CORE events, in order; COUNTS_NO_CPU comes first. */
size_t counts_n_cpus(const struct counts *counts);
uint32_t counts_get_cpu(const struct counts *counts, size_t index);

enum count_state {
        COUNT_COUNTED,
        COUNT_ELSEWHERE,     /* not an event of that CPU: no row */
        COUNT_NOT_COUNTED,   /* it was there and never ran; `reason` says why, the value is 0 */
        COUNT_NOT_SUPPORTED, /* it can't be counted here; `reason` says why, the value is 0 */
};

struct count {
        enum count_state state;
        uint64_t value;
        uint64_t scaled; /* value * enabled / running */
        uint64_t enabled_ns, running_ns;
        const char *reason;   /* one sentence; NULL: counted */
        const char *estimate; /* NULL: the kernel's counter */
};

/* The last round's count of an event on a CPU, and over all CPUs. */
struct count counts_get(const struct counts *counts, size_t event, uint32_t cpu);
struct count counts_sum(const struct counts *counts, size_t event);

#endif
