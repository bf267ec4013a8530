/* SPDX-License-Identifier: BSD-3-Clause */
#include "hot_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "hot_view_internal.h"
#include "text.h"

/* What a row is, for the heading: the finest of the keys. */
static const char *row_noun(unsigned keys)
{
        if (keys & PROFILE_LINE)
                return "lines";
        if (keys & PROFILE_SYMBOL)
                return "functions";
        if (keys & PROFILE_MODULE)
                return "modules";
        if (keys & PROFILE_THREAD)
                return "threads";
        if (keys & PROFILE_PROCESS)
                return "processes";
        return keys & PROFILE_CPU ? "CPUs" : "events";
}

bool hot_view_shows(const struct hot_view *view, const struct hot_row *row)
{
        return !view->symbol || text_match_symbol(view->symbol, hot_text(view->hot, row->bare));
}

static void add_column(struct columns *c, struct column column)
{
        c->list[c->n++] = column;
}

void hot_view_columns(const struct hot_view *view, bool with_event, struct columns *c)
{
        if (with_event)
                add_column(c, (struct column){.name = "event"});
        add_column(c, (struct column){
                              .name = "overhead", .type = COLUMN_FIXED, .decimals = 2, .is_share = true});
        add_column(c, (struct column){.name = "count", .type = COLUMN_U64});
        if (view->verbose)
                add_column(c, (struct column){.name = "95 % interval",
                                              .key = "interval_95",
                                              .right = true,
                                              .is_extra = true});
        if (view->keys & PROFILE_PROCESS)
                add_column(c, (struct column){.name = "process"});
        if (view->keys & PROFILE_THREAD)
                add_column(c, (struct column){.name = "thread"});
        if (view->keys & PROFILE_CPU)
                add_column(c, (struct column){.name = "cpu", .type = COLUMN_U64});
        if ((view->keys & PROFILE_MODULE) && view->keys_are_given)
                add_column(c, (struct column){.name = "module", .can_cut = true});
        if (view->keys & PROFILE_SYMBOL)
                add_column(c, (struct column){.name = "symbol", .can_cut = true});
        if (view->keys & PROFILE_LINE)
                add_column(c, (struct column){.name = "line"});
}

static void add_task_cells(const struct hot_view *view, const struct hot_row *row, struct table *table)
{
        char text[64];
        const char *comm = hot_text(view->hot, row->comm);

        if (view->keys & PROFILE_PROCESS) {
                snprintf(text, sizeof(text), "%s (%" PRId32 ")", comm, row->pid);
                table_add_text(table, text);
        }
        if (view->keys & PROFILE_THREAD) {
                snprintf(text, sizeof(text), "%s (%" PRId32 ")", comm, row->tid);
                table_add_text(table, text);
        }
}

static void add_cells(const struct hot_view *view, const struct hot_row *row, bool with_event,
                      struct table *table)
{
        char interval[32];

        if (with_event)
                table_add_text(table, view->events[row->event].name);
        table_add_fixed(table, 100 * row->share);
        table_add_u64(table, row->count);
        if (view->verbose) {
                snprintf(interval, sizeof(interval), "%.2f-%.2f", 100 * row->low, 100 * row->high);
                table_add_text(table, interval);
        }
        add_task_cells(view, row, table);
        if (view->keys & PROFILE_CPU)
                table_add_u64(table, row->cpu);
        if ((view->keys & PROFILE_MODULE) && view->keys_are_given)
                table_add_text(table, row->module ? hot_text(view->hot, row->module) : "unknown");
        if (view->keys & PROFILE_SYMBOL)
                table_add_text(table, hot_text(view->hot, view->keys_are_given ? row->bare : row->symbol));
        if (view->keys & PROFILE_LINE)
                table_add_text(table, row->line ? hot_text(view->hot, row->line) : "unknown");
}

size_t hot_view_add_rows(const struct hot_view *view, uint32_t event, bool with_event, struct table *table,
                         struct hot_sums *sums)
{
        size_t shown = 0;

        for (size_t i = 0; i < hot_n_rows(view->hot); i++) {
                const struct hot_row *row = hot_get_row(view->hot, i);

                if (row->event != event)
                        continue;
                /* A pattern hides rows; the totals go on counting the top rows, hidden or not. */
                if (sums->n_rows < view->max_rows) {
                        sums->share += row->share;
                        sums->count += row->count;
                        sums->n_rows++;
                }
                if (shown == view->max_rows || !hot_view_shows(view, row))
                        continue;
                add_cells(view, row, with_event, table);
                shown++;
        }
        return shown;
}

static void add_totals(const struct hot_view *view, const struct columns *c, const struct hot_sums *sums,
                       struct table *table)
{
        const char *texts[N_ELEMENTS(c->list)] = {0};
        char share[24], count[24], top[48];

        snprintf(share, sizeof(share), "%.2f%%", 100 * sums->share);
        snprintf(count, sizeof(count), "%" PRIu64, sums->count);
        snprintf(top, sizeof(top), "top %zu in total", sums->n_rows);
        texts[0] = share;
        texts[1] = count;
        texts[c->n > 2 ? c->n - 1 : 1] = c->n > 2 ? top : count;
        table_add_footer(table, texts);
}

/* Under each row of the table WindowsPerf lists its addresses; here they follow the table. */
static void add_pcs(const struct hot_view *view, uint32_t event, struct buf *out)
{
        enum { PCS_A_ROW = 10 };
        size_t shown_rows = 0, of_row = 0;
        uint32_t last = UINT32_MAX;

        for (size_t i = 0; i < hot_n_pcs(view->hot); i++) {
                const struct hot_pc *pc = hot_get_pc(view->hot, i);
                const struct hot_row *row = hot_get_row(view->hot, pc->row);

                if (pc->event != event || !hot_view_shows(view, row))
                        continue;
                if (pc->row != last) {
                        if (shown_rows++ == view->max_rows)
                                return;
                        last = pc->row;
                        of_row = 0;
                        text_add_printable(out, hot_text(view->hot, row->symbol));
                        buf_add_char(out, '\n');
                }
                if (of_row++ < PCS_A_ROW)
                        buf_printf(out, "        pc: 0x%" PRIx64 " %" PRIu64 "\n", pc->addr, pc->count);
        }
}

void hot_view_add_no_match(const char *symbol, struct buf *out)
{
        buf_add_str(out, "no function matches ");
        text_add_printable(out, symbol);
        buf_add_char(out, '\n');
}

static void add_section(const struct hot_view *view, uint32_t event, struct buf *out)
{
        struct columns c = {0};
        struct hot_sums sums = {0};
        AUTO(table) table = NULL;
        size_t shown;

        hot_view_columns(view, false, &c);
        table = table_new(c.list, c.n);
        table_color(table, view->is_colored);
        shown = hot_view_add_rows(view, event, false, table, &sums);
        add_totals(view, &c, &sums, table);
        for (size_t i = 0; i < view->n_annotated; i++) {
                if (view->annotated[i].event == event)
                        annotate_view_windowsperf(&view->annotated[i].view, view->disassemble, out);
        }
        buf_add_str(out, "======================== sample source: ");
        text_add_printable(out, view->events[event].name);
        buf_printf(out, ", top %" PRIu64 " hot %s ========================\n", view->max_rows,
                   row_noun(view->keys));
        if (!shown && view->symbol && sums.n_rows) {
                hot_view_add_no_match(view->symbol, out);
                return;
        }
        table_render_text(table, view->max_columns, out);
        if (view->verbose && (view->keys & PROFILE_SYMBOL))
                add_pcs(view, event, out);
}

static bool only_tracks(const struct hot_view *view, size_t event)
{
        return text_starts(view->events[event].name, "dummy");
}

static size_t first_section(const struct hot_view *view)
{
        size_t first = 0;

        while (first + 1 < view->n_events && only_tracks(view, first))
                first++;
        return first;
}

/* An event that only tracks ("dummy") has no samples by its nature and gets no section beside others. */
bool hot_view_has_section(const struct hot_view *view, size_t event)
{
        bool any = false;

        for (size_t i = 0; i < view->n_events; i++)
                any |= view->events[i].n_samples > 0;
        return view->events[event].n_samples ||
               (any ? !only_tracks(view, event) : event == first_section(view));
}

void hot_view_text(const struct hot_view *view, struct buf *out)
{
        for (size_t i = 0; i < view->n_events; i++) {
                if (hot_view_has_section(view, i))
                        add_section(view, (uint32_t)i, out);
        }
}

void hot_view_csv(const struct hot_view *view, struct buf *out)
{
        bool with_event = view->n_events > 1;
        struct columns c = {0};
        struct hot_sums sums = {0};
        AUTO(table) table = NULL;

        hot_view_columns(view, with_event, &c);
        table = table_new(c.list, c.n);
        for (size_t i = 0; i < view->n_events; i++)
                hot_view_add_rows(view, (uint32_t)i, with_event, table, &sums);
        table_render_csv(table, out);
}
