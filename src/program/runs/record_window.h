/* SPDX-License-Identifier: BSD-3-Clause */
/* The last records of a run, in limited memory. When samples fall out of it, the records that describe the
 * processes stay as long as samples may need them: those of processes that run, or that have run processes
 * which still use their maps. */
#ifndef RECORD_WINDOW_H
#define RECORD_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "record.h"

struct record_window;

struct record_window *record_window_new(size_t max_bytes);
void record_window_free(struct record_window *window);
AUTO_DEFINE(record_window)

/* Adds complete records, in the order of a session. */
void record_window_add(struct record_window *window, const void *records, size_t size_bytes);

/* The samples that are kept, and those that fell out. */
uint64_t record_window_n_samples(const struct record_window *window);
uint64_t record_window_n_dropped(const struct record_window *window);

/* Forgets all samples so far. */
void record_window_drop_all(struct record_window *window);

/* Puts everything that is kept: first the records of processes, then the window. */
bool record_window_put(const struct record_window *window, const struct record_sink *sink, struct err *err);

#endif
