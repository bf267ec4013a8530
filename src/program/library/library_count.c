/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting: one count, copied out of the tables that it makes. */
#include <stdlib.h>
#include <string.h>

#include "count_run.h"
#include "library_internal.h"
#include "mem.h"

struct wperf_counts {
        struct wperf_count *items;
        size_t n_items, cap_items;
        struct wperf_metric *metrics;
        size_t n_metrics, cap_metrics;
        struct wperf_ending ending;
        struct arena texts;
};

static const char *keep(wperf_counts *counts, const char *text)
{
        return text ? arena_copy(&counts->texts, text, strlen(text)) : "";
}

static int64_t number_of(const struct sheet_table *table)
{
        bool is_one =
                table->kind == SHEET_UNIT || (table->kind == SHEET_CPU && table->number != COUNTS_NO_CPU);

        return is_one ? (int64_t)table->number : -1;
}

static void add_table(wperf_counts *counts, const struct sheet_table *table)
{
        for (size_t i = 0; i < table->n_rows; i++) {
                const struct sheet_row *r = &table->rows[i];

                ARRAY_PUSH(counts->items, counts->n_items, counts->cap_items,
                           (struct wperf_count){
                                   .table = count_class_name(table->class),
                                   .number = number_of(table),
                                   .event = keep(counts, r->name),
                                   .index = keep(counts, r->index),
                                   .note = keep(counts, r->note),
                                   .unit = keep(counts, r->unit),
                                   .value = r->value,
                                   .scaled = r->scaled,
                                   .enabled_ns = r->enabled_ns,
                                   .running_ns = r->running_ns,
                                   .not_counted = keep(counts, r->not_counted),
                           });
        }
}

static bool take_result(void *ctx, const struct count_result *result, struct err *err)
{
        wperf_counts *counts = ctx;

        for (size_t i = 0; i < result->sheet->n_tables; i++)
                add_table(counts, &result->sheet->tables[i]);
        for (size_t i = 0; i < result->sheet->n_metrics; i++) {
                const struct sheet_metric *m = &result->sheet->metrics[i];

                ARRAY_PUSH(counts->metrics, counts->n_metrics, counts->cap_metrics,
                           (struct wperf_metric){
                                   .cpu = m->cpu == COUNTS_NO_CPU ? -1 : (int64_t)m->cpu,
                                   .product = keep(counts, m->product),
                                   .name = keep(counts, m->name),
                                   .unit = keep(counts, m->unit),
                                   .has_value = m->has_value,
                                   .value = m->value,
                           });
        }
        counts->ending.elapsed_ns = result->elapsed_ns;
        return true;
}

static bool fill(const struct wperf_count_request *given, wperf_counts *counts, struct count_run_request *ret,
                 struct err *err)
{
        struct wperf_count_request request;
        struct wperf_target target;

        if (!library_take_request(&request, sizeof(request), given, err) ||
            !library_take_target(request.target, &target, &ret->target, err))
                return false;
        ret->choice.events = request.events;
        ret->choice.metrics = request.metrics;
        ret->choice.kernel = target.kernel;
        ret->choice.dmc = UINT32_MAX;
        ret->timeout_ns = target.timeout_ns;
        ret->keeps_signals = true;
        ret->result = take_result;
        ret->ctx = counts;
        return true;
}

wperf_counts *wperf_count(const struct wperf_count_request *request, struct wperf_error *error)
{
        wperf_counts *ret = mem_new(1, sizeof(*ret));
        struct count_run_request run = {0};
        struct count_run_facts facts = {0};
        enum run_failure failure;
        struct err err = {0};

        library_begin_measurement();
        if (!fill(request, ret, &run, &err) || !count_run(&run, &facts, &failure, &err)) {
                wperf_counts_free(ret);
                library_fail(&err, error);
                return NULL;
        }
        ret->ending.stopped = facts.stopped_by_us;
        ret->ending.has_status = facts.has_status;
        ret->ending.exit_status = facts.exit_status;
        return ret;
}

void wperf_counts_free(wperf_counts *handle)
{
        if (!handle)
                return;
        free(handle->items);
        free(handle->metrics);
        arena_release(&handle->texts);
        free(handle);
}

struct wperf_ending wperf_counts_ending(const wperf_counts *handle)
{
        return handle->ending;
}

size_t wperf_counts_count(const wperf_counts *handle)
{
        return handle->n_items;
}

int wperf_counts_get(const wperf_counts *handle, size_t index, struct wperf_count *count)
{
        if (index >= handle->n_items)
                return 0;
        *count = handle->items[index];
        return 1;
}

size_t wperf_counts_metric_count(const wperf_counts *handle)
{
        return handle->n_metrics;
}

int wperf_counts_metric(const wperf_counts *handle, size_t index, struct wperf_metric *metric)
{
        if (index >= handle->n_metrics)
                return 0;
        *metric = handle->metrics[index];
        return 1;
}
