/* SPDX-License-Identifier: BSD-3-Clause */
/* A page of text that is wrapped for the width of the screen. */
#include "mem.h"
#include "page_text.h"

struct wrapped_page {
        struct text_page text;
        void (*add)(const struct browser *browser, struct buf *out);
        unsigned columns; /* the width that the text is wrapped for */
};

static struct wrapped_page *own(const struct page *page)
{
        return (struct wrapped_page *)page;
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        struct wrapped_page *p = own(page);

        if (p->columns != browser->cells->columns) {
                AUTO_RELEASE(buf) text = {0};

                p->columns = browser->cells->columns;
                p->add(browser, &text);
                buf_clear(&p->text.text);
                text_page_wrap(buf_text(&text), p->columns, &p->text.text);
                text_page_split(&p->text);
        }
        page_draw_rows(browser, page, from, to);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Esc back  / search",
        .add_title = text_page_add_title,
        .draw = draw,
        .draw_row = text_page_draw_row,
        .key = text_page_key,
        .matches = text_page_matches,
        .free = text_page_free,
};

struct page *page_wrapped_new(const char *title, void (*add)(const struct browser *browser, struct buf *out))
{
        struct wrapped_page *p = mem_new(1, sizeof(*p));

        text_page_begin(&p->text, &kind, title);
        p->add = add;
        return &p->text.page;
}
