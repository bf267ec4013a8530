/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON form, with the keys that editors and WPA's plug-in read; what is missing is in `quality`. */
#include <inttypes.h>
#include <stdio.h>

#include "stat_view.h"
#include "stat_view_internal.h"

/* A table of rows as the value of `key`. */
static void add_array(struct json *json, const char *key, struct stat_table *made)
{
        json_key(json, key);
        table_render_json(made->table, false, json);
        stat_table_release(made);
}

static void add_counters(const struct stat_view *view, const struct sheet_table *table, const char *key,
                         struct json *json)
{
        struct stat_table made;

        stat_table_init(&made, view, table, false);
        add_array(json, key, &made);
}

static const struct sheet_table *find(const struct sheet *sheet, enum sheet_kind kind, enum count_class class)
{
        for (size_t i = 0; i < sheet->n_tables; i++) {
                if (sheet->tables[i].kind == kind && sheet->tables[i].class == class)
                        return &sheet->tables[i];
        }
        return NULL;
}

static void add_overall(const struct stat_view *view, enum sheet_kind kind, enum count_class class,
                        struct json *json)
{
        const struct sheet_table *table = find(view->sheet, kind, class);

        json_key(json, "overall");
        json_begin_object(json);
        if (table)
                add_counters(view, table, "Systemwide_Overall_Performance_Counters", json);
        json_end_object(json);
}

static void add_core(const struct stat_view *view, struct json *json)
{
        const struct sheet *sheet = view->sheet;
        struct stat_table made;

        json_key(json, "core");
        json_begin_object(json);
        json_key_bool(json, "Multiplexing", sheet->multiplexed[COUNT_CORE]);
        json_key_bool(json, "Kernel_mode", sheet->kernel);
        json_key(json, "cores");
        json_begin_array(json);
        for (size_t i = 0; i < sheet->n_tables; i++) {
                const struct sheet_table *table = &sheet->tables[i];

                if (table->kind != SHEET_CPU)
                        continue;
                json_begin_object(json);
                /* -1: not a single core; the count follows threads */
                json_key_i64(json, "core_number",
                             table->number == COUNTS_NO_CPU ? -1 : (int64_t)table->number);
                add_counters(view, table, "Performance_counter", json);
                json_end_object(json);
        }
        json_end_array(json);
        add_overall(view, SHEET_SYSTEM, COUNT_CORE, json);
        json_key(json, "ts_metric");
        json_begin_object(json);
        if (sheet->n_metrics) {
                stat_table_init_metrics(&made, view);
                add_array(json, "Telemetry_Solution_Metrics", &made);
        }
        json_end_object(json);
        json_end_object(json);
}

static void add_dsu(const struct stat_view *view, struct json *json)
{
        const struct sheet *sheet = view->sheet;
        struct stat_table made;

        json_key(json, "dsu");
        json_begin_object(json);
        for (size_t i = 0; i < sheet->n_tables; i++) {
                const struct sheet_table *table = &sheet->tables[i];
                char key[16];

                if (table->kind != SHEET_UNIT || table->class != COUNT_DSU)
                        continue;
                snprintf(key, sizeof(key), "%" PRIu32, table->number);
                json_key(json, key);
                json_begin_object(json);
                add_counters(view, table, "Performance_counter", json);
                json_end_object(json);
        }
        json_key(json, "l3metric");
        json_begin_object(json);
        if (sheet->n_l3) {
                stat_table_init_l3(&made, view);
                add_array(json, "L3_Cache_Metrics", &made);
        }
        json_end_object(json);
        add_overall(view, SHEET_ALL_UNITS, COUNT_DSU, json);
        json_end_object(json);
}

static void add_dmc(const struct stat_view *view, struct json *json)
{
        const struct sheet *sheet = view->sheet;
        struct stat_table made;

        json_key(json, "dmc");
        json_begin_object(json);
        json_key(json, "pmu");
        json_begin_object(json);
        if (find(sheet, SHEET_UNIT, COUNT_DMC_CLK) || find(sheet, SHEET_UNIT, COUNT_DMC_CLKDIV2)) {
                stat_table_init_dmc(&made, view);
                add_array(json, "PMU_Performance_Counters", &made);
        }
        json_end_object(json);
        json_key(json, "ddr");
        json_begin_object(json);
        if (sheet->n_ddr) {
                stat_table_init_ddr(&made, view);
                add_array(json, "DDR_Metrics", &made);
        }
        json_end_object(json);
        json_end_object(json);
}

/* Uncore events that WindowsPerf does not have; the key is present only if there are such events. */
static void add_other(const struct stat_view *view, struct json *json)
{
        const struct sheet *sheet = view->sheet;

        if (!find(sheet, SHEET_UNIT, COUNT_OTHER))
                return;
        json_key(json, "uncore");
        json_begin_array(json);
        for (size_t i = 0; i < sheet->n_tables; i++) {
                if (sheet->tables[i].class != COUNT_OTHER)
                        continue;
                json_begin_object(json);
                json_key_str(json, "pmu", sheet->tables[i].pmu);
                add_counters(view, &sheet->tables[i], "Performance_counter", json);
                json_end_object(json);
        }
        json_end_array(json);
}

static void add_list(struct json *json, const char *key, const char *reason_key,
                     const struct sheet_missing *items, size_t n)
{
        json_key(json, key);
        json_begin_array(json);
        for (size_t i = 0; i < n; i++) {
                json_begin_object(json);
                json_key_str(json, "event_name", items[i].name);
                json_key_str(json, reason_key, items[i].reason);
                json_end_object(json);
        }
        json_end_array(json);
}

static void add_quality(const struct stat_view *view, struct json *json)
{
        const struct sheet *sheet = view->sheet;

        json_key(json, "quality");
        json_begin_object(json);
        json_key_bool(json, "poor", sheet_is_poor(sheet));
        json_key_u64(json, "events", sheet->n_events);
        json_key_u64(json, "multiplexed", sheet->n_multiplexed);
        json_key(json, "counted_share");
        json_fixed(json, sheet->worst_share, 4);
        if (view->off_ns) {
                json_key(json, "off_seconds");
                json_fixed(json, (double)view->off_ns / 1e9, 6);
        }
        add_list(json, "not_counted", "reason", sheet->missing, sheet->n_missing);
        add_list(json, "estimated", "source", sheet->estimates, sheet->n_estimates);
        json_key(json, "notes");
        json_begin_array(json);
        for (size_t i = 0; i < view->n_notes; i++)
                json_str(json, view->notes[i]);
        json_end_array(json);
        json_end_object(json);
}

void stat_view_json(const struct stat_view *view, struct json *json)
{
        json_begin_object(json);
        add_core(view, json);
        add_dsu(view, json);
        add_dmc(view, json);
        add_other(view, json);
        json_key(json, "Time_elapsed");
        json_fixed(json, (double)view->elapsed_ns / 1e9, 6);
        if (view->n_runs > 1)
                json_key_u64(json, "runs", view->n_runs);
        if (view->has_exit)
                json_key_i64(json, "target_exit", view->exit_status);
        add_quality(view, json);
        json_end_object(json);
}

void stat_view_json_line(const struct stat_view *view, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        stat_view_json(view, &json);
        buf_add_char(out, '\n');
}
