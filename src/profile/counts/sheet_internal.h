/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the sheet. */
#ifndef SHEET_INTERNAL_H
#define SHEET_INTERNAL_H

#include "count_stats.h"
#include "metric_value.h"
#include "sheet.h"

/* A CPU number that means all CPUs together. */
#define SHEET_ALL_CPUS (UINT32_MAX - 1)

/* NULL if there are no runs, or if the event or metric never had a value. */
const struct count_stats *sheet_runs_event(const struct sheet_runs *runs, size_t event, uint32_t cpu);
const struct count_stats *sheet_runs_metric(const struct sheet_runs *runs, size_t metric, uint32_t cpu);

#endif
