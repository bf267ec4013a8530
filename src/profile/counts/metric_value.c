/* SPDX-License-Identifier: BSD-3-Clause */
/* Binds each name in a formula to one of the metric's events. */
#include "metric_value.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* A formula and the event in the list for each of its names; SIZE_MAX if no event has the name. */
struct bound_metric {
        struct metric *formula; /* NULL if the metric has none, or if it is malformed */
        size_t *events;
        double *values;
};

struct metric_values {
        const struct count_list *list;
        struct bound_metric *items;
};

static size_t find_event(const struct count_list *list, const struct count_metric *metric, const char *name)
{
        for (size_t i = 0; i < metric->n_events; i++) {
                if (!strcmp(list->items[metric->events[i]].plain, name))
                        return metric->events[i];
        }
        return SIZE_MAX;
}

struct metric_values *metric_values_new(const struct count_list *list)
{
        struct metric_values *metrics = mem_new(1, sizeof(*metrics));

        metrics->list = list;
        metrics->items = mem_new(list->n_metrics, sizeof(*metrics->items));
        for (size_t i = 0; i < list->n_metrics; i++) {
                struct bound_metric *bound = &metrics->items[i];
                size_t n;

                if (!list->metrics[i].formula)
                        continue;
                bound->formula = metric_parse(list->metrics[i].formula, NULL);
                n = bound->formula ? metric_n_names(bound->formula) : 0;
                bound->events = mem_new(n, sizeof(*bound->events));
                bound->values = mem_new(n, sizeof(*bound->values));
                for (size_t k = 0; k < n; k++)
                        bound->events[k] =
                                find_event(list, &list->metrics[i], metric_get_name(bound->formula, k));
        }
        return metrics;
}

void metric_values_free(struct metric_values *metrics)
{
        if (!metrics)
                return;
        for (size_t i = 0; i < metrics->list->n_metrics; i++) {
                metric_free(metrics->items[i].formula);
                free(metrics->items[i].events);
                free(metrics->items[i].values);
        }
        free(metrics->items);
        free(metrics);
}

bool metric_value_get(const struct metric_values *metrics, const struct counts *counts, size_t index,
                      uint32_t cpu, enum metric_state *ret_state, double *ret_value)
{
        const struct bound_metric *bound = &metrics->items[index];
        bool is_here = false;

        assert(index < metrics->list->n_metrics);
        if (!bound->formula)
                return false;
        for (size_t i = 0; i < metric_n_names(bound->formula); i++) {
                struct count count = {.state = COUNT_NOT_COUNTED};

                if (bound->events[i] != SIZE_MAX)
                        count = counts_get(counts, bound->events[i], cpu);
                is_here |= count.state == COUNT_COUNTED || count.reason;
                bound->values[i] = count.state == COUNT_COUNTED ? (double)count.scaled : NAN;
        }
        if (is_here)
                *ret_state = metric_evaluate(bound->formula, bound->values, ret_value);
        return is_here;
}
