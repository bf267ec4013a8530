/* SPDX-License-Identifier: BSD-3-Clause */
/* What the screen of `top` and its page share. */
#ifndef LIVE_BROWSER_INTERNAL_H
#define LIVE_BROWSER_INTERNAL_H

#include "browser_internal.h"
#include "live_browser.h"

struct live_browser {
        const struct live_browser_request *request;
        struct live_table *table; /* that is shown; NULL: none yet */
        struct live_view view;    /* of it */
        enum live_kind kind;
        enum live_order order;
        bool has_order; /* the user chose it */
        bool only_python, is_frozen;
        bool is_to_zero; /* the sums shall begin anew */
        bool asks;       /* whether to end the command; the next key answers */
        bool is_confirmed;
        uint32_t opening;               /* the key of a page that shows what was kept; 0: none */
        struct browser_subject subject; /* for it */
        struct arena subject_texts;
};

/* The page of the table; `live` must outlive it. */
struct page *page_live_new(struct live_browser *live);

/* Shows another table, which becomes live->table. */
void page_live_take(struct browser *browser, struct page *page, struct live_table *table);

#endif
