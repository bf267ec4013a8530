/* SPDX-License-Identifier: BSD-3-Clause */
#include "browser_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "name_text.h"
#include "text_printable.h"
#include "text_width.h"

enum {
        TEXT_COLUMNS = 250,
        NARROW_COLUMNS = 60, /* below, names need the room of the number of samples */
        TINY_COLUMNS = 34,   /* below, that of the total, too */
};

void page_draw_rows(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        struct browse_list *list = &page->list;

        assert(page->kind->draw_row);
        page->first_row = from;
        browse_list_fit(list, to > from ? to - from : 0);
        for (unsigned i = 0; i < list->height && list->top + i < list->n; i++) {
                page->kind->draw_row(browser, page, list->top + i, from + i);
                if (list->top + i == list->at)
                        cells_restyle(browser->cells, from + i, page->left,
                                      page->columns ? page->columns : browser->cells->columns - page->left,
                                      (struct cell_style){.attributes = CELL_REVERSE});
        }
}

const char *page_find_twin(const struct page *page, size_t row, unsigned columns,
                           const char *(*name_of)(const struct page *page, size_t row))
{
        const struct browse_list *list = &page->list;
        const char *name = name_of(page, row);
        AUTO_RELEASE(buf) shown = {0};

        name_text_add(&shown, name, NULL, 0);
        if (text_width(buf_text(&shown)) <= columns)
                return NULL;
        buf_clear(&shown);
        name_text_add(&shown, name, NULL, columns);
        for (size_t i = list->top; i < list->n && i < list->top + list->height; i++) {
                const char *other = name_of(page, i);
                AUTO_RELEASE(buf) text = {0};

                if (i == row || !strcmp(other, name))
                        continue;
                name_text_add(&text, other, NULL, columns);
                if (!strcmp(buf_text(&text), buf_text(&shown)))
                        return other;
        }
        return NULL;
}

const char *page_pattern(const struct browser *browser)
{
        return browser->request->start == BROWSER_CODE ? NULL : browser->request->symbol;
}

void page_draw_no_match(struct browser *browser, const struct page *page, unsigned at, unsigned to)
{
        AUTO_RELEASE(buf) text = {0};

        if (page->list.n || !page_pattern(browser) || at >= to)
                return;
        buf_add_str(&text, "no function matches ");
        text_add_printable(&text, page_pattern(browser));
        cells_put(browser->cells, at, 1, browser->cells->columns, (struct cell_style){0}, buf_text(&text));
}

void page_draw_shares_head(struct browser *browser, unsigned at, const char *names)
{
        AUTO_RELEASE(buf) head = {0};

        buf_printf(&head, "  %% self%s%s  %s", browser->cells->columns < NARROW_COLUMNS ? "" : "   count",
                   browser->cells->columns < TINY_COLUMNS ? "" : "   % total", names);
        browser_head(browser, at, buf_text(&head));
}

unsigned page_draw_shares(struct browser *browser, unsigned at, uint64_t self, uint64_t self_count,
                          uint64_t total)
{
        uint64_t all = browser->report->events[browser->event].weight;
        double share = browser_percent(self, all);
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&text, "%8.2f", share);
        if (browser->cells->columns >= NARROW_COLUMNS)
                buf_printf(&text, " %7" PRIu64, self_count);
        if (browser->cells->columns >= TINY_COLUMNS)
                buf_printf(&text, " %9.2f", browser_percent(total, all));
        buf_add_str(&text, "  ");
        cells_put(browser->cells, at, 0, (unsigned)text.len, browser_heat(share), buf_text(&text));
        return (unsigned)text.len;
}

bool page_can_find(const struct page *page)
{
        return page->kind->find || page->kind->matches;
}

bool page_find(struct browser *browser, struct page *page, bool again, bool back)
{
        struct browse_list *list = &page->list;

        assert(page_can_find(page));
        if (page->kind->find)
                return page->kind->find(browser, page, again, back);
        for (size_t i = again; list->n && i < list->n + again; i++) {
                size_t at = (list->at + (back ? list->n - i % list->n : i)) % list->n;

                if (page->kind->matches(browser, page, at)) {
                        browse_list_go_to(list, at);
                        return true;
                }
        }
        return false;
}

void page_add_text(struct browser *browser, struct page *page, struct buf *out)
{
        struct cells *shown = browser->cells, line = {0};

        assert(page->kind->draw_row);
        cells_resize(&line, TEXT_COLUMNS, 1);
        browser->cells = &line;
        for (size_t i = 0; i < page->list.n; i++) {
                cells_clear(&line);
                page->kind->draw_row(browser, page, i, 0);
                cells_add_text(&line, 0, out);
                buf_add_char(out, '\n');
        }
        browser->cells = shown;
        cells_release(&line);
}
