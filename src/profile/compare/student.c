/* SPDX-License-Identifier: BSD-3-Clause */
#include "student.h"

#include <float.h>
#include <math.h>

#define LN_2 0.69314718055994530942

enum { MAX_STEPS = 1000, MAX_HALVINGS = 200 };

static double away_from_zero(double x)
{
        return fabs(x) < DBL_MIN * 1e3 ? DBL_MIN * 1e3 : x;
}

/* The continued fraction of DLMF 8.17.22 by Lentz's method; converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
        double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;

        for (int m = 1; m < MAX_STEPS; m++) {
                double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
                double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
                double change;

                d = 1 / away_from_zero(1 + even * d);
                c = away_from_zero(1 + even / c);
                value *= d * c;
                d = 1 / away_from_zero(1 + odd * d);
                c = away_from_zero(1 + odd / c);
                change = d * c;
                value *= change;
                if (fabs(change - 1) < 1e-15)
                        break;
        }
        return value;
}

/* exp() and log() would need glibc 2.29, and the packages must run on 2.28; those of long double are slow
 * on arm64. */
static double exponential(double x)
{
        int n_halvings;
        double value;

        frexp(x, &n_halvings);
        n_halvings = n_halvings > 0 ? n_halvings : 0;
        value = 1 + expm1(ldexp(x, -n_halvings));
        while (n_halvings-- > 0)
                value *= value;
        return value;
}

static double logarithm(double x)
{
        int exponent;
        double fraction = frexp(x, &exponent);

        return log1p(fraction - 1) + exponent * LN_2;
}

double student_incomplete_beta(double a, double b, double x)
{
        double front;

        if (x <= 0)
                return 0;
        if (x >= 1)
                return 1;
        front = exponential(lgamma(a + b) - lgamma(a) - lgamma(b) + a * logarithm(x) + b * log1p(-x));
        if (x < (a + 1) / (a + b + 2))
                return front * beta_fraction(a, b, x) / a;
        return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_two_sided(double t, double df)
{
        return student_incomplete_beta(df / 2, 0.5, df / (df + t * t));
}

double student_quantile(double tail, double df)
{
        double low = 0, high = 1;

        while (student_two_sided(high, df) > 2 * tail && high < 1e300)
                high *= 2;
        for (int i = 0; i < MAX_HALVINGS && high - low > 1e-12 * high; i++) {
                double middle = (low + high) / 2;

                if (student_two_sided(middle, df) > 2 * tail)
                        low = middle;
                else
                        high = middle;
        }
        return (low + high) / 2;
}
