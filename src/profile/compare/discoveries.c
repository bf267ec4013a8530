/* SPDX-License-Identifier: BSD-3-Clause */
#include "discoveries.h"

#include <stdlib.h>

#include "mem.h"

struct ranked_p {
        double p;
        size_t index;
};

static int by_p(const void *a, const void *b)
{
        const struct ranked_p *x = a, *y = b;

        if (x->p != y->p)
                return x->p < y->p ? -1 : 1;
        return x->index < y->index ? -1 : x->index > y->index;
}

void discoveries_adjust(const double *p, const double *weights, size_t n, double *ret_q)
{
        struct ranked_p *ranks = mem_new(n, sizeof(*ranks));
        double smallest = 1;

        for (size_t i = 0; i < n; i++)
                ranks[i] = (struct ranked_p){weights ? p[i] / weights[i] : p[i], i};
        if (n)
                qsort(ranks, n, sizeof(*ranks), by_p);
        for (size_t i = n; i > 0; i--) {
                double q = ranks[i - 1].p * (double)n / (double)i;

                if (q < smallest)
                        smallest = q;
                ret_q[ranks[i - 1].index] = smallest;
        }
        free(ranks);
}

double discoveries_alpha(const double *q, size_t n, double weight, double rate)
{
        size_t n_found = 0;

        for (size_t i = 0; i < n; i++)
                n_found += q[i] <= rate;
        return weight * rate * (double)(n_found ? n_found : 1) / (double)(n ? n : 1);
}
