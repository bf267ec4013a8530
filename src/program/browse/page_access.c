/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to memory: functions by their latency, and cache lines with the functions and threads that use
 * them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access_view.h"
#include "browser_internal.h"
#include "mem.h"
#include "page_text.h"

enum { NARROW_COLUMNS = 76 };

/* One way of grouping. */
struct access_list {
        struct access_rows *rows;
        struct access_view view;
        const struct access_row **items; /* those of the event */
        size_t n;
};

struct access_page {
        struct page page;
        struct access_list functions, lines;
        bool shows_lines;
};

static struct access_page *own(const struct page *page)
{
        return (struct access_page *)page;
}

static struct access_list *list_of(struct access_page *p)
{
        return p->shows_lines ? &p->lines : &p->functions;
}

static void fill(const struct browser *browser, struct access_list *list, unsigned keys)
{
        size_t n;

        list->rows = report_access_rows(browser->report, keys, 0, false, NULL);
        list->view = (struct access_view){
                .rows = list->rows,
                .keys = keys,
                .by_code = !keys,
                .code = {.hot = access_rows_hot(list->rows), .max_rows = UINT64_MAX},
        };
        n = access_rows_n(list->rows);
        list->items = mem_new(n, sizeof(*list->items));
        for (size_t i = 0; i < n; i++) {
                const struct access_row *row = access_rows_get(list->rows, i);

                if (row->event == browser->event)
                        list->items[list->n++] = row;
        }
}

static void list_release(struct access_list *list)
{
        access_rows_free(list->rows);
        free(list->items);
}

static const struct hot_row *function_at(const struct access_page *p, size_t index)
{
        return hot_get_row(p->functions.view.code.hot, p->functions.items[index]->code);
}

static const char *name_of(const struct access_page *p, size_t index)
{
        return hot_text(p->functions.view.code.hot, function_at(p, index)->symbol);
}

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        const struct access_totals totals = accesses_totals(browser->report->accesses, browser->event);

        buf_printf(out, "%s by latency of %" PRIu64 " loads and %" PRIu64 " stores",
                   own(page)->shows_lines ? "cache lines" : "functions", totals.n_loads, totals.n_stores);
}

/* The share of loads whose data came from beyond the core's own caches. */
static void add_far(const struct access_row *row, struct buf *out)
{
        uint64_t near = row->by_level[ACCESS_L1] + row->by_level[ACCESS_LFB] + row->by_level[ACCESS_L2] +
                        row->by_level[ACCESS_UNKNOWN];

        if (row->n_loads)
                buf_printf(out, " %6.1f", browser_percent(row->n_loads - near, row->n_loads));
        else
                buf_printf(out, " %6s", "");
}

/* A narrow terminal has no room for all columns beside the name. */
static bool is_narrow(const struct browser *browser)
{
        return browser->cells->columns < NARROW_COLUMNS;
}

static void add_cycles(const struct access_row *row, uint64_t cycles, struct buf *out)
{
        if (row->n_timed)
                buf_printf(out, " %5" PRIu64, cycles);
        else
                buf_printf(out, " %5s", "");
}

/* Lines have less room, because their sharing follows the address; their loads and stores are on the page
 * of each line. */
static void add_numbers(const struct access_row *row, bool is_narrow, bool is_line, struct buf *out)
{
        buf_printf(out, "%8.2f", 100 * row->share);
        if (!is_narrow && !is_line)
                buf_printf(out, " %7" PRIu64 " %7" PRIu64, row->n_loads, row->n_stores);
        add_cycles(row, row->p50, out);
        if (is_narrow)
                return;
        if (!is_line)
                add_cycles(row, row->p90, out);
        add_cycles(row, row->p99, out);
        add_far(row, out);
}

static void add_line(const struct access_page *p, size_t index, struct buf *out)
{
        const struct access_row *row = p->lines.items[index];

        buf_printf(out, "%7" PRIu32 "  ", row->n_threads);
        access_view_add_key(&p->lines.view, row, ACCESS_BY_LINE, out);
        if (row->sharing)
                buf_printf(out, "  %s", access_view_sharing(row->sharing));
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned at)
{
        struct access_page *p = own(page);
        const struct access_row *row = list_of(p)->items[index];
        AUTO_RELEASE(buf) numbers = {0};
        AUTO_RELEASE(buf) text = {0};
        unsigned column;

        add_numbers(row, is_narrow(browser), p->shows_lines, &numbers);
        if (p->shows_lines)
                add_line(p, index, &text);
        else
                buf_printf(&text, "  %s", name_of(p, index));
        column = cells_put(browser->cells, at, 0, browser->cells->columns, browser_heat(100 * row->share),
                           buf_text(&numbers));
        cells_put(browser->cells, at, column, browser->cells->columns, (struct cell_style){0},
                  buf_text(&text));
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        static const char *const heads[2][2] = {
                {"  % lat.   loads  stores   p50   p90   p99  % far  function", "  % lat.   p50  function"},
                {"  % lat.   p50   p99  % far threads  cache line", "  % lat.   p50 threads  cache line"},
        };

        browser_head(browser, from, heads[own(page)->shows_lines][is_narrow(browser)]);
        page_draw_rows(browser, page, from + 1, to);
}

static void toggle(struct browser *browser, struct access_page *p)
{
        p->shows_lines = !p->shows_lines;
        if (p->shows_lines && !p->lines.rows)
                fill(browser, &p->lines, ACCESS_BY_LINE);
        p->page.list = (struct browse_list){.n = list_of(p)->n, .takes_j_k = true};
}

/* --- Who uses a cache line --- */

static const struct page_kind uses_kind = {
        .keys = "? help  q quit  Esc back  / search",
        .add_title = text_page_add_title,
        .draw = page_draw_rows,
        .draw_row = text_page_draw_row,
        .key = text_page_key,
        .matches = text_page_matches,
        .free = text_page_free,
};

static void show_uses(struct browser *browser, const struct access_page *p)
{
        struct text_page *text = mem_new(1, sizeof(*text));

        text_page_begin(text, &uses_kind, "functions and threads of a cache line");
        access_view_add_uses(&p->lines.view, p->lines.items[p->page.list.at], &text->text);
        text_page_split(text);
        browser_push(browser, &text->page);
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct access_page *p = own(page);

        if (browse_list_key(&p->page.list, key, page->first_row))
                return true;
        if (key->kind == KEY_CHAR && key->code == 'c') {
                toggle(browser, p);
                return true;
        }
        if (!p->shows_lines || !p->page.list.n || (key->kind != KEY_ENTER && key->kind != KEY_RIGHT))
                return false;
        show_uses(browser, p);
        return true;
}

static size_t subjects_of(const struct page *page, struct browser_subject *ret, size_t max)
{
        const struct access_page *p = own(page);
        const struct hot *hot = p->functions.view.code.hot;
        const struct hot_row *row;

        if (p->shows_lines || !p->page.list.n || !max)
                return 0;
        row = function_at(p, p->page.list.at);
        *ret = (struct browser_subject){.name = hot_text(hot, row->bare),
                                        .module = hot_text(hot, row->module)};
        return 1;
}

static bool matches(const struct browser *browser, const struct page *page, size_t index)
{
        struct access_page *p = own(page);
        AUTO_RELEASE(buf) text = {0};

        if (!p->shows_lines)
                return browser_matches(browser, name_of(p, index));
        add_line(p, index, &text);
        return browser_matches(browser, buf_text(&text));
}

static void release(struct page *page)
{
        struct access_page *p = own(page);

        list_release(&p->functions);
        list_release(&p->lines);
        free(p);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Enter menu  c cache lines or functions  a code with latency  Esc back  / search",
        .add_title = add_title,
        .draw = draw,
        .draw_row = draw_row,
        .key = on_key,
        .matches = matches,
        .subjects = subjects_of,
        .free = release,
};

struct page *page_access_new(struct browser *browser)
{
        struct access_page *p;

        if (!browser->report->accesses ||
            !accesses_totals(browser->report->accesses, browser->event).n_accesses) {
                browser_say(browser, "the samples of this event do not say what they did to memory");
                return NULL;
        }
        p = mem_new(1, sizeof(*p));
        p->page.kind = &kind;
        p->page.list.takes_j_k = true;
        fill(browser, &p->functions, 0);
        p->page.list.n = p->functions.n;
        return &p->page;
}
