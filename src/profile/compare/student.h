/* SPDX-License-Identifier: BSD-3-Clause */
/* Student's t distribution: how likely a difference between means is if only chance makes it. */
#ifndef STUDENT_H
#define STUDENT_H

/* The regularized incomplete beta function I_x(a, b), for a, b > 0 and x from 0 to 1; relative error below
 * 1e-10. */
double student_incomplete_beta(double a, double b, double x);

/* The probability that |T| >= |t| with `df` > 0 degrees of freedom, which need not be a whole number. */
double student_two_sided(double t, double df);

/* The t that T exceeds with probability `tail`, between 0 and 0.5. */
double student_quantile(double tail, double df);

#endif
