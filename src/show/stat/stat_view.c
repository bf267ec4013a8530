/* SPDX-License-Identifier: BSD-3-Clause */
/* The text form: a heading and a table for each CPU and unit, metrics, elapsed time, notes, quality. */
#include "stat_view.h"

#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "stat_view_internal.h"
#include "text_printable.h"

static void add_heading(const struct stat_view *view, const struct sheet_table *table, struct buf *out)
{
        const struct sheet *sheet = view->sheet;

        if (table->kind == SHEET_SYSTEM || table->kind == SHEET_ALL_UNITS) {
                buf_add_str(out, "\nSystem-wide Overall:\n\n");
                return;
        }
        buf_add_str(out, "\nPerformance counter stats for ");
        if (table->class == COUNT_DSU)
                buf_printf(out, "DSU cluster %" PRIu32, table->number);
        else if (table->kind == SHEET_UNIT)
                buf_printf(out, "PMU %s", table->pmu);
        else if (table->number == COUNTS_NO_CPU)
                text_add_printable(out, view->subject);
        else
                buf_printf(out, "core %" PRIu32, table->number);
        buf_add_str(out, sheet->multiplexed[table->class] ? ", multiplexed" : ", no multiplexing");
        if (table->class == COUNT_CORE) {
                buf_printf(out, ", kernel mode %s", sheet->kernel ? "included" : "excluded");
                if (view->vendor)
                        buf_printf(out, ", on %s core implementation", view->vendor);
        }
        if (view->n_runs > 1)
                buf_printf(out, ", mean of %u runs", view->n_runs);
        buf_add_str(out,
                    ":\nnote: 'e' - normal event, 'gN' - grouped event with group number N, metric name will "
                    "be appended if 'e' or 'g' comes from it\n\n");
}

static void render(struct stat_table *made, struct buf *out)
{
        table_render_text(made->table, 0, out);
        stat_table_release(made);
}

static bool is_dmc(const struct sheet_table *table)
{
        return table->class == COUNT_DMC_CLK || table->class == COUNT_DMC_CLKDIV2;
}

void stat_view_tables(const struct stat_view *view, struct buf *out)
{
        const struct sheet *sheet = view->sheet;
        struct stat_table made;
        bool has_dmc = false;

        for (size_t i = 0; i < sheet->n_tables; i++) {
                const struct sheet_table *table = &sheet->tables[i];

                has_dmc |= is_dmc(table);
                if (is_dmc(table))
                        continue;
                add_heading(view, table, out);
                stat_table_init(&made, view, table, true);
                render(&made, out);
        }
        if (has_dmc) {
                buf_add_str(out, "\nPerformance counter stats for DMC:\n\n");
                stat_table_init_dmc(&made, view);
                render(&made, out);
        }
}

static void add_metrics(const struct stat_view *view, struct buf *out)
{
        struct stat_table made;

        if (view->sheet->n_metrics) {
                buf_add_str(out, "\nTelemetry Solution Metrics:\n");
                stat_table_init_metrics(&made, view);
                render(&made, out);
        }
        if (view->sheet->n_l3) {
                buf_add_str(out, "\nL3 cache metrics:\n");
                stat_table_init_l3(&made, view);
                render(&made, out);
        }
        if (view->sheet->n_ddr) {
                buf_add_str(out, "\nddr metrics:\n");
                stat_table_init_ddr(&made, view);
                render(&made, out);
        }
}

static void add_times(const struct stat_view *view, struct buf *out)
{
        buf_printf(out, "\n%20.3f seconds time elapsed", (double)view->elapsed_ns / 1e9);
        if (view->n_runs > 1 && view->elapsed_deviation_percent >= 0)
                buf_printf(out, " (stddev %.2f %%)", view->elapsed_deviation_percent);
        buf_add_char(out, '\n');
        if (view->off_ns)
                buf_printf(out, "%20.3f seconds of that with the counters off\n", (double)view->off_ns / 1e9);
        if (view->user_ns || view->kernel_ns)
                buf_printf(out, "%20.3f seconds user\n%20.3f seconds system\n", (double)view->user_ns / 1e9,
                           (double)view->kernel_ns / 1e9);
}

static bool is_told(const struct sheet_missing *missing, size_t index)
{
        for (size_t i = 0; i < index; i++) {
                if (!strcmp(missing[i].reason, missing[index].reason))
                        return true;
        }
        return false;
}

/* Events with the same reason share one line: "a, b VERBS REASON". */
static void add_missing(const struct sheet_missing *missing, size_t n, const char *of_one,
                        const char *of_several, struct buf *out)
{
        for (size_t i = 0; i < n; i++) {
                size_t n_same = 0;

                if (is_told(missing, i))
                        continue;
                buf_add_str(out, "note: ");
                for (size_t j = i; j < n; j++) {
                        if (strcmp(missing[j].reason, missing[i].reason))
                                continue;
                        buf_add_str(out, n_same++ ? ", " : "");
                        text_add_printable(out, missing[j].name);
                }
                buf_add_str(out, n_same > 1 ? of_several : of_one);
                text_add_printable(out, missing[i].reason);
                buf_add_char(out, '\n');
        }
}

void stat_view_notes(const struct stat_view *view, struct buf *out)
{
        const struct sheet *sheet = view->sheet;

        for (size_t i = 0; i < view->n_notes; i++) {
                buf_add_str(out, "note: ");
                text_add_printable(out, view->notes[i]);
                buf_add_char(out, '\n');
        }
        add_missing(sheet->missing, sheet->n_missing, " is not counted: ", " are not counted: ", out);
        add_missing(sheet->estimates, sheet->n_estimates, " comes from ", " come from ", out);
}

void stat_view_add_quality(const struct sheet *sheet, struct buf *out)
{
        buf_printf(out, "quality: %zu %s, %zu not counted, %zu multiplexed", sheet->n_events,
                   sheet->n_events == 1 ? "event" : "events", sheet->n_missing, sheet->n_multiplexed);
        if (sheet->n_multiplexed)
                buf_printf(out, " (worst counted %.0f %% of the time)", 100 * sheet->worst_share);
        if (sheet->n_estimates)
                buf_printf(out, ", %zu estimated without a counter", sheet->n_estimates);
}

void stat_view_text(const struct stat_view *view, struct buf *out)
{
        stat_view_tables(view, out);
        add_metrics(view, out);
        add_times(view, out);
        stat_view_notes(view, out);
        stat_view_add_quality(view->sheet, out);
        buf_add_char(out, '\n');
}

void stat_view_add_phase(bool counting, bool begins, struct buf *out)
{
        if (begins)
                buf_add_str(out, counting ? "counting ..." : "sleeping ...");
        else
                buf_add_str(out, " done\n");
}

void stat_view_add_events_heading(struct buf *out)
{
        buf_add_str(out, "events to be counted:\n");
}

void stat_view_add_events(const char *class_name, const char *const *names, const int64_t *codes, size_t n,
                          struct buf *out)
{
        if (!n)
                return;
        buf_printf(out, "  %4zu%18s events:", n, class_name);
        for (size_t i = 0; i < n; i++) {
                if (codes[i] >= 0)
                        buf_printf(out, " 0x%04x", (unsigned)codes[i]);
                else
                        buf_printf(out, " %s", names[i]);
        }
        buf_add_char(out, '\n');
}
