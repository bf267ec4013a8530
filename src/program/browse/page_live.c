/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a running measurement. */
#include <stdlib.h>
#include <string.h>

#include "live_browser_internal.h"
#include "mem.h"

struct live_page {
        struct page page;
        struct live_browser *live;
        uint32_t *rows; /* indexes of the rows that are shown */
};

static struct live_page *own(const struct page *page)
{
        return (struct live_page *)page;
}

static const struct live_rows *all_rows(const struct live_page *p)
{
        return p->live->table ? &p->live->table->kinds[p->live->kind] : NULL;
}

static const struct live_row *row_at(const struct live_page *p, size_t index)
{
        return &all_rows(p)->items[p->rows[index]];
}

/* --- rows --- */

static bool is_shown(const struct browser *browser, const struct live_page *p, const struct live_row *row)
{
        if (!live_row_is_shown(row))
                return false;
        if (p->live->only_python && p->live->kind == LIVE_FUNCTIONS && !row->is_python)
                return false;
        return !browser->search.len || browser_matches(browser, row->name) ||
               browser_matches(browser, row->module) || browser_matches(browser, row->file);
}

static enum live_order order_of(const struct live_browser *live)
{
        if (live->has_order)
                return live->order;
        return live->table->has_python || live->table->wall_since.shown || live->kind != LIVE_FUNCTIONS
                       ? LIVE_BY_TOTAL
                       : LIVE_BY_SELF;
}

static void fill(const struct browser *browser, struct live_page *p)
{
        const struct live_rows *rows = all_rows(p);

        free(p->rows);
        p->rows = NULL;
        p->page.list.n = 0;
        if (!rows)
                return;
        live_table_sort(p->live->table, p->live->kind, order_of(p->live));
        p->rows = mem_new(rows->n, sizeof(*p->rows));
        for (size_t i = 0; i < rows->n; i++) {
                if (is_shown(browser, p, &rows->items[i]))
                        p->rows[p->page.list.n++] = (uint32_t)i;
        }
        if (p->page.list.at >= p->page.list.n)
                p->page.list.at = p->page.list.n ? p->page.list.n - 1 : 0;
}

/* The selected row stays selected if the user moved to it; the first one stays the first. */
void page_live_take(struct browser *browser, struct page *page, struct live_table *table)
{
        struct live_page *p = own(page);
        AUTO(live_table) before = p->live->table;
        const struct live_row *selected = page->list.at && page->list.n ? row_at(p, page->list.at) : NULL;

        (void)before; /* the selected row is its */
        p->live->table = table;
        fill(browser, p);
        for (size_t i = 0; selected && i < page->list.n; i++) {
                if (live_row_is_same(row_at(p, i), selected)) {
                        page->list.at = i;
                        return;
                }
        }
}

/* --- drawing --- */

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        const struct live_browser *live = own(page)->live;

        (void)browser;
        if (live->table)
                live_view_add_facts(&live->view, out);
        else
                buf_add_str(out, "looking up names");
}

static struct live_view view_for(const struct browser *browser, const struct live_browser *live)
{
        struct live_view view = live->view;

        view.kind = live->kind;
        view.max_columns = browser->cells->columns;
        return view;
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned at)
{
        const struct live_page *p = own(page);
        const struct live_row *row = row_at(p, index);
        const struct live_view view = view_for(browser, p->live);
        AUTO_RELEASE(buf) text = {0};

        live_view_add_row(&view, row, &text);
        cells_put(browser->cells, at, 0, browser->cells->columns, (struct cell_style){0}, buf_text(&text));
        cells_restyle(browser->cells, at, 0, (unsigned)live_view_shares_width(&view),
                      browser_heat(live_view_share(&view, row)));
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        const struct live_browser *live = own(page)->live;
        const struct live_view view = view_for(browser, live);
        AUTO_RELEASE(buf) columns = {0};
        unsigned n = 0;

        if (!live->table)
                return;
        fill(browser, own(page));
        for (; n < live_view_n_sums(&view); n++) {
                AUTO_RELEASE(buf) sums = {0};

                live_view_add_sums(&view, n, &sums);
                if (browser->search.len && n + 1 == live_view_n_sums(&view))
                        buf_printf(&sums, "  filter: %s", buf_text(&browser->search));
                cells_put(browser->cells, from + n, 0, browser->cells->columns, (struct cell_style){0},
                          buf_text(&sums));
        }
        live_view_add_columns(&view, &columns);
        browser_head(browser, from + n, buf_text(&columns));
        page_draw_rows(browser, page, from + n + 1, to);
}

/* --- keys --- */

static void next_kind(struct browser *browser, struct live_page *p)
{
        p->live->kind = (enum live_kind)((p->live->kind + 1) % LIVE_N_KINDS);
        p->page.list.at = p->page.list.top = 0;
        browser_say(browser, "by %s", live_view_kind_text(p->live->kind));
}

static void next_order(struct browser *browser, struct live_browser *live)
{
        static const char *const words[] = {[LIVE_BY_TOTAL] = "total time now",
                                            [LIVE_BY_SELF] = "self time now",
                                            [LIVE_BY_SINCE] = "total time since the start"};

        live->order = (enum live_order)((order_of(live) + 1) % N_ELEMENTS(words));
        live->has_order = true;
        browser_say(browser, "sorted by %s", words[live->order]);
}

static void only_python(struct browser *browser, struct live_browser *live)
{
        live->only_python = !live->only_python;
        browser_say(browser, live->only_python ? "Python functions only" : "Python and native functions");
}

static void keep(struct browser *browser, const struct live_browser *live)
{
        const char *path = live->request->keep_path;
        struct err err = {0};

        browser_say_now(browser, "writing the session ...");
        if (live_run_keep(live->request->run, path, &err))
                browser_say(browser, "kept as %s; wperf report -i %s shows it", path, path);
        else
                browser_say(browser, "%s", err.text);
}

/* Selects what the page of the kept session shall show. */
static void open_session(struct browser *browser, struct live_page *p, uint32_t key)
{
        struct live_browser *live = p->live;
        const struct live_row *row = p->page.list.n ? row_at(p, p->page.list.at) : NULL;
        bool has_function = row && !row->is_rest && live->kind == LIVE_FUNCTIONS;
        bool has_task = row && !row->is_rest && (live->kind == LIVE_THREADS || live->kind == LIVE_PROCESSES);
        struct browser_subject subject = {.module = ""};

        if (strchr("marx", (int)key) && !has_function && !(has_task && key == 'm')) {
                browser_say(browser, "this row has no function");
                return;
        }
        if (has_function) {
                subject.name = row->is_python && !row->states ? row->label : row->name;
                subject.module = row->module;
                subject.python = row->is_python ? row->name : NULL;
        } else if (has_task) {
                subject.comm = row->name;
                subject.has_pid = true;
                subject.pid = row->pid;
                subject.has_tid = live->kind == LIVE_THREADS;
                subject.tid = row->tid;
        }
        live->subject = browser_subject_copy(&subject, &live->subject_texts);
        live->opening = key;
        browser->is_ending = true;
}

static bool on_letter(struct browser *browser, struct live_page *p, uint32_t code)
{
        struct live_browser *live = p->live;

        switch (code) {
        case 'F':
                live->is_frozen = !live->is_frozen;
                browser_say(browser, live->is_frozen ? "frozen; press F to continue" : "continued");
                break;
        case 'z': live->is_to_zero = true; break; /* by the thread that adds up */
        case 'W': keep(browser, live); break;
        case 'p': only_python(browser, live); break;
        case 't': next_kind(browser, p); break;
        case 's': next_order(browser, live); break;
        case 'm':
        case 'a':
        case 'r':
        case 'x':
        case 'g':
        case 'G':
        case 'f':
        case 'i': open_session(browser, p, code); break;
        default: return false;
        }
        return true;
}

/* Takes the answer to whether the command shall end; false if this was not asked. */
static bool answer(struct browser *browser, struct live_browser *live, const struct key *key)
{
        if (!live->asks)
                return false;
        live->asks = false;
        live->is_confirmed = key->kind == KEY_CHAR && (key->code == 'y' || key->code == 'q');
        browser->is_ending = live->is_confirmed;
        return true;
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct live_page *p = own(page);

        if (answer(browser, p->live, key))
                return true;
        if (!p->live->table)
                return false;
        if (browse_list_key(&page->list, key, page->first_row))
                return true;
        if (key->kind == KEY_ENTER || key->kind == KEY_RIGHT)
                return on_letter(browser, p, 'm');
        return key->kind == KEY_CHAR && on_letter(browser, p, key->code);
}

/* Typing a search filters the rows. */
static bool find(struct browser *browser, struct page *page, bool again, bool back)
{
        (void)again;
        (void)back;
        fill(browser, own(page));
        return page->list.n;
}

static void release(struct page *page)
{
        free(own(page)->rows);
        free(page);
}

static const struct page_kind kind = {
        .keys = "Enter menu  r callers  a lines  p Python  t threads  F freeze  W keep  z zero  / filter  q quit  ? help",
        .add_title = add_title,
        .draw = draw,
        .draw_row = draw_row,
        .key = on_key,
        .find = find,
        .free = release,
};

struct page *page_live_new(struct live_browser *live)
{
        struct live_page *p = mem_new(1, sizeof(*p));

        p->page.kind = &kind;
        p->live = live;
        return &p->page;
}
