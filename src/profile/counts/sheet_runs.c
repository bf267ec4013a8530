/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics over runs: the scaled value of each event and the value of each metric, on each CPU; for events
 * also over all CPUs. */
#include <stdlib.h>

#include "count_stats.h"
#include "map.h"
#include "mem.h"
#include "sheet_internal.h"

struct sheet_runs {
        const struct count_list *list;
        const struct metric_values *metrics;
        struct map events, of_metrics; /* index << 32 | cpu to index of stats + 1 */
        struct count_stats *stats;
        size_t n_stats, cap_stats;
};

struct sheet_runs *sheet_runs_new(const struct count_list *list, const struct metric_values *metrics)
{
        struct sheet_runs *runs = mem_new(1, sizeof(*runs));

        runs->list = list;
        runs->metrics = metrics;
        return runs;
}

void sheet_runs_free(struct sheet_runs *runs)
{
        if (!runs)
                return;
        map_release(&runs->events);
        map_release(&runs->of_metrics);
        free(runs->stats);
        free(runs);
}

static void add(struct sheet_runs *runs, struct map *map, size_t index, uint32_t cpu, double value)
{
        uint64_t *slot = map_put(map, (uint64_t)index << 32 | cpu, NULL);

        if (!*slot) {
                ARRAY_PUSH(runs->stats, runs->n_stats, runs->cap_stats, (struct count_stats){0});
                *slot = runs->n_stats;
        }
        count_stats_add(&runs->stats[*slot - 1], value);
}

static void add_events(struct sheet_runs *runs, const struct counts *counts, uint32_t cpu)
{
        for (size_t i = 0; i < runs->list->n_items; i++) {
                struct count count =
                        cpu == SHEET_ALL_CPUS ? counts_sum(counts, i) : counts_get(counts, i, cpu);

                if (count.state == COUNT_COUNTED)
                        add(runs, &runs->events, i, cpu, (double)count.scaled);
        }
}

void sheet_runs_add(struct sheet_runs *runs, const struct counts *counts)
{
        for (size_t c = 0; c < counts_n_cpus(counts); c++) {
                uint32_t cpu = counts_get_cpu(counts, c);

                add_events(runs, counts, cpu);
                for (size_t i = 0; i < runs->list->n_metrics; i++) {
                        enum metric_state state;
                        double value;

                        if (metric_value_get(runs->metrics, counts, i, cpu, &state, &value) &&
                            state == METRIC_OK)
                                add(runs, &runs->of_metrics, i, cpu, value);
                }
        }
        add_events(runs, counts, SHEET_ALL_CPUS);
}

static const struct count_stats *find(const struct sheet_runs *runs, const struct map *map, size_t index,
                                      uint32_t cpu)
{
        const uint64_t *slot = runs ? map_find(map, (uint64_t)index << 32 | cpu) : NULL;

        return slot ? &runs->stats[*slot - 1] : NULL;
}

const struct count_stats *sheet_runs_event(const struct sheet_runs *runs, size_t event, uint32_t cpu)
{
        return runs ? find(runs, &runs->events, event, cpu) : NULL;
}

const struct count_stats *sheet_runs_metric(const struct sheet_runs *runs, size_t metric, uint32_t cpu)
{
        return runs ? find(runs, &runs->of_metrics, metric, cpu) : NULL;
}
