/* SPDX-License-Identifier: BSD-3-Clause */
/* A page of text that can be scrolled: code, source, help. */
#ifndef PAGE_TEXT_H
#define PAGE_TEXT_H

#include "browser_internal.h"
#include "view_marks.h"

struct text_page {
        struct page page;
        struct buf text;
        size_t *lines; /* offset of each line in `text` */
        size_t cap_lines;
        struct view_marks marks;
        const struct view_mark **of_line; /* NULL if the line has none */
        char *title;
        unsigned first_column; /* more than 0 if scrolled sideways */
};

/* Begins a page of `kind`, whose functions are those below or call them.  Copies `title`. */
void text_page_begin(struct text_page *p, const struct page_kind *kind, const char *title);

/* Call after `text` and `marks` are complete. */
void text_page_split(struct text_page *p);

/* Appends `text` with lines of at most `columns`, but not below 20, wrapped at blanks; the screen clips a
 * word that is longer. */
void text_page_wrap(const char *text, unsigned columns, struct buf *out);

/* Selects the hottest line; with `step` 1 the next colder line, with -1 the next hotter line. */
void text_page_hottest(struct text_page *p, int step);

/* Selects the line of the instruction at an address; false if there is none. */
bool text_page_go_to(struct text_page *p, uint64_t addr);

/* Selects the hottest instruction of a source line; false if there is none. */
bool text_page_go_to_line(struct text_page *p, const char *path, uint32_t line);

const struct view_mark *text_page_mark(const struct text_page *p);

/* A page of a text that is wrapped for the width of the screen; `add` is called again for another width. */
struct page *page_wrapped_new(const char *title, void (*add)(const struct browser *browser, struct buf *out));

/* Functions of page_kind that all pages of text share. */
void text_page_add_title(const struct browser *browser, const struct page *page, struct buf *out);
void text_page_draw_row(struct browser *browser, struct page *page, size_t line, unsigned row);
bool text_page_key(struct browser *browser, struct page *page, const struct key *key);
bool text_page_matches(const struct browser *browser, const struct page *page, size_t row);
void text_page_free(struct page *page);

#endif
