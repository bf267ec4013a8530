/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of Python functions, as `report` prints it. */
#include <stdlib.h>

#include "browser_internal.h"
#include "mem.h"
#include "name_text.h"

struct python_page {
        struct page page;
        const struct python_function **rows; /* of the event */
        bool by_total;
};

static struct python_page *own(const struct page *page)
{
        return (struct python_page *)page;
}

static int by_total(const void *x, const void *y)
{
        const struct python_function *const *a = x, *const *b = y;

        return ((*a)->weight < (*b)->weight) - ((*a)->weight > (*b)->weight);
}

static void fill(const struct browser *browser, struct python_page *p)
{
        const struct python_rows *rows = browser->report->python;

        p->page.list.n = 0;
        for (size_t i = 0; i < rows->n; i++) {
                if (rows->items[i].event == browser->event)
                        p->rows[p->page.list.n++] = &rows->items[i];
        }
        if (p->by_total && p->page.list.n)
                qsort(p->rows, p->page.list.n, sizeof(*p->rows), by_total);
}

static void add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        (void)browser;
        buf_printf(out, "%zu Python function%s by %s", page->list.n, page->list.n == 1 ? "" : "s",
                   own(page)->by_total ? "total" : "self");
}

static const char *name_of(const struct page *page, size_t row)
{
        return own(page)->rows[row]->label;
}

static void draw_row(struct browser *browser, struct page *page, size_t index, unsigned at)
{
        const struct python_function *row = own(page)->rows[index];
        unsigned column = page_draw_shares(browser, at, row->self_weight, row->self_count, row->weight);
        unsigned columns = browser->cells->columns, room = columns > column ? columns - column : 1;
        AUTO_RELEASE(buf) name = {0};

        name_text_add(&name, row->label, page_find_twin(page, index, room, name_of), room);
        cells_put(browser->cells, at, column, columns, (struct cell_style){0}, buf_text(&name));
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        page_draw_shares_head(browser, from, "Python function");
        page_draw_rows(browser, page, from + 1, to);
}

static bool on_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct python_page *p = own(page);

        if (browse_list_key(&p->page.list, key, page->first_row))
                return true;
        if (key->kind == KEY_CHAR && key->code == 's') {
                p->by_total = !p->by_total;
                fill(browser, p);
                return true;
        }
        return false;
}

static size_t subjects_of(const struct page *page, struct browser_subject *ret, size_t max)
{
        const struct python_page *p = own(page);
        const char *label;

        if (!p->page.list.n || !max)
                return 0;
        label = p->rows[p->page.list.at]->label;
        *ret = (struct browser_subject){.name = label, .module = "", .python = label};
        return 1;
}

static bool matches(const struct browser *browser, const struct page *page, size_t row)
{
        return browser_matches(browser, own(page)->rows[row]->label);
}

static void release(struct page *page)
{
        free(own(page)->rows);
        free(page);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Enter menu  a lines  r callers  g tree  f flame graph  s sort  Esc back  / search",
        .add_title = add_title,
        .draw = draw,
        .draw_row = draw_row,
        .key = on_key,
        .matches = matches,
        .subjects = subjects_of,
        .free = release,
};

struct page *page_python_new(struct browser *browser)
{
        struct python_page *p;

        if (!browser->report->python || !browser->report->python->n) {
                browser_say(browser, "no Python functions; record a Python program with wperf record");
                return NULL;
        }
        p = mem_new(1, sizeof(*p));
        p->page.kind = &kind;
        p->rows = mem_new(browser->report->python->n, sizeof(*p->rows));
        fill(browser, p);
        return &p->page;
}
