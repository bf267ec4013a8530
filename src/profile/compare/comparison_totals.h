/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities of whole runs: times, events and ratios of events. */
#ifndef COMPARISON_TOTALS_H
#define COMPARISON_TOTALS_H

#include "comparison.h"

/* Adds what all runs know, without verdicts. */
void comparison_add_totals(struct comparison *comparison, const struct run_values *values);

#endif
