/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated runs with a known truth, for tests of comparisons.  The same seed makes the same runs. */
#ifndef RUNS_BUILDER_H
#define RUNS_BUILDER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "run_values.h"

enum { RUNS_MAX_FUNCTIONS = 200 };

struct runs_builder {
        uint64_t state;
        size_t n_functions;
        double n_samples;     /* mean number of samples of a run */
        double dispersion;    /* variance of a count from run to run, in variances of pure sampling; each
                                 function has up to this much */
        double speed_noise;   /* relative deviation of the speed of a whole run */
        bool has_heavy_tails; /* deviations are those of Student's t with 3 degrees of freedom */
        /* in B, this function takes `planted` times as long; 1: no difference */
        size_t planted_function;
        double planted;
};

static inline struct runs_builder runs_builder_of(uint64_t seed)
{
        return (struct runs_builder){
                .state = seed * 2654435761 + 12345,
                .n_functions = 60,
                .n_samples = 5000,
                .dispersion = 1,
                .planted = 1,
        };
}

/* splitmix64, to a number from 0 to 1 */
static inline double runs_random(struct runs_builder *b)
{
        uint64_t x = b->state += 0x9e3779b97f4a7c15;

        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27) * 0x94d049bb133111eb;
        return (double)((x ^ x >> 31) >> 11) / 9007199254740992.0;
}

/* Normal with mean 0 and deviation 1 (Box and Muller). */
static inline double runs_normal(struct runs_builder *b)
{
        double u = runs_random(b), v = runs_random(b);

        return sqrt(-2 * log(u + 1e-300)) * cos(6.283185307179586 * v);
}

/* With mean 0 and deviation 1. */
static inline double runs_deviation(struct runs_builder *b)
{
        double normal = runs_normal(b), squares = 0;

        if (!b->has_heavy_tails)
                return normal;
        for (int i = 0; i < 3; i++)
                squares += pow(runs_normal(b), 2);
        return normal / sqrt(squares);
}

/* Function i has 1 / (i + 1) of the time of function 0, as functions of real programs have about. */
static inline double runs_sum(const struct runs_builder *b)
{
        double sum = 0;

        for (size_t i = 0; i < b->n_functions; i++)
                sum += 1 / (double)(i + 1);
        return sum;
}

static inline void runs_add(struct runs_builder *b, struct run_values *values, enum run_side side,
                            unsigned number)
{
        double speed = 1 + b->speed_noise * runs_deviation(b), sum = runs_sum(b), time = 0;
        uint64_t counts[RUNS_MAX_FUNCTIONS] = {0};
        struct run_event event = {.name = "cpu-clock", .is_time = true};
        char name[32];
        uint32_t e;

        for (size_t i = 0; i < b->n_functions; i++) {
                double mean = b->n_samples * speed / (double)(i + 1) / sum,
                       noise = 1 + (b->dispersion - 1) * (double)(i % 3) / 2;
                double count;

                if (side == RUN_B && i == b->planted_function)
                        mean *= b->planted;
                time += mean;
                count = mean + sqrt(mean * noise) * runs_deviation(b);
                counts[i] = count > 0 ? (uint64_t)(count + 0.5) : 0;
                event.n_samples += counts[i];
        }
        event.weight = event.n_samples * 1000000;
        event.amount = time * 1000000; /* the recorder measures CPU time exactly, whatever the samples */
        snprintf(name, sizeof(name), "%c-%u.data", "ab"[side], number);
        run_values_add_run(values, side, name);
        run_values_set_time(values, RUN_ELAPSED, event.amount * 1.1);
        run_values_set_time(values, RUN_USER, event.amount);
        run_values_set_time(values, RUN_KERNEL, 0);
        e = run_values_add_event(values, &event);
        for (size_t i = 0; i < b->n_functions; i++) {
                snprintf(name, sizeof(name), "f%zu", i);
                if (counts[i])
                        run_values_add(values, e, &(struct run_name){.name = name, .module = "program"},
                                       counts[i], counts[i] * 1000000);
        }
}

static inline struct run_values *runs_make(struct runs_builder *b, unsigned n_a, unsigned n_b)
{
        struct run_values *values = run_values_new();

        for (unsigned i = 0; i < n_a; i++)
                runs_add(b, values, RUN_A, i + 1);
        for (unsigned i = 0; i < n_b; i++)
                runs_add(b, values, RUN_B, i + 1);
        run_values_finish(values);
        return values;
}

#endif
