/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of metrics from the counts of one round; every event's value is scaled to the whole time. */
#ifndef METRIC_VALUE_H
#define METRIC_VALUE_H

#include "attributes.h"
#include "counts.h"
#include "metric.h"

struct metric_values;

/* Parses the formulas of `list`, which must outlive it. */
struct metric_values *metric_values_new(const struct count_list *list);
void metric_values_free(struct metric_values *metrics);
AUTO_DEFINE(metric_values)

/* The value of metric `index` of the list on `cpu`.  False when it has no formula or is none of that CPU; else
 * *ret_state, and *ret_value with METRIC_OK. */
bool metric_value_get(const struct metric_values *metrics, const struct counts *counts, size_t index,
                      uint32_t cpu, enum metric_state *ret_state, double *ret_value);

#endif
