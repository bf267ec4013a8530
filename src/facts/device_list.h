/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices of a machine that can measure: the rows of `detect`. */
#ifndef DEVICE_LIST_H
#define DEVICE_LIST_H

#include "event_facts.h"

typedef void device_list_row_fn(void *ctx, const char *device, const char *hardware);

/* Calls `row` for each PMU by name: where the kernel describes it, and what it is ("core PMU, type 4, CPUs 0-3").
 * ERR_MISSING, before any row, when there is none. */
bool device_list(const struct event_facts *facts, device_list_row_fn *row, void *ctx, struct err *err);

#endif
