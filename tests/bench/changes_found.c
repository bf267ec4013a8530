/* SPDX-License-Identifier: BSD-3-Clause */
/* changes_found [TRIALS]: how many planted changes of one function `wperf diff` finds in simulated runs, and
 * how often it is wrong, beside the arithmetic of other programs on the CPU times of the same runs: pyperf:
 * Student's t-test, two-tailed, 95 % (pyperf/_utils.py); criterion: a bootstrapped test at 5 % whose 95 %
 * interval is also outside of +-1 % (its noise threshold); codspeed: the means differ by more than 10 % (its
 * default threshold). The function has 640 of 3,000 samples a run, beside 59 others; a change of x % is one
 * of 0.21 x % in total. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "runs_builder.h"
#include "student.h"

enum { RESAMPLES = 400, MAX_RUNS = 20 };

struct rates {
        unsigned found, blamed, any_row, total, pyperf, criterion, codspeed;
};

static double cpu_of(const struct run_values *v, size_t run)
{
        return run_values_time(v, run, RUN_USER);
}

static double mean_of(const double *values, size_t n)
{
        double sum = 0;

        for (size_t i = 0; i < n; i++)
                sum += values[i];
        return sum / (double)n;
}

static double squares_of(const double *values, size_t n)
{
        double mean = mean_of(values, n), sum = 0;

        for (size_t i = 0; i < n; i++)
                sum += (values[i] - mean) * (values[i] - mean);
        return sum;
}

/* With one variance for both sides. */
static double pooled_t(const double *a, const double *b, size_t n)
{
        double variance = (squares_of(a, n) + squares_of(b, n)) / (double)(2 * n - 2);

        return (mean_of(b, n) - mean_of(a, n)) / sqrt(variance * 2 / (double)n);
}

static int by_size(const void *x, const void *y)
{
        double a = *(const double *)x, b = *(const double *)y;

        return a < b ? -1 : a > b;
}

static void resample(struct runs_builder *random, const double *from, size_t n, double *ret)
{
        for (size_t i = 0; i < n; i++)
                ret[i] = from[(size_t)(runs_random(random) * (double)n)];
}

static bool is_criterion(struct runs_builder *random, const double *a, const double *b, size_t n)
{
        double both[2 * MAX_RUNS], x[MAX_RUNS], y[MAX_RUNS], changes[RESAMPLES];
        double t = fabs(pooled_t(a, b, n));
        unsigned larger = 0;

        for (size_t i = 0; i < n; i++) {
                both[i] = a[i];
                both[n + i] = b[i];
        }
        for (int i = 0; i < RESAMPLES; i++) {
                double mixed[2 * MAX_RUNS];

                resample(random, both, 2 * n, mixed);
                larger += fabs(pooled_t(mixed, mixed + n, n)) > t;
                resample(random, a, n, x);
                resample(random, b, n, y);
                changes[i] = mean_of(y, n) / mean_of(x, n) - 1;
        }
        qsort(changes, RESAMPLES, sizeof(*changes), by_size);
        return larger < 0.05 * RESAMPLES &&
               (changes[RESAMPLES / 40] > 0.01 || changes[RESAMPLES - 1 - RESAMPLES / 40] < -0.01);
}

static void add_others(struct rates *rates, struct runs_builder *random, const struct run_values *v)
{
        size_t n = run_values_n_runs(v, RUN_A);
        double a[MAX_RUNS], b[MAX_RUNS];

        for (size_t i = 0; i < n; i++) {
                a[i] = cpu_of(v, i);
                b[i] = cpu_of(v, n + i);
        }
        rates->pyperf += student_two_sided(pooled_t(a, b, n), (double)(2 * n - 2)) < 0.05;
        rates->criterion += is_criterion(random, a, b, n);
        rates->codspeed += fabs(mean_of(b, n) / mean_of(a, n) - 1) > 0.1;
}

static void add_trial(struct rates *rates, struct runs_builder *builder, unsigned n_runs)
{
        AUTO(run_values) values = runs_make(builder, n_runs, n_runs);
        AUTO(comparison) c = comparison_new(&(struct comparison_request){values, 0, MEASURE_TIME});
        bool is_any = false;

        for (size_t i = 0; i < c->n_rows; i++) {
                bool is_planted = !strcmp(c->rows[i].name, "f0") && builder->planted > 1;

                if (c->rows[i].amount.verdict < COMPARED_MORE)
                        continue;
                is_any |= !is_planted;
                rates->found += is_planted;
                rates->blamed += !is_planted;
        }
        rates->any_row += is_any;
        rates->total += comparison_total(c, "cpu")->value.verdict >= COMPARED_MORE;
        add_others(rates, builder, values);
}

static double percent(unsigned n, unsigned trials)
{
        return 100.0 * n / trials;
}

static const struct machine {
        const char *name;
        double dispersion, speed_noise;
        bool has_heavy_tails;
} machines[] = {{"quiet", 1, 0.005, false}, {"busy", 3, 0.05, false}, {"heavy tails", 3, 0.05, true}};

static void print_line(const struct machine *machine, unsigned n_runs, double change, unsigned trials)
{
        struct rates r = {0};

        for (unsigned i = 0; i < trials; i++) {
                struct runs_builder builder = runs_builder_of(i * 7919 + n_runs * 31 + (unsigned)change);

                builder.n_samples = 3000;
                builder.dispersion = machine->dispersion;
                builder.speed_noise = machine->speed_noise;
                builder.has_heavy_tails = machine->has_heavy_tails;
                builder.planted = 1 + change / 100;
                add_trial(&r, &builder, n_runs);
        }
        printf("| %s | %u | %.0f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n",
               machine->name, n_runs, change, percent(r.found, trials), percent(r.any_row, trials),
               percent(r.total, trials), percent(r.pyperf, trials), percent(r.criterion, trials),
               percent(r.codspeed, trials));
}

int main(int argc, char **argv)
{
        static const unsigned runs[] = {3, 5, 10};
        static const double changes[] = {0, 3, 5, 10, 30};
        unsigned trials = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;

        printf("| machine | runs | planted | found | wrong rows | CPU time | pyperf | criterion | CodSpeed |\n"
               "|---|---|---|---|---|---|---|---|---|\n");
        for (size_t m = 0; m < N_ELEMENTS(machines); m++) {
                for (size_t n = 0; n < N_ELEMENTS(runs); n++) {
                        for (size_t i = 0; i < N_ELEMENTS(changes); i++)
                                print_line(&machines[m], runs[n], changes[i], trials);
                }
        }
        return 0;
}
