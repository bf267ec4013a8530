/* SPDX-License-Identifier: BSD-3-Clause */
#include "comparison_totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "run_pairs.h"

/* The value of a run; negative: not known. */
typedef double run_total_fn(const struct run_values *values, size_t run, const void *what);

static double elapsed_of(const struct run_values *v, size_t run, const void *what)
{
        (void)what;
        return run_values_time(v, run, RUN_ELAPSED);
}

static double user_of(const struct run_values *v, size_t run, const void *what)
{
        (void)what;
        return run_values_time(v, run, RUN_USER);
}

static double kernel_of(const struct run_values *v, size_t run, const void *what)
{
        (void)what;
        return run_values_time(v, run, RUN_KERNEL);
}

static double cpu_of(const struct run_values *v, size_t run, const void *what)
{
        double user = user_of(v, run, what), kernel = kernel_of(v, run, what);

        return user < 0 || kernel < 0 ? -1 : user + kernel;
}

static double event_of(const struct run_values *v, size_t run, const void *what)
{
        const uint32_t *number = what;
        const struct run_event *event = run_values_event(v, run, *number);

        if (event && event->is_counted)
                return event->amount;
        return event && !event->is_time && event->n_samples ? (double)event->weight : -1;
}

struct event_ratio {
        uint32_t over, under;
};

static double ratio_of(const struct run_values *v, size_t run, const void *what)
{
        const struct event_ratio *ratio = what;
        double over = event_of(v, run, &ratio->over), under = event_of(v, run, &ratio->under);

        return over < 0 || under <= 0 ? -1 : over / under;
}

static double covariance_of(const double *values, size_t n_a, const size_t *partners)
{
        double *b = mem_new(n_a, sizeof(*b)), covariance;

        for (size_t i = 0; i < n_a; i++)
                b[i] = values[partners[i]];
        covariance = run_pairs_covariance(values, b, n_a);
        free(b);
        return covariance;
}

static void add_total(struct comparison *c, const struct run_values *v, struct compared_total total,
                      run_total_fn *of, const void *what)
{
        size_t n = run_values_n_all_runs(v), n_a = run_values_n_runs(v, RUN_A);
        double *values = mem_new(n, sizeof(*values));
        bool is_known = true, is_any = false;

        for (size_t r = 0; r < n; r++) {
                values[r] = of(v, r, what);
                is_known &= values[r] >= 0;
                is_any |= values[r] > 0;
        }
        if (is_known && is_any) {
                total.value = (struct compared){
                        .a = welch_group_of(values, n_a, 0),
                        .b = welch_group_of(values + n_a, n - n_a, 0),
                        .q = 1,
                        .covariance = c->partners ? covariance_of(values, n_a, c->partners) : 0,
                        .smallest = INFINITY,
                };
                ARRAY_PUSH(c->totals, c->n_totals, c->cap_totals, total);
        }
        free(values);
}

/* cycles, cpu_core/cycles/u, cycles:u */
static bool is_event(const char *name, const char *wanted)
{
        const char *slash = strchr(name, '/');
        size_t len = strlen(wanted);

        if (slash)
                name = slash + 1;
        return !strncmp(name, wanted, len) && (!name[len] || strchr(":/", name[len]));
}

static bool find_event(const struct run_values *v, const char *wanted, uint32_t *ret)
{
        for (uint32_t i = 0; i < run_values_n_events(v); i++) {
                if (is_event(run_values_event_name(v, i), wanted)) {
                        *ret = i;
                        return true;
                }
        }
        return false;
}

void comparison_add_totals(struct comparison *c, const struct run_values *v)
{
        struct event_ratio ipc;

        c->partners = run_pairs_make(v);
        add_total(c, v, (struct compared_total){.name = "CPU time", .key = "cpu"}, cpu_of, NULL);
        add_total(c, v, (struct compared_total){.name = "elapsed", .key = "elapsed"}, elapsed_of, NULL);
        add_total(c, v, (struct compared_total){.name = "CPU time, user", .key = "user"}, user_of, NULL);
        add_total(c, v, (struct compared_total){.name = "CPU time, kernel", .key = "kernel"}, kernel_of,
                  NULL);
        for (uint32_t i = 0; i < run_values_n_events(v); i++) {
                const char *name = run_values_event_name(v, i);

                add_total(c, v,
                          (struct compared_total){.name = name,
                                                  .key = name,
                                                  .unit = run_values_event_is_time(v, i) ? COMPARED_NS
                                                                                         : COMPARED_COUNT},
                          event_of, &i);
        }
        if (find_event(v, "instructions", &ipc.over) && find_event(v, "cycles", &ipc.under))
                add_total(c, v,
                          (struct compared_total){
                                  .name = "instructions per cycle", .key = "ipc", .unit = COMPARED_RATIO},
                          ratio_of, &ipc);
}
