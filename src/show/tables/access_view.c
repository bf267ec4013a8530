/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of accesses, and their tables as text and CSV. */
#include "access_view.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "access_view_internal.h"
#include "hot_view_internal.h"
#include "text_number.h"
#include "text_printable.h"

enum {
        MAX_LINES = 10, /* pages or cache lines whose functions are shown */
        MAX_USES = 16,  /* rows of one of them */
};

/* --- Columns --- */

#define LEVEL(heading, json, of)                                                                             \
        {                                                                                                    \
                .name = heading, .key = json, .kind = MEASURE_LEVEL, .level = of, .type = COLUMN_FIXED       \
        }

static const struct access_measure measures[] = {
        {"latency", "latency_percent", "the share of the latency of all accesses, in percent", MEASURE_SHARE,
         0, COLUMN_FIXED},
        {"count", "count", "accesses that were sampled", MEASURE_COUNT, 0, COLUMN_U64},
        {"loads", "loads", "how many of them read memory", MEASURE_LOADS, 0, COLUMN_U64},
        {"stores", "stores", "how many of them wrote memory; an atomic operation can do both", MEASURE_STORES,
         0, COLUMN_U64},
        {"p50", "latency_p50_cycles", "half of the accesses took at most that many cycles", MEASURE_P50, 0,
         COLUMN_U64},
        {"p90", "latency_p90_cycles", "90 % of the accesses took at most that many cycles", MEASURE_P90, 0,
         COLUMN_U64},
        {"p99", "latency_p99_cycles", "99 % of the accesses took at most that many cycles", MEASURE_P99, 0,
         COLUMN_U64},
        LEVEL("L1", "l1_percent", ACCESS_L1),
        LEVEL("LFB", "line_fill_buffer_percent", ACCESS_LFB),
        LEVEL("L2", "l2_percent", ACCESS_L2),
        LEVEL("L3", "l3_percent", ACCESS_L3),
        LEVEL("peer", "peer_core_percent", ACCESS_PEER),
        LEVEL("DRAM", "dram_percent", ACCESS_DRAM),
        LEVEL("rem.cache", "remote_cache_percent", ACCESS_REMOTE_CACHE),
        LEVEL("rem.DRAM", "remote_dram_percent", ACCESS_REMOTE_DRAM),
        LEVEL("other", "other_percent", ACCESS_OTHER),
        LEVEL("beyond", "beyond_cache_percent", ACCESS_MISSED),
        LEVEL("unknown", "unknown_percent", ACCESS_UNKNOWN),
        {"walks", "tlb_walk_percent",
         "accesses for which no TLB had the translation, so that the page tables were read, in percent of those whose "
         "use of a TLB was recorded",
         MEASURE_WALKS, 0, COLUMN_FIXED},
        {"threads", "threads", "threads that accessed it", MEASURE_THREADS, 0, COLUMN_U64},
};

static const struct access_key_text keys[] = {
        {ACCESS_BY_LEVEL, "level", "where the data of a load came from, or what is known of a store"},
        {ACCESS_BY_LATENCY, "cycles", "the latency of the accesses, in CPU cycles"},
        {ACCESS_BY_PAGE, "page", "the address of a page of 4 KiB, and its process"},
        {ACCESS_BY_LINE, "line", "the address of a cache line of 64 bytes, and its process"},
        {ACCESS_BY_OBJECT, "object", "the variable that a symbol names, or the kind of memory"},
};

/* Of the code that accessed memory. */
static const char *const code_meanings[ROW_N_KEYS] = {
        [ROW_COMM] = "the name of the thread that accessed memory",
        [ROW_PID] = "the number of its process",
        [ROW_TID] = "the number of the thread",
        [ROW_PROCESS] = "the process, with its number",
        [ROW_THREAD] = "the thread, with its number",
        [ROW_CPU] = "the CPU that executed the instruction",
        [ROW_MODULE] = "the program or library of the instruction",
        [ROW_SYMBOL] = "the function of the instruction that accessed memory",
        [ROW_PYTHON] = "the Python function that ran; without one, native code",
        [ROW_FILE] = "the source file of the Python function that ran; without one, native code",
        [ROW_PACKAGE] = "whose Python code ran: yours, the standard library's or a distribution's",
        [ROW_LINE] = "the source line of the instruction",
        [ROW_ADDR] = "the address of the instruction",
        [ROW_SOURCE] = "what kind of operation it was, and its events",
};

static const char offset_meaning[] =
        "in the lists of functions: bytes from the begin of the cache line, the page or the variable";

static const char sharing_meaning[] =
        "false sharing likely: different threads write different bytes of the line, so that it moves between their "
        "cores; possible: a thread reads bytes beside those that another one writes; shared: threads use the same bytes";

const char *access_view_meaning(const char *column)
{
        for (size_t i = 0; i < N_ELEMENTS(measures); i++) {
                if (!strcmp(column, measures[i].name))
                        return measures[i].kind == MEASURE_LEVEL ? access_level_meaning(measures[i].level)
                                                                 : measures[i].meaning;
        }
        for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
                if (!strcmp(column, keys[i].name))
                        return keys[i].meaning;
        }
        return !strcmp(column, "sharing") ? sharing_meaning : NULL;
}

const struct access_measure *access_view_measures(size_t *ret_n)
{
        *ret_n = N_ELEMENTS(measures);
        return measures;
}

const struct access_key_text *access_view_keys(size_t *ret_n)
{
        *ret_n = N_ELEMENTS(keys);
        return keys;
}

double access_view_value(const struct access_measure *m, const struct access_row *row, bool *ret_known)
{
        *ret_known = true;
        switch (m->kind) {
        case MEASURE_COUNT: return (double)row->count;
        case MEASURE_LOADS: return (double)row->n_loads;
        case MEASURE_STORES: return (double)row->n_stores;
        case MEASURE_THREADS: return row->n_threads;
        case MEASURE_LEVEL:
                *ret_known = row->n_loads;
                return row->n_loads ? 100 * (double)row->by_level[m->level] / (double)row->n_loads : 0;
        case MEASURE_WALKS:
                *ret_known = row->n_tlb;
                return row->n_tlb ? 100 * (double)row->n_walks / (double)row->n_tlb : 0;
        default: *ret_known = row->n_timed; break;
        }
        switch (m->kind) {
        case MEASURE_SHARE: return 100 * row->share;
        case MEASURE_P50: return (double)row->p50;
        case MEASURE_P90: return (double)row->p90;
        default: return (double)row->p99;
        }
}

bool access_view_has(const struct access_view *view, const struct access_measure *measure)
{
        if (measure->kind == MEASURE_LEVEL)
                return !(view->keys & ACCESS_BY_LEVEL);
        return measure->kind != MEASURE_THREADS || view->keys & ACCESS_BY_ADDRESS;
}

static void add_address(const struct access_row *row, struct buf *out)
{
        text_add_hex(out, row->data.addr);
        if (row->data.pid > 0)
                buf_printf(out, " (%" PRId32 ")", row->data.pid);
}

const char *access_view_memory(const struct access_object *object)
{
        static const char *const names[] = {
                [ACCESS_IN_NO_MAP] = "unknown memory",
                [ACCESS_IN_FILE] = "data without a symbol",
                [ACCESS_IN_STACK] = "stack",
                [ACCESS_IN_HEAP] = "heap",
                [ACCESS_IN_MAPPING] = "anonymous memory",
                [ACCESS_IN_KERNEL] = "kernel memory",
        };

        return names[object->memory];
}

static void add_object(const struct access_object *object, struct buf *out)
{
        if (object->name)
                text_add_printable(out, object->name);
        else
                buf_printf(out, "[%s]", access_view_memory(object));
        if (object->module) {
                buf_add_char(out, ':');
                text_add_printable(out, object->module);
        }
        if (object->pid > 0)
                buf_printf(out, " (%" PRId32 ")", object->pid);
}

void access_view_add_key(const struct access_view *view, const struct access_row *row, unsigned key,
                         struct buf *out)
{
        if (key == ACCESS_BY_OBJECT)
                add_object(access_rows_object(view->rows, row->object), out);
        else if (key == ACCESS_BY_LEVEL)
                buf_add_str(out, access_level_name(row->level));
        else if (key != ACCESS_BY_LATENCY)
                add_address(row, out);
        else if (!row->to)
                buf_add_str(out, "not recorded");
        else if (row->to - row->from == 1)
                buf_printf(out, "%" PRIu64, row->from);
        else
                buf_printf(out, "%" PRIu64 "-%" PRIu64, row->from, row->to - 1);
}

const char *access_view_sharing(enum access_sharing sharing)
{
        static const char *const names[] = {"", "shared", "false sharing possible", "false sharing likely"};

        assert((size_t)sharing < N_ELEMENTS(names));
        return names[sharing];
}

/* --- Tables --- */

/* Which columns a table has. */
struct shown {
        struct column columns[ACCESS_VIEW_MAX_COLUMNS];
        const struct access_measure *measures[N_ELEMENTS(measures)];
        size_t n, n_measures;
        bool sharing;
};

/* Without `everything`, a column of which no row has a number is left out. */
static bool has_numbers(const struct access_view *view, const struct access_measure *m, uint32_t event)
{
        uint64_t n_shown = 0;

        for (size_t i = 0; i < access_rows_n(view->rows) && n_shown < view->code.max_rows; i++) {
                const struct access_row *row = access_rows_get(view->rows, i);
                bool is_known;

                if (row->event != event)
                        continue;
                if (access_view_value(m, row, &is_known) > 0 && is_known)
                        return true;
                n_shown++;
        }
        return false;
}

static bool is_any_shared(const struct access_view *view, uint32_t event)
{
        for (size_t i = 0; i < access_rows_n(view->rows); i++) {
                const struct access_row *row = access_rows_get(view->rows, i);

                if (row->event == event && row->sharing)
                        return true;
        }
        return false;
}

static void choose_columns(const struct access_view *view, uint32_t event, bool everything, bool with_event,
                           struct shown *s)
{
        *s = (struct shown){0};
        if (with_event)
                s->columns[s->n++] = (struct column){.name = "event"};
        for (size_t i = 0; i < N_ELEMENTS(measures); i++) {
                const struct access_measure *m = &measures[i];

                if (!access_view_has(view, m) || !(everything || has_numbers(view, m, event)))
                        continue;
                s->measures[s->n_measures++] = m;
                s->columns[s->n++] = (struct column){.name = m->name,
                                                     .key = m->key,
                                                     .type = m->type,
                                                     .decimals = m->type == COLUMN_FIXED,
                                                     .is_share = m->kind == MEASURE_SHARE};
        }
        for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
                if (view->keys & keys[i].key)
                        s->columns[s->n++] = (struct column){.name = keys[i].name};
        }
        s->sharing = view->keys & ACCESS_BY_LINE && (everything || is_any_shared(view, event));
        if (s->sharing)
                s->columns[s->n++] = (struct column){.name = "sharing"};
        for (size_t i = 0; view->by_code && i < view->code.keys.n; i++) {
                if (hot_view_key_name(view->code.keys.order[i]))
                        s->columns[s->n++] = hot_view_key_column(&view->code, view->code.keys.order[i]);
        }
        if (view->by_code && !view->code.keys.n)
                s->columns[s->n++] = hot_view_key_column(&view->code, ROW_SYMBOL);
}

static void add_text_of_key(const struct access_view *view, const struct access_row *row, unsigned key,
                            struct table *table)
{
        AUTO_RELEASE(buf) text = {0};

        access_view_add_key(view, row, key, &text);
        table_add_text(table, buf_text(&text));
}

static void add_cells(const struct access_view *view, const struct access_row *row, const struct shown *s,
                      bool with_event, struct table *table)
{
        if (with_event)
                table_add_text(table, view->events[row->event].name);
        for (size_t i = 0; i < s->n_measures; i++) {
                bool is_known;
                double value = access_view_value(s->measures[i], row, &is_known);

                if (!is_known)
                        table_add_none(table);
                else if (s->measures[i]->type == COLUMN_U64)
                        table_add_u64(table, (uint64_t)value);
                else
                        table_add_fixed(table, value);
        }
        for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
                if (view->keys & keys[i].key)
                        add_text_of_key(view, row, keys[i].key, table);
        }
        if (s->sharing)
                table_add_text(table, access_view_sharing(row->sharing));
        if (view->by_code)
                hot_view_add_key_cells(&view->code, hot_get_row(view->code.hot, row->code), table);
}

static void add_rows(const struct access_view *view, uint32_t event, const struct shown *s, bool with_event,
                     struct table *table)
{
        uint64_t n_shown = 0;

        for (size_t i = 0; i < access_rows_n(view->rows) && n_shown < view->code.max_rows; i++) {
                const struct access_row *row = access_rows_get(view->rows, i);

                if (row->event != event)
                        continue;
                add_cells(view, row, s, with_event, table);
                n_shown++;
        }
}

struct table *access_view_table(const struct access_view *view, uint32_t event, struct column *columns)
{
        struct table *table;
        struct shown s;

        choose_columns(view, event, false, false, &s);
        memcpy(columns, s.columns, s.n * sizeof(*columns));
        table = table_new(columns, s.n);
        add_rows(view, event, &s, false, table);
        return table;
}

/* --- Who touched it --- */

static const struct column use_columns[] = {
        {.name = "offset", .type = COLUMN_HEX},  {.name = "count", .type = COLUMN_U64},
        {.name = "loads", .type = COLUMN_U64},   {.name = "stores", .type = COLUMN_U64},
        {.name = "threads", .type = COLUMN_U64}, {.name = "symbol", .can_cut = true, .is_name = true},
};

static void add_use(const struct access_view *view, const struct access_row *row,
                    const struct access_use *use, struct table *table)
{
        table_add_u64(table, use->offset);
        table_add_u64(table, use->count);
        table_add_u64(table, use->n_loads);
        table_add_u64(table, use->n_stores);
        table_add_u64(table, use->n_threads);
        hot_view_add_name(&view->code, hot_get_row(view->code.hot, use->code), true, table);
}

struct table *access_view_uses_table(const struct access_view *view, const struct access_row *row, size_t max)
{
        struct table *table = table_new(use_columns, N_ELEMENTS(use_columns));

        for (size_t i = 0; i < row->n_uses && i < max; i++)
                add_use(view, row, access_rows_use(view->rows, row->first_use + i), table);
        return table;
}

void access_view_add_uses(const struct access_view *view, const struct access_row *row, struct buf *out)
{
        AUTO(table) table = access_view_uses_table(view, row, MAX_USES);

        if (view->keys & ACCESS_BY_OBJECT) {
                add_object(access_rows_object(view->rows, row->object), out);
        } else {
                buf_add_str(out, view->keys & ACCESS_BY_PAGE ? "page " : "cache line ");
                add_address(row, out);
        }
        if (row->sharing)
                buf_printf(out, ": %s", access_view_sharing(row->sharing));
        buf_add_char(out, '\n');
        table_render_text(table, view->code.max_columns, out);
        if (row->n_uses > MAX_USES)
                buf_printf(out, "and %zu more\n", row->n_uses - MAX_USES);
}

/* --- Text --- */

static const char *noun_of(const struct access_view *view)
{
        if (view->by_code)
                return hot_view_row_noun(&view->code);
        return view->keys & ACCESS_BY_PAGE     ? "pages"
               : view->keys & ACCESS_BY_LINE   ? "cache lines"
               : view->keys & ACCESS_BY_OBJECT ? "objects"
               : view->keys & ACCESS_BY_LEVEL  ? "levels"
                                               : "latencies";
}

static void add_heading(const struct access_view *view, uint32_t event, struct buf *out)
{
        const struct access_view_event *e = &view->events[event];

        buf_add_str(out, "======================== memory accesses: ");
        text_add_printable(out, e->name);
        buf_printf(out,
                   ", %" PRIu64 " loads and %" PRIu64 " stores in %" PRIu64 " samples, top %" PRIu64
                   " %s ========================\n",
                   e->totals.n_loads, e->totals.n_stores, e->totals.n_samples, view->code.max_rows,
                   noun_of(view));
}

/* Whether the code of the uses has the names of functions. */
static bool has_functions(const struct access_view *view)
{
        for (size_t i = 0; i < view->code.keys.n; i++) {
                if (view->code.keys.order[i] == ROW_SYMBOL)
                        return true;
        }
        return !view->code.keys.n;
}

static void add_event(const struct access_view *view, uint32_t event, struct buf *out)
{
        const struct access_view_event *e = &view->events[event];
        AUTO(table) table = NULL;
        struct column columns[ACCESS_VIEW_MAX_COLUMNS];
        unsigned n_lines = 0;

        add_heading(view, event, out);
        table = access_view_table(view, event, columns);
        table_color(table, view->code.is_colored);
        if (view->code.symbol && !table_n_rows(table)) {
                hot_view_add_no_match(view->code.symbol, out);
                return;
        }
        table_render_text(table, view->code.max_columns, out);
        if (e->totals.n_left_out)
                buf_printf(out,
                           "%" PRIu64 " accesses are in no row, because the limit of memory was reached\n",
                           e->totals.n_left_out);
        for (size_t i = 0; has_functions(view) && i < access_rows_n(view->rows) && n_lines < MAX_LINES; i++) {
                const struct access_row *row = access_rows_get(view->rows, i);

                if (row->event != event || !row->n_uses)
                        continue;
                buf_add_char(out, '\n');
                access_view_add_uses(view, row, out);
                n_lines++;
        }
}

static void add_meaning(const char *name, const char *meaning, struct buf *out)
{
        buf_printf(out, "  %-10s %s\n", name, meaning);
}

static void add_code_meanings(const struct access_view *view, struct buf *out)
{
        for (size_t i = 0; i < view->code.keys.n; i++) {
                const enum row_key key = view->code.keys.order[i];

                if (hot_view_key_name(key) && code_meanings[key])
                        add_meaning(hot_view_key_name(key), code_meanings[key], out);
        }
        if (!view->code.keys.n)
                add_meaning(hot_view_key_name(ROW_SYMBOL), code_meanings[ROW_SYMBOL], out);
}

static void add_meanings(const struct access_view *view, struct buf *out)
{
        buf_add_str(out, "\nColumns:\n");
        for (size_t i = 0; i < N_ELEMENTS(measures); i++) {
                const struct access_measure *m = &measures[i];

                if (!access_view_has(view, m))
                        continue;
                if (m->kind != MEASURE_LEVEL)
                        add_meaning(m->name, m->meaning, out);
                else
                        buf_printf(out, "  %-10s percent of the loads: %s\n", m->name,
                                   access_level_meaning(m->level));
        }
        for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
                if (view->keys & keys[i].key)
                        add_meaning(keys[i].name, keys[i].meaning, out);
        }
        if (view->keys & ACCESS_BY_LINE)
                add_meaning("sharing", sharing_meaning, out);
        if (view->by_code)
                add_code_meanings(view, out);
        if (view->keys & ACCESS_BY_ADDRESS && has_functions(view))
                add_meaning("offset", offset_meaning, out);
}

void access_view_text(const struct access_view *view, struct buf *out)
{
        for (uint32_t i = 0; i < view->n_events; i++) {
                if (view->events[i].totals.n_accesses)
                        add_event(view, i, out);
        }
        if (view->mispredicted) {
                buf_add_char(out, '\n');
                branch_view_text(view->mispredicted, out);
        }
        if (view->describe)
                add_meanings(view, out);
}

void access_view_csv(const struct access_view *view, struct buf *out)
{
        bool with_event = view->n_events > 1;
        AUTO(table) table = NULL;
        struct shown s;

        choose_columns(view, 0, true, with_event, &s);
        table = table_new(s.columns, s.n);
        for (uint32_t i = 0; i < view->n_events; i++)
                add_rows(view, i, &s, with_event, table);
        table_render_csv(table, out);
}
