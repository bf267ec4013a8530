/* SPDX-License-Identifier: BSD-3-Clause */
#include "hot_view.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "hot_view_internal.h"
#include "search.h"
#include "text.h"
#include "text_number.h"
#include "text_printable.h"

static const char *text(const struct hot_view *view, str_id id)
{
        return hot_text(view->hot, id);
}

static bool has_key(const struct hot_view *view, enum row_key key)
{
        for (size_t i = 0; i < view->keys.n; i++) {
                if (view->keys.order[i] == key)
                        return true;
        }
        return false;
}

/* Named after the most detailed key. */
const char *hot_view_row_noun(const struct hot_view *view)
{
        static const struct {
                enum row_key key;
                const char *noun;
        } nouns[] = {
                {ROW_ADDR, "addresses"},    {ROW_LINE, "lines"},     {ROW_SYMBOL, "functions"},
                {ROW_PYTHON, "functions"},  {ROW_FILE, "files"},     {ROW_PACKAGE, "packages"},
                {ROW_MODULE, "modules"},    {ROW_THREAD, "threads"}, {ROW_TID, "threads"},
                {ROW_PROCESS, "processes"}, {ROW_PID, "processes"},  {ROW_COMM, "commands"},
                {ROW_CPU, "CPUs"},          {ROW_SOURCE, "sources"}, {ROW_MACHINE, "machines"},
                {ROW_STATE, "states"},
        };

        if (!view->keys.n)
                return "functions";
        for (size_t i = 0; i < N_ELEMENTS(nouns); i++) {
                if (has_key(view, nouns[i].key))
                        return nouns[i].noun;
        }
        return "events";
}

/* Whether a pattern chooses the rows; it applies to functions. */
static bool has_pattern(const struct hot_view *view)
{
        return view->symbol && (!view->keys.n || row_keys_bits(&view->keys) & PROFILE_SYMBOL);
}

bool hot_view_hides(const struct hot_view *view, const struct hot_row *row)
{
        return has_pattern(view) && !hot_row_matches(view->hot, row, view->symbol);
}

bool hot_view_has_match(const struct hot_view *view)
{
        for (size_t i = 0; i < hot_n_rows(view->hot); i++) {
                if (!hot_view_hides(view, hot_get_row(view->hot, i)))
                        return true;
        }
        return false;
}

static void add_column(struct columns *c, struct column column)
{
        c->list[c->n++] = column;
}

static const struct column key_columns[ROW_N_KEYS] = {
        [ROW_COMM] = {.name = "comm"},
        [ROW_PID] = {.name = "pid", .type = COLUMN_U64},
        [ROW_TID] = {.name = "tid", .type = COLUMN_U64},
        [ROW_PROCESS] = {.name = "process"},
        [ROW_THREAD] = {.name = "thread"},
        [ROW_CPU] = {.name = "cpu", .type = COLUMN_U64},
        [ROW_MODULE] = {.name = "module", .can_cut = true},
        [ROW_MACHINE] = {.name = "machine"},
        [ROW_SYMBOL] = {.name = "symbol", .can_cut = true, .is_name = true},
        [ROW_PYTHON] = {.name = "python", .can_cut = true},
        [ROW_FILE] = {.name = "file", .can_cut = true},
        [ROW_PACKAGE] = {.name = "package", .can_cut = true},
        [ROW_LINE] = {.name = "line"},
        [ROW_ADDR] = {.name = "addr", .can_cut = true},
        [ROW_SOURCE] = {.name = "source"},
        [ROW_STATE] = {.name = "state"},
};

/* Wall time is shown in seconds: a sample stands for more time than another one. */
static bool is_by_time(const struct hot_view *view)
{
        return view->n_events && view->events[view->n_events - 1].is_wall;
}

static void add_share_columns(const struct hot_view *view, struct columns *c)
{
        c->first_share = c->n;
        add_column(c, (struct column){
                              .name = "overhead", .type = COLUMN_FIXED, .decimals = 2, .is_share = true});
        if (is_by_time(view))
                add_column(c, (struct column){.name = "seconds", .type = COLUMN_FIXED, .decimals = 3});
        else
                add_column(c, (struct column){.name = "count", .type = COLUMN_U64});
        if (view->verbose)
                add_column(c, (struct column){.name = "95 % interval",
                                              .key = "interval_95",
                                              .right = true,
                                              .is_extra = true});
}

struct column hot_view_key_column(const struct hot_view *view, enum row_key key)
{
        assert((size_t)key < N_ELEMENTS(key_columns));

        struct column column = key_columns[key];

        if (column.is_name && view->long_names)
                column.is_name = column.can_cut = false;
        return column;
}

/* Each event has a table of its own, so only CSV needs a column for it. */
void hot_view_columns(const struct hot_view *view, bool with_event, struct columns *c)
{
        if (with_event)
                add_column(c, (struct column){.name = "event"});
        if (!has_key(view, ROW_OVERHEAD))
                add_share_columns(view, c);
        for (size_t i = 0; i < view->keys.n; i++) {
                if (view->keys.order[i] == ROW_OVERHEAD)
                        add_share_columns(view, c);
                else if (view->keys.order[i] != ROW_EVENT)
                        add_column(c, hot_view_key_column(view, (enum row_key)view->keys.order[i]));
        }
        if (!view->keys.n)
                add_column(c, hot_view_key_column(view, ROW_SYMBOL));
}

static void add_share_cells(const struct hot_view *view, const struct hot_row *row, struct table *table)
{
        char interval[32];

        table_add_fixed(table, 100 * row->share);
        if (is_by_time(view))
                table_add_fixed(table, (double)row->weight / 1e9);
        else
                table_add_u64(table, row->count);
        if (!view->verbose)
                return;
        snprintf(interval, sizeof(interval), "%.2f-%.2f", 100 * row->low, 100 * row->high);
        table_add_text(table, interval);
}

static void add_task(const char *name, int32_t id, struct buf *out)
{
        buf_printf(out, "%s (%" PRId32 ")", name, id);
}

/* -1: the process, the thread or the CPU was not recorded. */
static void add_id(int32_t id, struct table *table)
{
        if (id < 0)
                table_add_none(table);
        else
                table_add_u64(table, (uint64_t)id);
}

static void add_id_text(int32_t id, struct buf *out)
{
        if (id >= 0)
                buf_printf(out, "%" PRId32, id);
}

/* Beside the name in the kernel, a thread to which its program gave no other name has only its number. */
static void add_thread(const struct hot_view *view, const struct hot_row *row, struct buf *out)
{
        if (has_key(view, ROW_COMM) && row->thread == row->comm)
                add_id_text(row->tid, out);
        else
                add_task(text(view, row->thread), row->tid, out);
}

/* "0x1139:libm.so.6": an address alone would not say of what. */
static void add_addr(const struct hot_view *view, const struct hot_row *row, struct buf *out)
{
        if (!row->has_addr) {
                buf_add_str(out, "unknown");
                return;
        }
        text_add_hex(out, row->addr);
        if (!*text(view, row->module) || has_key(view, ROW_MODULE))
                return;
        buf_add_char(out, ':');
        buf_add_str(out, text(view, row->module));
}

static void add_known(const char *known, struct buf *out)
{
        buf_add_str(out, *known ? known : "unknown");
}

static void add_python(const struct hot_row *row, const char *known, struct buf *out)
{
        if (row->is_native)
                buf_add_str(out, "[native]");
        else
                add_known(known, out);
}

/* Without a column for the module, only what several modules have is said to be of one. */
static bool wants_module(const struct hot_view *view, const struct hot_row *row)
{
        return row->is_in_several && !has_key(view, ROW_MODULE);
}

const char *hot_view_key_name(enum row_key key)
{
        assert((size_t)key < N_ELEMENTS(key_columns));
        return key_columns[key].name;
}

void hot_view_add_key(const struct hot_view *view, const struct hot_row *row, enum row_key key,
                      struct buf *out)
{
        switch (key) {
        case ROW_COMM: add_known(text(view, row->comm), out); break;
        case ROW_PID: add_id_text(row->pid, out); break;
        case ROW_TID: add_id_text(row->tid, out); break;
        case ROW_PROCESS: add_task(text(view, row->process), row->pid, out); break;
        case ROW_THREAD: add_thread(view, row, out); break;
        case ROW_CPU: add_id_text((int32_t)row->cpu, out); break;
        case ROW_MODULE: add_known(text(view, row->module), out); break;
        case ROW_MACHINE: add_known(hot_machine_text((enum exec_machine)row->machine), out); break;
        case ROW_SYMBOL:
                buf_add_str(out, wants_module(view, row) ? text(view, row->symbol) : text(view, row->bare));
                break;
        case ROW_PYTHON: add_python(row, text(view, row->bare), out); break;
        case ROW_FILE: add_python(row, text(view, row->file), out); break;
        case ROW_PACKAGE: add_python(row, text(view, row->package), out); break;
        case ROW_LINE: add_python(row, text(view, row->line), out); break;
        case ROW_ADDR: add_addr(view, row, out); break;
        case ROW_STATE:
        case ROW_SOURCE: add_known(text(view, row->source), out); break;
        case ROW_OVERHEAD:
        case ROW_EVENT:
        case ROW_N_KEYS: break;
        }
}

void hot_view_add_name(const struct hot_view *view, const struct hot_row *row, bool with_module,
                       struct table *table)
{
        const char *bare = text(view, row->bare), *name = with_module ? text(view, row->symbol) : bare;

        table_add_name(table, name, strlen(name) - strlen(bare));
}

static void add_key_text(const struct hot_view *view, const struct hot_row *row, enum row_key key,
                         struct table *table)
{
        AUTO_RELEASE(buf) shown = {0};

        hot_view_add_key(view, row, key, &shown);
        table_add_text(table, buf_text(&shown));
}

static void add_key_cell(const struct hot_view *view, const struct hot_row *row, enum row_key key,
                         struct table *table)
{
        switch (key) {
        case ROW_PID: add_id(row->pid, table); break;
        case ROW_TID: add_id(row->tid, table); break;
        case ROW_CPU: add_id((int32_t)row->cpu, table); break;
        case ROW_SYMBOL: hot_view_add_name(view, row, wants_module(view, row), table); break;
        case ROW_OVERHEAD: add_share_cells(view, row, table); break;
        case ROW_EVENT:
        case ROW_N_KEYS: break;
        default: add_key_text(view, row, key, table); break;
        }
}

void hot_view_add_key_cells(const struct hot_view *view, const struct hot_row *row, struct table *table)
{
        for (size_t i = 0; i < view->keys.n; i++) {
                if (hot_view_key_name((enum row_key)view->keys.order[i]))
                        add_key_cell(view, row, (enum row_key)view->keys.order[i], table);
        }
        if (!view->keys.n)
                hot_view_add_name(view, row, true, table);
}

static void add_cells(const struct hot_view *view, const struct hot_row *row, bool with_event,
                      struct table *table)
{
        if (with_event)
                table_add_text(table, view->events[row->event].name);
        if (!has_key(view, ROW_OVERHEAD))
                add_share_cells(view, row, table);
        for (size_t i = 0; i < view->keys.n; i++)
                add_key_cell(view, row, (enum row_key)view->keys.order[i], table);
        if (!view->keys.n)
                hot_view_add_name(view, row, true, table);
}

size_t hot_view_first_row(const struct hot_view *view, uint32_t event)
{
        size_t low = 0, high = hot_n_rows(view->hot);

        SEARCH_FIRST(low, high, middle, hot_get_row(view->hot, middle)->event < event);
        return low;
}

size_t hot_view_first_pc(const struct hot_view *view, uint32_t event)
{
        size_t low = 0, high = hot_n_pcs(view->hot);

        assert(event < view->n_events);
        SEARCH_FIRST(low, high, middle, hot_get_pc(view->hot, middle)->event < event);
        return low;
}

size_t hot_view_add_rows(const struct hot_view *view, uint32_t event, bool with_event, struct table *table,
                         struct hot_sums *sums)
{
        size_t shown = 0;

        assert(event < view->n_events);
        for (size_t i = hot_view_first_row(view, event); i < hot_n_rows(view->hot); i++) {
                const struct hot_row *row = hot_get_row(view->hot, i);

                if (row->event != event)
                        break;
                /* A pattern hides rows; the totals still include the hidden rows among the first max_rows. */
                if (sums->n_rows < view->max_rows) {
                        sums->share += row->share;
                        sums->count += row->count;
                        sums->weight += row->weight;
                        sums->n_rows++;
                }
                if (shown == view->max_rows || hot_view_hides(view, row))
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
        char share[24], count[24], top[64];

        snprintf(share, sizeof(share), "%.2f%%", 100 * sums->share);
        if (is_by_time(view))
                snprintf(count, sizeof(count), "%.3f", (double)sums->weight / 1e9);
        else
                snprintf(count, sizeof(count), "%" PRIu64, sums->count);
        snprintf(top, sizeof(top), "top %zu in total%s", sums->n_rows,
                 view->explains_total && has_pattern(view) ? ", of all functions" : "");
        texts[c->first_share] = share;
        texts[c->first_share + 1] = count;
        if (!texts[c->n - 1])
                texts[c->n - 1] = top;
        else if (c->first_share)
                texts[c->first_share - 1] = top;
        table_add_footer(table, texts);
}

/* WindowsPerf lists the addresses of a row below it; here they follow the table. */
static void add_pcs(const struct hot_view *view, uint32_t event, struct buf *out)
{
        enum { PCS_A_ROW = 10 };
        size_t shown_rows = 0, n;

        for (size_t i = hot_view_first_pc(view, event); i < hot_n_pcs(view->hot); i += n) {
                const struct hot_pc *pc = hot_get_pc(view->hot, i);
                const struct hot_row *row = hot_get_row(view->hot, pc->row);

                if (pc->event != event)
                        break;
                hot_pcs_of_row(view->hot, pc->row, &n);
                if (hot_view_hides(view, row))
                        continue;
                if (shown_rows++ == view->max_rows)
                        return;
                text_add_printable(out, text(view, row->symbol));
                buf_add_char(out, '\n');
                for (size_t k = 0; k < n && k < PCS_A_ROW; k++)
                        buf_printf(out, "        pc: 0x%" PRIx64 " %" PRIu64 "\n", pc[k].addr, pc[k].count);
        }
}

void hot_view_add_no_match(const char *symbol, struct buf *out)
{
        buf_add_str(out, "no function matches ");
        text_add_printable(out, symbol);
        buf_add_char(out, '\n');
}

/* "31 % in x64 emulation, most in foo.dll" */
static void add_emulation(const struct report_event *event, struct buf *out)
{
        const struct {
                const char *name;
                double share;
        } kinds[] = {{"x64", event->emulation.x64}, {"x86", event->emulation.x86}};

        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                if (kinds[i].share <= 0)
                        continue;
                buf_printf(out, kinds[i].share < 0.01 ? "%.2f %% in %s emulation" : "%.0f %% in %s emulation",
                           100 * kinds[i].share, kinds[i].name);
                if (event->emulated_module) {
                        buf_add_str(out, ", most in ");
                        text_add_printable(out, event->emulated_module);
                }
                buf_add_char(out, '\n');
        }
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
                   hot_view_row_noun(view));
        if (!shown && view->symbol && view->events[event].n_samples) {
                hot_view_add_no_match(view->symbol, out);
                return;
        }
        table_render_text(table, view->max_columns, out);
        add_emulation(&view->events[event], out);
        if (view->verbose && (!view->keys.n || has_key(view, ROW_SYMBOL)))
                add_pcs(view, event, out);
}

static bool only_tracks(const struct hot_view *view, size_t event)
{
        return view->events[event].only_tracks;
}

static size_t first_section(const struct hot_view *view)
{
        size_t first = 0;

        while (first + 1 < view->n_events && only_tracks(view, first))
                first++;
        return first;
}

/* An event that only tracks never has samples; its section is left out if there are other events. */
bool hot_view_has_section(const struct hot_view *view, size_t event)
{
        bool any = false;

        assert(event < view->n_events);
        /* wall time is shown instead */
        if (view->events[event].is_waiting || view->events[event].is_in_wall)
                return false;
        if (view->events[event].n_samples || view->events[event].has_sources)
                return view->events[event].n_samples;
        for (size_t i = 0; i < view->n_events; i++)
                any |= view->events[i].n_samples > 0;
        return any ? !only_tracks(view, event) : event == first_section(view);
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
