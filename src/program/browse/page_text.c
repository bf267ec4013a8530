/* SPDX-License-Identifier: BSD-3-Clause */
#include "page_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "text_width.h"

enum { SHARE_COLUMNS = 8, SIDE_STEP = 8, MAX_SIDE = 4096, INDENT_COLUMNS = 8, MIN_COLUMNS = 20 };

static struct text_page *own(const struct page *page)
{
        return (struct text_page *)page;
}

void text_page_begin(struct text_page *p, const struct page_kind *kind, const char *title)
{
        p->page.kind = kind;
        p->page.list.takes_j_k = true;
        p->title = mem_strdup(title);
}

void text_page_split(struct text_page *p)
{
        const char *text = buf_text(&p->text);
        size_t next = 0;

        p->page.list.n = 0;
        for (size_t at = 0; at < p->text.len;) {
                const char *end = memchr(text + at, '\n', p->text.len - at);

                ARRAY_PUSH(p->lines, p->page.list.n, p->cap_lines, at);
                at = end ? (size_t)(end - text) + 1 : p->text.len;
                if (end)
                        p->text.data[at - 1] = 0;
        }
        free(p->of_line);
        p->of_line = mem_new(p->page.list.n, sizeof(*p->of_line));
        for (size_t i = 0; i < p->page.list.n && next < p->marks.n; i++) {
                if (p->marks.items[next].at == p->lines[i])
                        p->of_line[i] = &p->marks.items[next++];
        }
}

static const char *line_at(const struct text_page *p, size_t line)
{
        return buf_text(&p->text) + p->lines[line];
}

const struct view_mark *text_page_mark(const struct text_page *p)
{
        return p->page.list.n ? p->of_line[p->page.list.at] : NULL;
}

void text_page_wrap(const char *text, unsigned columns, struct buf *out)
{
        columns = columns > MIN_COLUMNS ? columns : MIN_COLUMNS;
        while (*text) {
                const char *end = strchr(text, '\n'), *start = text;
                size_t room = columns;

                end = end ? end : text + strlen(text);
                while (text_fitting_bytes(start, room, NULL) < (size_t)(end - start)) {
                        const char *cut = start + text_fitting_bytes(start, room, NULL);

                        while (cut > start && *cut != ' ')
                                cut--;
                        if (cut == start)
                                break;
                        buf_add(out, start, (size_t)(cut - start));
                        buf_printf(out, "\n%*s", INDENT_COLUMNS, "");
                        start = cut + 1;
                        room = columns - INDENT_COLUMNS;
                }
                buf_add(out, start, (size_t)(end - start));
                buf_add_char(out, '\n');
                text = *end ? end + 1 : end;
        }
}

/* --- going to a line --- */

/* Whether line `a` is hotter than line `b`; both have samples. */
static bool is_hotter(const struct text_page *p, size_t a, size_t b)
{
        uint64_t x = p->of_line[a]->weight, y = p->of_line[b]->weight;

        return x != y ? x > y : a < b;
}

static bool is_warm(const struct text_page *p, size_t line)
{
        return line < p->page.list.n && p->of_line[line] && p->of_line[line]->weight;
}

void text_page_hottest(struct text_page *p, int step)
{
        size_t best = SIZE_MAX, from = p->page.list.at;
        bool is_relative = step && is_warm(p, from);

        for (size_t i = 0; i < p->page.list.n; i++) {
                if (!is_warm(p, i) || (is_relative && (i == from || is_hotter(p, i, from) != (step < 0))))
                        continue;
                /* Take the hottest of the colder lines, or the coldest of the hotter lines. */
                if (best == SIZE_MAX || is_hotter(p, i, best) != (is_relative && step < 0))
                        best = i;
        }
        browse_list_go_to(&p->page.list, best == SIZE_MAX ? from : best);
}

bool text_page_go_to(struct text_page *p, uint64_t addr)
{
        for (size_t i = 0; i < p->page.list.n; i++) {
                if (p->of_line[i] && p->of_line[i]->addr == addr) {
                        browse_list_go_to(&p->page.list, i);
                        return true;
                }
        }
        return false;
}

bool text_page_go_to_line(struct text_page *p, const char *path, uint32_t line)
{
        size_t best = SIZE_MAX;

        for (size_t i = 0; i < p->page.list.n; i++) {
                const struct view_mark *mark = p->of_line[i];

                if (mark && mark->path && mark->line == line && !strcmp(mark->path, path) &&
                    (best == SIZE_MAX || mark->weight > p->of_line[best]->weight))
                        best = i;
        }
        if (best == SIZE_MAX)
                return false;
        browse_list_go_to(&p->page.list, best);
        return true;
}

/* --- as a page --- */

void text_page_add_title(const struct browser *browser, const struct page *page, struct buf *out)
{
        (void)browser;
        buf_add_str(out, own(page)->title);
}

/* Draws the line from column `first_column` on. */
void text_page_draw_row(struct browser *browser, struct page *page, size_t line, unsigned row)
{
        const struct text_page *p = own(page);
        const struct view_mark *mark = p->of_line[line];
        const char *text = line_at(p, line);
        struct cells *cells = browser->cells;

        assert(line < p->page.list.n);
        text += text_fitting_bytes(text, p->first_column, NULL);
        cells_put(cells, row, page->left, cells->columns - page->left, (struct cell_style){0}, text);
        if (mark && mark->weight && !p->first_column)
                cells_restyle(cells, row, page->left, SHARE_COLUMNS, browser_heat(mark->percent));
        if (browser->search.len && browser_matches(browser, text))
                cells_restyle(cells, row, page->left, cells->columns - page->left,
                              (struct cell_style){.attributes = CELL_UNDERLINE});
}

bool text_page_key(struct browser *browser, struct page *page, const struct key *key)
{
        struct text_page *p = own(page);

        (void)browser;
        if (key->kind == KEY_RIGHT || key->kind == KEY_LEFT) {
                unsigned at = p->first_column;

                p->first_column = key->kind == KEY_RIGHT ? (at < MAX_SIDE ? at + SIDE_STEP : at)
                                  : at > SIDE_STEP       ? at - SIDE_STEP
                                                         : 0;
                return true;
        }
        return browse_list_key(&p->page.list, key, page->first_row);
}

bool text_page_matches(const struct browser *browser, const struct page *page, size_t row)
{
        assert(row < page->list.n);
        return browser_matches(browser, line_at(own(page), row));
}

void text_page_free(struct page *page)
{
        struct text_page *p = own(page);

        buf_release(&p->text);
        free(p->lines);
        free(p->of_line);
        free(p->marks.items);
        free(p->title);
        free(p);
}
