/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of A and B that were recorded in turn are pairs: what slows the machine down for a minute meets both.
 */
#ifndef RUN_PAIRS_H
#define RUN_PAIRS_H

#include <stddef.h>

#include "run_values.h"

/* The run of B that belongs to each run of A, to be freed by the caller; NULL if the runs were not recorded
 * in turn, or if there are fewer than three pairs. */
size_t *run_pairs_make(const struct run_values *values);

/* The covariance of the means of `n` pairs.  As few pairs tell it badly, it is drawn towards 0, which is
 * the test without pairs; it is never less than 0. */
double run_pairs_covariance(const double *a, const double *b, size_t n);

#endif
