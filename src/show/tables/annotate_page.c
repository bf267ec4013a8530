/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_page.h"

#include <assert.h>

#include "quality_view.h"

enum { LISTED_LINES = 20 };

enum { BETWEEN_PARTS = 2, IN_A_PART }; /* depth of the document */

void annotate_page_begin(struct annotate_page *page, bool has_text, bool has_document)
{
        *page = (struct annotate_page){.has_text = has_text, .has_document = has_document};
        json_init(&page->json, &page->document);
        json_begin_object(&page->json);
        json_key(&page->json, "annotate");
        json_begin_array(&page->json);
}

void annotate_page_end(struct annotate_page *page, const struct quality *quality)
{
        assert(page->json.depth == BETWEEN_PARTS);
        json_end_array(&page->json);
        quality_add_json(quality, NULL, &page->json);
        json_end_object(&page->json);
        buf_add_char(&page->document, '\n');
        quality_add_poor(quality, &page->text);
        quality_add_text(quality, &page->text);
        buf_add_char(&page->text, '\n');
}

void annotate_page_release(struct annotate_page *page)
{
        buf_release(&page->text);
        buf_release(&page->document);
}

void annotate_page_begin_part(struct annotate_page *page, const struct annotate_view *view)
{
        assert(page->json.depth == BETWEEN_PARTS);
        if (page->n_parts++ && view->function)
                buf_add_char(&page->text, '\n');
        annotate_view_heading(view, &page->text);
        json_begin_object(&page->json);
        json_key_str(&page->json, "event", view->event);
        json_key_u64(&page->json, "hits", view->count);
}

void annotate_page_end_part(struct annotate_page *page)
{
        assert(page->json.depth == IN_A_PART);
        json_end_object(&page->json);
}

void annotate_page_add_code(struct annotate_page *page, const struct annotate_view *view, bool has_code)
{
        assert(page->json.depth == IN_A_PART);
        if (page->has_document)
                annotate_view_json(view, has_code, &page->json);
}

static bool has_both(const struct annotate_listing *listing)
{
        return !listing->source && !listing->code;
}

/* The hottest lines are shown above the code, which contains all lines. */
static struct annotate_view of_hottest(const struct annotate_view *view)
{
        struct annotate_view few = *view;

        few.max_rows = view->max_rows < LISTED_LINES ? view->max_rows : LISTED_LINES;
        return few;
}

void annotate_page_add_listing(struct annotate_page *page, const struct annotate_view *view,
                               const struct annotate_listing *listing, const struct annotate_rows *lines)
{
        const struct annotate_view few = of_hottest(view);

        assert(page->json.depth == IN_A_PART);
        if (has_both(listing)) {
                annotate_view_rows(&few, ANNOTATE_LINE, lines, &page->text);
                annotate_view_missing_source(&few, lines, &page->text);
        }
        if (listing->source)
                annotate_view_source(view, lines, &page->text);
        if (listing->source == listing->code)
                buf_add_char(&page->text, '\n');
        if (listing->code || has_both(listing))
                annotate_view_code(view, &page->text);
}

void annotate_page_add_rows(struct annotate_page *page, const struct annotate_view *view, enum annotate_by by,
                            const struct annotate_rows *rows)
{
        assert(page->json.depth == IN_A_PART);
        if (page->has_text)
                annotate_view_rows(view, by, rows, &page->text);
        if (page->has_document)
                annotate_view_json_rows(view, by, rows, &page->json);
}

void annotate_page_add_note(struct annotate_page *page, const char *note)
{
        buf_printf(&page->text, "note: %s\n", note);
}
