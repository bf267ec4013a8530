/* SPDX-License-Identifier: BSD-3-Clause */
/* The events that sample accesses to memory: mem-loads and mem-stores of Intel's cores, AMD's IBS, or Arm
 * SPE. */
#ifndef EVENT_MEMORY_H
#define EVENT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

enum { EVENT_MEMORY_LATENCY = 30 }; /* cycles: the default of Intel's loads, as in perf mem */

/* Chooses the machine's events for accesses to memory.  `latency` is the number of cycles that a load must
 * take at least to be sampled; 0 is EVENT_MEMORY_LATENCY where the CPU needs one, else no limit.  Appends
 * to `note` what the events leave out.  ERR_MISSING if the machine has none, with the reason;
 * ERR_UNSUPPORTED if the CPU can't filter by latency.  *ret is set only on success; release it with
 * event_list_release. */
bool event_memory_sampling(const struct event_defaults *defaults, const struct pmu_source *source,
                           uint64_t latency, struct event_list *ret, struct buf *note, struct err *err);

#endif
