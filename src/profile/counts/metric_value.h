/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of metrics, computed from the counts of one round. Counts are scaled to the time the events were
 * enabled. */
#ifndef METRIC_VALUE_H
#define METRIC_VALUE_H

#include "attributes.h"
#include "counts.h"
#include "metric.h"

struct metric_values;

/* Parses the formulas of `list`, which must outlive the result. */
struct metric_values *metric_values_new(const struct count_list *list);
void metric_values_free(struct metric_values *metrics);
AUTO_DEFINE(metric_values)

/* Computes metric `index` of the list on `cpu`. False if the metric has no formula or does not exist on that
 * CPU. Else sets *ret_state, and *ret_value if the state is METRIC_OK. */
bool metric_value_get(const struct metric_values *metrics, const struct counts *counts, size_t index,
                      uint32_t cpu, enum metric_state *ret_state, double *ret_value);

#endif
