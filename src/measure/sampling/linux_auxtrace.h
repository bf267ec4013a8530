/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the data that Arm SPE puts into the AUX areas as AUXTRACE records, in perf's layout. */
#ifndef LINUX_AUXTRACE_H
#define LINUX_AUXTRACE_H

#include "linux_events.h"

struct auxtrace;

/* Maps an AUX area for each ring with an SPE event. `opened` and `rings` must outlive it, and the events
 * must write to the rings already (opened_join). */
struct auxtrace *auxtrace_open(const struct opened *opened, const struct ring *rings, struct err *err);
void auxtrace_free(struct auxtrace *aux);

/* Puts the records TIME_CONV and AUXTRACE_INFO, which come before all others. `tid` is the target's, -1 for
 * all threads. */
bool auxtrace_begin(struct auxtrace *aux, int32_t tid, const struct record_sink *sink, struct err *err);

/* Notes how much data the areas have now, for auxtrace_put(). Call it before the rings are read: the AUX
 * records of these data are in the rings then. */
void auxtrace_mark(struct auxtrace *aux);

/* Reads an AUX record. The kernel disables an event whose area is full; the next auxtrace_put() enables it
 * again. */
void auxtrace_see(struct auxtrace *aux, struct cursor record);

/* Writes the data that were noted, and frees their space. */
bool auxtrace_put(struct auxtrace *aux, const struct record_sink *sink, struct err *err);

#endif
