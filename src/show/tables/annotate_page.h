/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of `annotate`, as text and as a document: one function after the other, or the whole session
 * for each event. */
#ifndef ANNOTATE_PAGE_H
#define ANNOTATE_PAGE_H

#include "annotate_view.h"
#include "quality.h"

/* Zero-initialised, it can be released. */
struct annotate_page {
        bool has_text, has_document; /* whether they are requested; some parts are only in one of them */
        struct buf text, document;
        struct json json;
        size_t n_parts;
};

/* What is listed for a function without --by: its source or its code; if neither is set, its hottest lines
 * and its code. */
struct annotate_listing {
        bool source, code;
};

void annotate_page_begin(struct annotate_page *page, bool has_text, bool has_document);
void annotate_page_end(struct annotate_page *page, const struct quality *quality);
void annotate_page_release(struct annotate_page *page);

/* Begins the part of a function, or of an event of the whole session: prints its heading.  The parts below
 * follow, then the end. */
void annotate_page_begin_part(struct annotate_page *page, const struct annotate_view *view);
void annotate_page_end_part(struct annotate_page *page);

/* Only for the document: a function's lines, and with `has_code` their instructions. */
void annotate_page_add_code(struct annotate_page *page, const struct annotate_view *view, bool has_code);

/* Only for the text.  `lines` are rows by ANNOTATE_LINE. */
void annotate_page_add_listing(struct annotate_page *page, const struct annotate_view *view,
                               const struct annotate_listing *listing, const struct annotate_rows *lines);

void annotate_page_add_rows(struct annotate_page *page, const struct annotate_view *view, enum annotate_by by,
                            const struct annotate_rows *rows);

/* Only for the text: why a function has no rows. */
void annotate_page_add_note(struct annotate_page *page, const char *note);

#endif
