/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the sheet share. */
#ifndef SHEET_INTERNAL_H
#define SHEET_INTERNAL_H

#include "count_stats.h"
#include "metric_value.h"
#include "sheet.h"

/* In the place of a CPU: all of them together. */
#define SHEET_ALL_CPUS (UINT32_MAX - 1)

/* NULL without runs, or when it was never counted. */
const struct count_stats *sheet_runs_event(const struct sheet_runs *runs, size_t event, uint32_t cpu);
const struct count_stats *sheet_runs_metric(const struct sheet_runs *runs, size_t metric, uint32_t cpu);

#endif
