/* SPDX-License-Identifier: BSD-3-Clause */
#include "row_noise.h"

#include <math.h>

#include "attributes.h"

enum { ROUNDS = 10 };

/* A single row that varies far more than the others must not make the others' noise. */
#define MOST_OUTLYING 5.0

static bool is_point(const struct run_group *g)
{
        return g->n > 1 && g->sampled > 0 && g->mean > 0;
}

static double expected(const struct row_noise *noise, const struct run_group *g)
{
        return noise->sampling * g->sampled + noise->relative * g->mean * g->mean;
}

/* --- The two parts ---------------------------------------------------------------------------------- */

/* Sums of a weighted fit of y = sampling + relative x. */
struct fit_sums {
        double w, x, xx, y, xy;
};

static void add_point(struct fit_sums *s, const struct row_noise *noise, const struct run_group *g)
{
        double x = g->mean * g->mean / g->sampled, own = expected(noise, g) / g->sampled;
        double y = fmin(g->variance / g->sampled, MOST_OUTLYING * own);
        double w = (double)(g->n - 1) / (own * own);

        s->w += w;
        s->x += w * x;
        s->xx += w * x * x;
        s->y += w * y;
        s->xy += w * x * y;
}

/* Least squares with sampling >= 1 and relative >= 0. */
static void solve(const struct fit_sums *s, struct row_noise *noise)
{
        double spread = s->w * s->xx - s->x * s->x;

        noise->relative = spread > 1e-9 * s->w * s->xx ? (s->w * s->xy - s->x * s->y) / spread : 0;
        if (noise->relative < 0)
                noise->relative = 0;
        noise->sampling = (s->y - noise->relative * s->x) / s->w;
        if (noise->sampling >= 1)
                return;
        noise->sampling = 1;
        noise->relative = fmax(0, (s->xy - s->x) / s->xx);
}

/* --- Degrees of freedom ----------------------------------------------------------------------------- */

/* The logarithm of the density of the F distribution with n - 1 and `df` degrees of freedom, without terms
 * that do not depend on `df`. */
static double likelihood(const struct row_noise *noise, const struct run_group *g, double df)
{
        double own = (double)(g->n - 1), f = g->variance / expected(noise, g);

        return lgamma((own + df) / 2) - lgamma(df / 2) - own / 2 * log1p(df - 1) -
               (own + df) / 2 * log1p(own * f / df);
}

/* A few rows do not tell by how much rows differ. */
static double freedom_of(const struct row_noise *noise, const struct run_group *const *groups, size_t n,
                         size_t n_points)
{
        static const double all[] = {1, 2, 3, 4, 6, 8, 12, 16};
        double best = 0, best_likelihood = -INFINITY;

        for (size_t i = 0; i < N_ELEMENTS(all) && all[i] <= (double)n_points / 2; i++) {
                double sum = 0;

                for (size_t r = 0; r < n; r++)
                        sum += is_point(groups[r]) ? likelihood(noise, groups[r], all[i]) : 0;
                if (sum > best_likelihood) {
                        best_likelihood = sum;
                        best = all[i];
                }
        }
        return best;
}

struct row_noise row_noise_fit(const struct run_group *const *groups, size_t n)
{
        struct row_noise noise = {.sampling = 1};
        size_t n_points = 0;

        for (size_t i = 0; i < n; i++)
                n_points += is_point(groups[i]);
        if (n_points < 2)
                return (struct row_noise){0};
        for (int round = 0; round < ROUNDS; round++) {
                struct fit_sums sums = {0};

                for (size_t i = 0; i < n; i++) {
                        if (is_point(groups[i]))
                                add_point(&sums, &noise, groups[i]);
                }
                solve(&sums, &noise);
        }
        noise.df = freedom_of(&noise, groups, n, n_points);
        return noise;
}

/* --- Use -------------------------------------------------------------------------------------------- */

void row_noise_settle(const struct row_noise *noise, struct run_group *g)
{
        double own = (double)g->n - 1, prior = expected(noise, g), share, df, shared;

        if (g->n > 1 && noise->df > 0 && prior > 0) {
                share = noise->sampling * g->sampled / prior;
                df = noise->df * share * share;
                /* A row that varies more than others of its size is not like them. */
                df *= g->variance > prior ? prior / g->variance : 1;
                shared = (df * prior + own * g->variance) / (df + own);
                g->df = df + own;
                g->variance = fmax(g->variance, shared);
        }
        g->variance = fmax(g->variance, g->sampled);
}
