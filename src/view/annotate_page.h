/* SPDX-License-Identifier: BSD-3-Clause */
/* All that `annotate` shows, on the screen and as a document: functions one after the other, or the whole session for each event. */
#ifndef ANNOTATE_PAGE_H
#define ANNOTATE_PAGE_H

#include "annotate_view.h"
#include "quality.h"

/* Zero-initialised it can be released. */
struct annotate_page {
        bool has_text, has_document; /* those that are wanted; of the other one some parts are left out */
        struct buf text, document;
        struct json json;
        size_t n_parts;
};

/* What is listed of a function without --by: its source, its code; neither: its hottest lines and its code. */
struct annotate_listing {
        bool source, code;
};

void annotate_page_begin(struct annotate_page *page, bool has_text, bool has_document);
void annotate_page_end(struct annotate_page *page, const struct quality *quality);
void annotate_page_release(struct annotate_page *page);

/* A function, or an event of the whole session: its heading, then what is added below, then its end. */
void annotate_page_begin_part(struct annotate_page *page, const struct annotate_view *view);
void annotate_page_end_part(struct annotate_page *page);

/* Before each of the parts below: the texts that it will show, to be filled in. */
void annotate_page_want_code(const struct annotate_page *page, const struct annotate_view *view,
                             bool has_code);
void annotate_page_want_listing(const struct annotate_view *view, const struct annotate_listing *listing,
                                const struct annotate_rows *lines);

/* The document's own: a function's lines, and with `has_code` their instructions. */
void annotate_page_add_code(struct annotate_page *page, const struct annotate_view *view, bool has_code);

/* The screen's own.  `lines` are rows by ANNOTATE_LINE. */
void annotate_page_add_listing(struct annotate_page *page, const struct annotate_view *view,
                               const struct annotate_listing *listing, const struct annotate_rows *lines);

void annotate_page_add_rows(struct annotate_page *page, const struct annotate_view *view, enum annotate_by by,
                            const struct annotate_rows *rows);

/* On the screen: why a function has no rows. */
void annotate_page_add_note(struct annotate_page *page, const char *note);

#endif
