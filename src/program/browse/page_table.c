/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the rows that `report` prints: functions, or by the keys of --sort. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browser_internal.h"
#include "hot_view.h"
#include "lazy_order.h"
#include "mem.h"
#include "name_text.h"
#include "table.h"
#include "text_width.h"

enum {
        KEYS_COLUMN = 18, /* where the columns of keys begin */
        GAP = 2,
        MIN_COLUMNS = 4,
        MAX_MEASURED = 1000, /* rows that the widths of columns are taken from */
};

struct table_page {
        struct page page;
        struct hot_view view;
        struct lazy_item *rows;      /* of the event */
        struct lazy_order order;     /* of `rows` on the screen */
        struct row_keys keys;        /* the columns */
        struct row_keys orders;      /* what `s` sorts by in turn */
        unsigned at_order;           /* in `orders` */
        unsigned widest[ROW_N_KEYS]; /* width of each column's texts */
        struct buf matched;          /* the text that was searched last */
};

static struct table_page *own(const struct page *page)
{
        return (struct table_page *)page;
}

/* --- the order of rows --- */

static int by_number(uint64_t a, uint64_t b)
{
        return (a > b) - (a < b);
}

static int by_task(const char *name_a, int32_t id_a, const char *name_b, int32_t id_b)
{
        int order = strcmp(name_a, name_b);

        return order ? order : (id_a > id_b) - (id_a < id_b);
}

static const char *machine_of(const struct hot_row *row)
{
        return hot_machine_text((enum exec_machine)row->machine);
}

static const char *text_of(const struct table_page *p, str_id id)
{
        return hot_text(p->view.hot, id);
}

static int by_text(const struct table_page *p, str_id a, str_id b)
{
        return strcmp(text_of(p, a), text_of(p, b));
}

static int by_key(const struct table_page *p, const struct hot_row *a, const struct hot_row *b,
                  enum row_key key)
{
        switch (key) {
        case ROW_COMM: return by_text(p, a->comm, b->comm);
        case ROW_PID: return by_task("", a->pid, "", b->pid);
        case ROW_TID: return by_task("", a->tid, "", b->tid);
        case ROW_PROCESS: return by_task(text_of(p, a->process), a->pid, text_of(p, b->process), b->pid);
        case ROW_THREAD: return by_task(text_of(p, a->thread), a->tid, text_of(p, b->thread), b->tid);
        case ROW_CPU: return by_number(a->cpu, b->cpu);
        case ROW_MODULE: return by_text(p, a->module, b->module);
        case ROW_MACHINE: return strcmp(machine_of(a), machine_of(b));
        case ROW_SYMBOL:
        case ROW_PYTHON: return by_text(p, a->bare, b->bare);
        case ROW_FILE: return by_text(p, a->file, b->file);
        case ROW_PACKAGE: return by_text(p, a->package, b->package);
        case ROW_LINE: return by_text(p, a->line, b->line);
        case ROW_ADDR: return by_number(a->addr, b->addr);
        case ROW_STATE:
        case ROW_SOURCE: return by_text(p, a->source, b->source);
        case ROW_EVENT:
        case ROW_OVERHEAD:
        case ROW_N_KEYS: break;
        }
        return 0;
}

static enum row_key order_of(const struct table_page *p)
{
        return (enum row_key)p->orders.order[p->at_order];
}

/* Rows with equal keys keep the order of the view, which is that of shares. */
static int by_order(uint32_t a, uint32_t b, const void *ctx)
{
        const struct table_page *p = ctx;

        return by_key(p, hot_get_row(p->view.hot, a), hot_get_row(p->view.hot, b), order_of(p));
}

/* The beginning of what by_key() compares, as a number. */
static uint64_t number_of(const struct table_page *p, const struct hot_row *row, enum row_key key)
{
        switch (key) {
        case ROW_COMM: return lazy_order_text_key(text_of(p, row->comm));
        case ROW_THREAD: return lazy_order_text_key(text_of(p, row->thread));
        case ROW_PROCESS: return lazy_order_text_key(text_of(p, row->process));
        case ROW_PID: return (uint64_t)((int64_t)row->pid - INT32_MIN);
        case ROW_TID: return (uint64_t)((int64_t)row->tid - INT32_MIN);
        case ROW_CPU: return row->cpu;
        case ROW_MODULE: return lazy_order_text_key(text_of(p, row->module));
        case ROW_MACHINE: return lazy_order_text_key(machine_of(row));
        case ROW_SYMBOL:
        case ROW_PYTHON: return lazy_order_text_key(text_of(p, row->bare));
        case ROW_FILE: return lazy_order_text_key(text_of(p, row->file));
        case ROW_PACKAGE: return lazy_order_text_key(text_of(p, row->package));
        case ROW_LINE: return lazy_order_text_key(text_of(p, row->line));
        case ROW_ADDR: return row->addr;
        case ROW_STATE:
        case ROW_SOURCE: return lazy_order_text_key(text_of(p, row->source));
        case ROW_EVENT:
        case ROW_OVERHEAD:
        case ROW_N_KEYS: break;
        }
        return 0;
}

static const struct hot_row *row_at(struct table_page *p, size_t place)
{
        return hot_get_row(p->view.hot, lazy_order_get(&p->order, place));
}

static void measure(struct table_page *p, size_t n)
{
        for (size_t k = 0; k < p->keys.n; k++) {
                enum row_key key = (enum row_key)p->keys.order[k];

                p->widest[key] = (unsigned)strlen(hot_view_key_name(key));
                for (size_t i = 0; i < n && i < MAX_MEASURED; i++) {
                        AUTO_RELEASE(buf) text = {0};
                        unsigned width;

                        hot_view_add_key(&p->view, row_at(p, i), key, &text);
                        width = (unsigned)text_width(buf_text(&text));
                        p->widest[key] = width > p->widest[key] ? width : p->widest[key];
                }
        }
}

static void fill(const struct browser *browser, struct table_page *p)
{
        enum row_key order = order_of(p);
        size_t n = 0;

        for (size_t i = 0; i < hot_n_rows(p->view.hot); i++) {
                const struct hot_row *row = hot_get_row(p->view.hot, i);

                if (row->event == browser->event && !hot_view_hides(&p->view, row))
                        p->rows[n++] = (struct lazy_item){number_of(p, row, order), (uint32_t)i};
        }
        lazy_order_begin(&p->order, p->rows, n, order == ROW_OVERHEAD, by_order, p);
        measure(p, n);
        p->page.list.n = n;
}

/* --- drawing --- */

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        const struct table_page *p = own(page);
        const char *order = hot_view_key_name(order_of(p));

        (void)browser;
        if (page->list.n == 1)
                buf_printf(out, "1 %s by ", p->view.keys.n ? "row" : "function");
        else
                buf_printf(out, "%zu %s by ", page->list.n, hot_view_row_noun(&p->view));
        buf_add_str(out, order ? order : "overhead");
}

static bool is_number(enum row_key key)
{
        return key == ROW_PID || key == ROW_TID || key == ROW_CPU;
}

/* The columns of a key at place `k`, of `room` that are left for it and those behind it. */
static unsigned width_of(const struct table_page *p, size_t k, unsigned room)
{
        unsigned width = p->widest[p->keys.order[k]], others = 0;

        if (k + 1 == p->keys.n)
                return is_number((enum row_key)p->keys.order[k]) && width < room ? width : room;
        for (size_t i = k + 1; i < p->keys.n; i++)
                others += p->widest[p->keys.order[i]] + GAP;
        if (width + others > room)
                others = room / (unsigned)(p->keys.n - k) * (unsigned)(p->keys.n - k - 1);
        if (width + others > room)
                width = room > others + MIN_COLUMNS + GAP ? room - others - GAP : MIN_COLUMNS;
        return width;
}

static const char *name_of(const struct page *page, size_t index)
{
        return text_of(own(page), row_at(own(page), index)->bare);
}

/* Where both do not fit, the name goes before the module. */
static void add_symbol(const struct table_page *p, const struct hot_row *row, unsigned width, struct buf *out)
{
        AUTO_RELEASE(buf) whole = {0};

        name_text_add(&whole, text_of(p, row->symbol), NULL, 0);
        buf_add_str(out, text_of(p, text_width(buf_text(&whole)) > width ? row->bare : row->symbol));
}

/* Draws the texts of all columns: of the row at `index`, or the headings if `row` is NULL. */
static void draw_keys(const struct browser *browser, const struct table_page *p, const struct hot_row *row,
                      size_t index, unsigned at)
{
        unsigned column = KEYS_COLUMN;
        const struct cell_style style = {.attributes = row ? 0 : CELL_BOLD};

        for (size_t k = 0; k < p->keys.n && column < browser->cells->columns; k++) {
                enum row_key key = (enum row_key)p->keys.order[k];
                unsigned width = width_of(p, k, browser->cells->columns - column), used;
                AUTO_RELEASE(buf) text = {0};
                AUTO_RELEASE(buf) shown = {0};

                if (!row)
                        buf_add_str(&text, hot_view_key_name(key));
                else if (!p->view.keys.n)
                        add_symbol(p, row, width, &text);
                else
                        hot_view_add_key(&p->view, row, key, &text);
                if (row && key == ROW_SYMBOL)
                        name_text_add(&shown, buf_text(&text),
                                      page_find_twin(&p->page, index, width, name_of), width);
                else
                        table_add_middle(&shown, buf_text(&text), width);
                used = (unsigned)text_width(buf_text(&shown));
                cells_put(browser->cells, at, column + (is_number(key) && used < width ? width - used : 0),
                          width, style, buf_text(&shown));
                column += width + GAP;
        }
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned at)
{
        const struct hot_row *row = row_at(own(page), index);
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&text, "%8.2f %7" PRIu64, 100 * row->share, row->count);
        cells_put(browser->cells, at, 0, KEYS_COLUMN, browser_heat(100 * row->share), buf_text(&text));
        draw_keys(browser, own(page), row, index, at);
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        browser_head(browser, from, "overhead   count");
        draw_keys(browser, own(page), NULL, 0, from);
        page_draw_rows(browser, page, from + 1, to);
        page_draw_no_match(browser, page, from + 2, to);
}

/* --- keys --- */

/* The thread or process that the keys tell of, the most precise one. */
static void set_task(const struct table_page *p, const struct hot_row *row, struct browser_subject *ret)
{
        for (size_t i = 0; i < p->keys.n; i++) {
                enum row_key key = (enum row_key)p->keys.order[i];

                if ((key == ROW_TID || key == ROW_THREAD) && row->tid >= 0) {
                        ret->has_tid = true;
                        ret->tid = row->tid;
                } else if ((key == ROW_PID || key == ROW_PROCESS) && row->pid >= 0) {
                        ret->has_pid = true;
                        ret->pid = row->pid;
                }
                /* A filter takes a list of names between commas. */
                if (key == ROW_COMM && !strchr(text_of(p, row->comm), ','))
                        ret->comm = text_of(p, row->comm);
                else if (key == ROW_THREAD)
                        ret->comm = text_of(p, row->thread);
                else if (key == ROW_PROCESS)
                        ret->comm = text_of(p, row->process);
        }
        if (ret->comm && !*ret->comm)
                ret->comm = NULL;
}

static size_t subjects_of(const struct page *page, struct browser_subject *ret, size_t max)
{
        struct table_page *p = own(page);
        const struct hot_row *row;

        if (!p->page.list.n || !max)
                return 0;
        row = row_at(p, p->page.list.at);
        *ret = (struct browser_subject){.module = text_of(p, row->module)};
        set_task(p, row, ret);
        for (size_t i = 0; i < p->keys.n; i++) {
                if (p->keys.order[i] == ROW_SYMBOL) {
                        ret->name = text_of(p, row->bare);
                } else if (p->keys.order[i] == ROW_PYTHON && !row->is_native) {
                        ret->name = ret->python = text_of(p, row->bare);
                        ret->module = "";
                }
        }
        return 1;
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct table_page *p = own(page);

        if (browse_list_key(&p->page.list, key, page->first_row))
                return true;
        if (key->kind == KEY_CHAR && key->code == 's') {
                p->at_order = (p->at_order + 1) % p->orders.n;
                fill(browser, p);
                return true;
        }
        return false;
}

static bool matches(const struct browser *browser, const struct page *page, size_t index)
{
        struct table_page *p = own(page);
        const struct hot_row *row = row_at(p, index);

        if (!p->view.keys.n)
                return browser_matches(browser, text_of(p, row->symbol));
        for (size_t i = 0; i < p->keys.n; i++) {
                buf_clear(&p->matched);
                hot_view_add_key(&p->view, row, (enum row_key)p->keys.order[i], &p->matched);
                if (browser_matches(browser, buf_text(&p->matched)))
                        return true;
        }
        return false;
}

static void make(const struct browser *browser, struct table_page *p)
{
        p->view.hot = browser_rows(browser)->hot;
        p->rows = mem_new(hot_n_rows(p->view.hot), sizeof(*p->rows));
        fill(browser, p);
}

/* Another report of the same samples has the same rows. */
static void renew(struct browser *browser, struct page *page)
{
        struct table_page *p = own(page);

        free(p->rows);
        make(browser, p);
}

static void release(struct page *page)
{
        struct table_page *p = own(page);

        lazy_order_release(&p->order);
        buf_release(&p->matched);
        free(p->rows);
        free(p);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Enter menu  a code  r callers  g tree  f flame graph  s sort  / search",
        .add_title = add_title,
        .draw = draw,
        .draw_row = draw_row,
        .key = on_key,
        .matches = matches,
        .subjects = subjects_of,
        .renew = renew,
        .free = release,
};

static void set_keys(struct table_page *p, const struct row_keys *keys)
{
        p->view.keys = *keys;
        row_keys_add(&p->orders, ROW_OVERHEAD);
        for (size_t i = 0; i < keys->n; i++) {
                if (hot_view_key_name((enum row_key)keys->order[i]))
                        row_keys_add(&p->keys, (enum row_key)keys->order[i]);
        }
        for (size_t i = 0; i < p->keys.n; i++)
                row_keys_add(&p->orders, (enum row_key)p->keys.order[i]);
        if (keys->n)
                return;
        row_keys_add(&p->keys, ROW_SYMBOL);
        row_keys_add(&p->orders, ROW_SYMBOL);
        row_keys_add(&p->orders, ROW_MODULE);
}

struct page *page_table_new(struct browser *browser)
{
        struct table_page *p = mem_new(1, sizeof(*p));

        p->page.kind = &kind;
        p->view.symbol = page_pattern(browser);
        set_keys(p, &browser->request->keys);
        make(browser, p);
        return &p->page;
}
