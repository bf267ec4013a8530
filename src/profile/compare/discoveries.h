/* SPDX-License-Identifier: BSD-3-Clause */
/* The procedure of Benjamini and Hochberg, which bounds the share of false discoveries among many tests,
 * with weights (Genovese, Roeder and Wasserman 2006), and the intervals that go with it (Benjamini and
 * Yekutieli 2005). */
#ifndef DISCOVERIES_H
#define DISCOVERIES_H

#include <stddef.h>

/* Makes of each p its q: among the tests whose q is at most 0.05, on average at most 5 % differ by chance.
 * `weights` have a mean of 1; a test with a larger one needs a less small p.  NULL: all are 1. */
void discoveries_adjust(const double *p, const double *weights, size_t n, double *ret_q);

/* The alpha of a test's interval, so that it excludes 0 exactly if the test is a discovery at `rate`, and so
 * that of the intervals of all discoveries at most a share of `rate` misses the truth, on average. */
double discoveries_alpha(const double *q, size_t n, double weight, double rate);

#endif
