/* SPDX-License-Identifier: BSD-3-Clause */
/* How much the values of rows vary from run to run, told by all rows of a comparison together.
 *
 * A row's variance has two parts: that of sampling, which the samples within each run tell, and one that
 * grows with the square of its amount, such as that of the machine's speed.  A few runs tell the variance of
 * a single row badly; many rows tell well by how much sampling misses.  What they tell counts as so many
 * degrees of freedom more (the moderated variances of Smyth, 2004), but only for the part of sampling:
 * the other one may be the same in all rows of a run. */
#ifndef ROW_NOISE_H
#define ROW_NOISE_H

#include <stddef.h>

#include "welch.h"

struct row_noise {
        double sampling; /* variance in those of sampling, at least 1; 0: nothing is known */
        double relative; /* variance as a share of the squared amount */
        double df;       /* degrees of freedom of `sampling` in a row */
};

/* Of rows that are groups of at least two runs each. */
struct row_noise row_noise_fit(const struct run_group *const *groups, size_t n);

/* Makes the variance of the group the one to be used: never less than its own, nor than sampling's. */
void row_noise_settle(const struct row_noise *noise, struct run_group *group);

#endif
