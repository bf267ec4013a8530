/* SPDX-License-Identifier: BSD-3-Clause */
/* The PMUs of a machine, or the driver's devices on Windows: the rows of `detect`. */
#ifndef DEVICE_LIST_H
#define DEVICE_LIST_H

#include "event_facts.h"

typedef void device_list_row_fn(void *ctx, const char *device, const char *hardware);

/* On Windows calls `row` with the name and the hardware id of each device of the driver; elsewhere for each
 * PMU, sorted by name, with its sysfs directory and a description such as "core PMU, type 4, CPUs 0-3".
 * ERR_MISSING, before any row, if there is none; on Windows also the other errors of kernel_connect(). */
bool device_list(const struct event_facts *facts, device_list_row_fn *row, void *ctx, struct err *err);

#endif
