/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of events to count and STAT records for them, made by hand for tests. */
#ifndef COUNT_BUILDER_H
#define COUNT_BUILDER_H

#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "count_list.h"
#include "counts.h"
#include "mem.h"
#include "perf_abi.h"
#include "sheet.h"
#include "text.h"

/* Adds a raw event of the core; its id in records is 100 + its index. */
static struct count_event *builder_event(struct count_list *list, const char *name, uint32_t code)
{
        struct count_event event = {
                .plain = name, .code = (int32_t)code, .kind = COUNT_NO_KIND, .group = COUNT_LOOSE};

        text_copy(event.event.name, sizeof(event.event.name), name);
        snprintf(event.index, sizeof(event.index), "0x%02x", code);
        event.event.attr.type = PERF_TYPE_RAW;
        event.event.attr.config = code;
        event.event.attr.flags = PERF_ATTR_EXCLUDE_KERNEL;
        ARRAY_PUSH(list->items, list->n_items, list->cap_items, event);
        return &list->items[list->n_items - 1];
}

__attribute__((unused)) static void builder_cycle(struct count_list *list)
{
        struct count_event *cycle = builder_event(list, "cycle", 0x11);

        cycle->is_cycle = true;
        cycle->plain = "cpu_cycles";
        text_copy(cycle->index, sizeof(cycle->index), "fixed");
}

/* A metric over the last `n_events` events. */
__attribute__((unused)) static void builder_metric(struct count_list *list, const char *name,
                                                   const char *formula, const char *unit, size_t n_events)
{
        struct count_metric metric = {
                .name = name, .title = name, .formula = formula, .unit = unit, .kind = COUNT_NO_KIND};

        metric.events = arena_alloc(&list->texts, n_events * sizeof(*metric.events));
        for (size_t i = 0; i < n_events; i++) {
                metric.events[i] = list->n_items - n_events + i;
                list->items[metric.events[i]].metric = name;
        }
        metric.n_events = n_events;
        ARRAY_PUSH(list->metrics, list->n_metrics, list->cap_metrics, metric);
}

static void builder_bind(const struct count_list *list, struct counts *counts)
{
        for (size_t i = 0; i < list->n_items; i++) {
                uint64_t id = 100 + i;

                counts_set_event(counts, i, &id, 1);
        }
}

static void builder_stat(struct counts *counts, size_t event, uint32_t cpu, uint64_t value,
                         uint64_t enabled_ns, uint64_t running_ns)
{
        struct record_sink sink = counts_sink(counts);
        struct {
                struct perf_header header;
                uint64_t id;
                uint32_t cpu, thread;
                uint64_t value, enabled_ns, running_ns;
        } stat = {{PERF_RECORD_STAT, 0, sizeof(stat)}, 100 + event, cpu, 0, value, enabled_ns, running_ns};

        sink.put(sink.ctx, &stat, sizeof(stat), NULL);
}

static void builder_round(struct counts *counts, uint64_t time_ns)
{
        struct record_sink sink = counts_sink(counts);
        struct {
                struct perf_header header;
                uint64_t type, time_ns;
        } round = {{PERF_RECORD_STAT_ROUND, 0, sizeof(round)}, 1, time_ns};

        sink.put(sink.ctx, &round, sizeof(round), NULL);
}

/* The sheet of the last round. */
static struct sheet *make_sheet(const struct count_list *list, const struct counts *counts,
                                const struct sheet_runs *runs)
{
        AUTO(metric_values) metrics = metric_values_new(list);

        return sheet_make(list, metrics, counts, runs);
}

#endif
