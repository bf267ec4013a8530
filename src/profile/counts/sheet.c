/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which tables exist, the order of their rows, and the content of the quality line. */
#include "sheet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "sheet_internal.h"
#include "text.h"

static const double POOR_COUNTED_SHARE = 0.5;

struct maker {
        struct sheet *sheet;
        const struct count_list *list;
        const struct counts *counts;
        const struct sheet_runs *runs;
        const struct metric_values *metrics;
};

static const char *keep(struct sheet *sheet, const char *text)
{
        return arena_copy(&sheet->texts, text, strlen(text));
}

/* --- rows --- */

/* In a table over all CPUs, adds the PMU to the name of a cycle counter if there are several kinds of
 * cores. */
static const char *name_of(const struct maker *m, const struct count_event *e, uint32_t cpu)
{
        AUTO_RELEASE(buf) name = {0};

        if (!e->is_cycle || m->list->kinds.n_items < 2 || cpu < SHEET_ALL_CPUS)
                return e->event.name;
        buf_printf(&name, "%s/%s/", e->event.pmu, e->event.name);
        return keep(m->sheet, name.data);
}

static struct sheet_row make_row(const struct maker *m, size_t event, uint32_t cpu, const struct count *count)
{
        const struct count_event *e = &m->list->items[event];
        const struct count_stats *stats = sheet_runs_event(m->runs, event, cpu);
        AUTO_RELEASE(buf) note = {0};
        struct sheet_row row = {
                .index = e->index,
                .unit = perf_attr_is_clock(&e->event.attr) ? "ns" : NULL,
                .value = count->value,
                .scaled = count->scaled,
                .enabled_ns = count->enabled_ns,
                .running_ns = count->running_ns,
                .deviation_percent = -1,
                .not_counted = count->reason,
                .instead = count->state == COUNT_NOT_SUPPORTED ? "<not supported>" : "<not counted>",
        };

        count_event_add_note(e, &note);
        row.note = keep(m->sheet, buf_text(&note));
        row.name = name_of(m, e, cpu);
        if (stats && !count->reason) {
                row.value = row.scaled = (uint64_t)(stats->mean + 0.5);
                row.deviation_percent = count_stats_percent(stats);
        }
        return row;
}

static void add_row(struct sheet_table *table, struct sheet_row row)
{
        /* With several runs only the scaled values are comparable. */
        table->multiplexed |=
                row.running_ns < row.enabled_ns && !row.not_counted && row.deviation_percent < 0;
        ARRAY_PUSH(table->rows, table->n_rows, table->cap_rows, row);
}

/* Drops a table without rows. */
static void add_table(struct maker *m, struct sheet_table table)
{
        struct sheet *sheet = m->sheet;

        if (!table.n_rows) {
                free(table.rows);
                return;
        }
        sheet->multiplexed[table.class] |= table.multiplexed;
        ARRAY_PUSH(sheet->tables, sheet->n_tables, sheet->cap_tables, table);
}

static void add_cpu_tables(struct maker *m)
{
        for (size_t c = 0; c < counts_n_cpus(m->counts); c++) {
                struct sheet_table table = {
                        .kind = SHEET_CPU, .number = counts_get_cpu(m->counts, c), .pmu = ""};

                for (size_t i = 0; i < m->list->n_items; i++) {
                        struct count count = counts_get(m->counts, i, table.number);

                        if (m->list->items[i].class == COUNT_CORE && count.state != COUNT_ELSEWHERE)
                                add_row(&table, make_row(m, i, table.number, &count));
                }
                add_table(m, table);
        }
}

static void add_sum_table(struct maker *m, enum sheet_kind kind, enum count_class class)
{
        struct sheet_table table = {.kind = kind, .class = class, .pmu = ""};

        for (size_t i = 0; i < m->list->n_items; i++) {
                struct count count;

                if (m->list->items[i].class != class)
                        continue;
                count = counts_sum(m->counts, i);
                if (count.state != COUNT_ELSEWHERE)
                        add_row(&table, make_row(m, i, SHEET_ALL_CPUS, &count));
        }
        add_table(m, table);
}

static bool is_of_unit(const struct count_event *e, enum count_class class, const char *pmu)
{
        return e->class == class && !strcmp(e->event.pmu, pmu);
}

static bool has_unit(const struct sheet *sheet, enum count_class class, const char *pmu)
{
        for (size_t i = 0; i < sheet->n_tables; i++) {
                if (sheet->tables[i].kind == SHEET_UNIT && sheet->tables[i].class == class &&
                    !strcmp(sheet->tables[i].pmu, pmu))
                        return true;
        }
        return false;
}

static void add_unit_tables(struct maker *m, enum count_class class)
{
        for (size_t first = 0; first < m->list->n_items; first++) {
                const struct count_event *e = &m->list->items[first];
                struct sheet_table table = {
                        .kind = SHEET_UNIT, .class = class, .number = e->unit, .pmu = e->event.pmu};

                if (e->class != class || has_unit(m->sheet, class, e->event.pmu))
                        continue;
                for (size_t i = first; i < m->list->n_items; i++) {
                        struct count count;

                        if (!is_of_unit(&m->list->items[i], class, e->event.pmu))
                                continue;
                        count = counts_sum(m->counts, i);
                        if (count.state != COUNT_ELSEWHERE)
                                add_row(&table, make_row(m, i, SHEET_ALL_CPUS, &count));
                }
                add_table(m, table);
        }
}

/* Adds up the rows of all units that count the same event. */
static void add_all_units(struct maker *m, enum count_class class)
{
        struct sheet *sheet = m->sheet;
        struct sheet_table all = {.kind = SHEET_ALL_UNITS, .class = class, .pmu = ""};
        size_t n_units = 0;

        for (size_t t = 0; t < sheet->n_tables; t++) {
                const struct sheet_table *unit = &sheet->tables[t];

                if (unit->kind != SHEET_UNIT || unit->class != class)
                        continue;
                for (size_t i = 0; i < unit->n_rows; i++) {
                        if (!n_units) {
                                add_row(&all, unit->rows[i]);
                        } else if (i < all.n_rows && !strcmp(all.rows[i].index, unit->rows[i].index)) {
                                all.rows[i].value += unit->rows[i].value;
                                all.rows[i].scaled += unit->rows[i].scaled;
                                all.rows[i].enabled_ns += unit->rows[i].enabled_ns;
                                all.rows[i].running_ns += unit->rows[i].running_ns;
                        }
                }
                n_units++;
        }
        if (n_units < 2)
                all.n_rows = 0;
        add_table(m, all);
}

static void add_tables(struct maker *m)
{
        add_cpu_tables(m);
        if (counts_n_cpus(m->counts) > 1)
                add_sum_table(m, SHEET_SYSTEM, COUNT_CORE);
        for (int class = COUNT_CORE + 1; class < COUNT_CLASSES; class ++) {
                add_unit_tables(m, (enum count_class) class);
                if (class != COUNT_OTHER)
                        add_all_units(m, (enum count_class) class);
        }
}

/* --- metrics --- */

static int compare_metrics(const void *a, const void *b)
{
        const struct sheet_metric *x = a, *y = b;

        if (x->cpu != y->cpu)
                return x->cpu + 1 < y->cpu + 1 ? -1 : 1;
        return strcmp(x->name, y->name);
}

static const char *product_of(const struct count_list *list, const struct count_metric *metric)
{
        const struct core_kind *kind = metric->kind >= 0 && (size_t)metric->kind < list->kinds.n_items
                                               ? &list->kinds.items[metric->kind]
                                               : NULL;

        return kind && kind->model ? kind->model->id : "";
}

static void add_metric(struct maker *m, size_t index, uint32_t cpu)
{
        const struct count_metric *metric = &m->list->metrics[index];
        const struct count_stats *stats = sheet_runs_metric(m->runs, index, cpu);
        struct sheet_metric value = {
                .cpu = cpu,
                .product = product_of(m->list, metric),
                .name = metric->name,
                .unit = metric->unit ? metric->unit : "",
                .deviation_percent = -1,
        };
        enum metric_state state;

        if (!metric_value_get(m->metrics, m->counts, index, cpu, &state, &value.value))
                return;
        value.has_value = state == METRIC_OK;
        if (stats) {
                value.has_value = true;
                value.value = stats->mean;
                value.deviation_percent = count_stats_percent(stats);
        }
        ARRAY_PUSH(m->sheet->metrics, m->sheet->n_metrics, m->sheet->cap_metrics, value);
}

static void add_metrics(struct maker *m)
{
        for (size_t c = 0; c < counts_n_cpus(m->counts); c++) {
                for (size_t i = 0; i < m->list->n_metrics; i++)
                        add_metric(m, i, counts_get_cpu(m->counts, c));
        }
        if (m->sheet->n_metrics)
                qsort(m->sheet->metrics, m->sheet->n_metrics, sizeof(*m->sheet->metrics), compare_metrics);
}

/* --- the tables of l3_cache and ddr_bw --- */

static struct sheet_traffic traffic_of(const struct maker *m, const struct count_metric *metric,
                                       const char *pmu, uint32_t unit)
{
        struct sheet_traffic t = {.unit = unit, .pmu = pmu, .has_value = true};

        for (size_t i = 0; i < metric->n_events; i++) {
                const struct count_event *e = &m->list->items[metric->events[i]];
                struct count count = counts_sum(m->counts, metric->events[i]);

                if (*pmu && strcmp(e->event.pmu, pmu))
                        continue;
                t.has_value &= count.state == COUNT_COUNTED;
                if (text_ends(e->plain, "l3d_cache_refill"))
                        t.misses += count.scaled;
                else
                        t.accesses += count.scaled;
        }
        return t;
}

static bool is_first_of_unit(const struct maker *m, const struct count_metric *metric, size_t index)
{
        for (size_t i = 0; i < index; i++) {
                if (!strcmp(m->list->items[metric->events[i]].event.pmu,
                            m->list->items[metric->events[index]].event.pmu))
                        return false;
        }
        return true;
}

static void add_traffic(struct maker *m)
{
        struct sheet *sheet = m->sheet;

        for (size_t k = 0; k < m->list->n_metrics; k++) {
                const struct count_metric *metric = &m->list->metrics[k];
                bool l3 = !strcmp(metric->name, "l3_cache");

                if (metric->formula || (!l3 && strcmp(metric->name, "ddr_bw")))
                        continue;
                for (size_t i = 0; i <= metric->n_events; i++) {
                        bool all = i == metric->n_events;
                        const struct count_event *e = all ? NULL : &m->list->items[metric->events[i]];
                        struct sheet_traffic t;

                        if (!all && !is_first_of_unit(m, metric, i))
                                continue;
                        t = traffic_of(m, metric, all ? "" : e->event.pmu, all ? UINT32_MAX : e->unit);
                        t.cpus = all ? NULL : e->unit_cpus;
                        if (l3)
                                ARRAY_PUSH(sheet->l3, sheet->n_l3, sheet->cap_l3, t);
                        else
                                ARRAY_PUSH(sheet->ddr, sheet->n_ddr, sheet->cap_ddr, t);
                }
        }
}

/* --- quality --- */

/* The reason on the first CPU where the event was not counted, else the reason for all CPUs together. */
static const char *reason_of(const struct maker *m, size_t event)
{
        for (size_t c = 0; c < counts_n_cpus(m->counts); c++) {
                struct count count = counts_get(m->counts, event, counts_get_cpu(m->counts, c));

                if (count.reason)
                        return count.reason;
        }
        return counts_sum(m->counts, event).reason;
}

static void add_quality(struct maker *m)
{
        struct sheet *sheet = m->sheet;

        sheet->worst_share = 1;
        for (size_t i = 0; i < m->list->n_items; i++) {
                const struct count_event *e = &m->list->items[i];
                struct sheet_missing missing = {e->event.name, reason_of(m, i)};
                struct count sum = counts_sum(m->counts, i);

                sheet->n_events += !e->is_cycle;
                if (missing.reason) {
                        ARRAY_PUSH(sheet->missing, sheet->n_missing, sheet->cap_missing, missing);
                        continue;
                }
                if (sum.estimate)
                        ARRAY_PUSH(sheet->estimates, sheet->n_estimates, sheet->cap_estimates,
                                   (struct sheet_missing){e->event.name, sum.estimate});
                if (sum.running_ns < sum.enabled_ns) {
                        double share = (double)sum.running_ns / (double)sum.enabled_ns;

                        sheet->n_multiplexed++;
                        sheet->worst_share = share < sheet->worst_share ? share : sheet->worst_share;
                }
        }
}

/* Software events always count the kernel, so they only decide if there are no core events. */
static bool counts_kernel(const struct count_list *list)
{
        bool any = false, software = false;

        for (size_t i = 0; i < list->n_items; i++) {
                const struct perf_attr *attr = &list->items[i].event.attr;
                bool kernel = !(attr->flags & PERF_ATTR_EXCLUDE_KERNEL);

                if (attr->type != PERF_TYPE_SOFTWARE && list->items[i].class == COUNT_CORE) {
                        any = true;
                        if (kernel)
                                return true;
                } else {
                        software |= kernel;
                }
        }
        return !any && software;
}

struct sheet *sheet_make(const struct count_list *list, const struct metric_values *metrics,
                         const struct counts *counts, const struct sheet_runs *runs)
{
        struct sheet *sheet = mem_new(1, sizeof(*sheet));
        struct maker m = {sheet, list, counts, runs, metrics};

        add_tables(&m);
        add_metrics(&m);
        add_traffic(&m);
        add_quality(&m);
        sheet->kernel = counts_kernel(list);
        return sheet;
}

void sheet_free(struct sheet *sheet)
{
        if (!sheet)
                return;
        for (size_t i = 0; i < sheet->n_tables; i++)
                free(sheet->tables[i].rows);
        free(sheet->tables);
        free(sheet->metrics);
        free(sheet->l3);
        free(sheet->ddr);
        free(sheet->missing);
        free(sheet->estimates);
        arena_release(&sheet->texts);
        free(sheet);
}

bool sheet_is_poor(const struct sheet *sheet)
{
        return sheet->n_missing || sheet->worst_share < POOR_COUNTED_SHARE;
}
