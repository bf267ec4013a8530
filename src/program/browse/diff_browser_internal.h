/* SPDX-License-Identifier: BSD-3-Clause */
/* What the pages of a comparison share. */
#ifndef DIFF_BROWSER_INTERNAL_H
#define DIFF_BROWSER_INTERNAL_H

#include "browser_internal.h"
#include "diff_browser.h"

struct diff_browser {
        const struct diff_browser_request *request;
        struct diff_view view;
};

/* The comparison of the event that is shown. */
static inline const struct comparison *diff_browser_comparison(const struct browser *browser)
{
        return browser->diff->view.comparisons[browser->event];
}

/* Red for slower or more, green for faster or less. */
struct cell_style diff_browser_style(enum compared_verdict verdict);

/* Appends "+5.3 % (+4.1 to +6.5 %), slower": the change, its interval if it is wanted, and the verdict. */
void diff_browser_add_change(const struct compared_total *total, bool has_interval, struct buf *out);

/* Compares the machine code of a row's function in another thread, and shows it. */
void diff_browser_show_code(struct browser *browser, const struct compared_row *row);

struct page *page_diff_new(struct browser *browser);

/* Takes what `diff` owns; the paths must outlive the page.  Shows only functions of `module`, if there are
 * any. */
struct page *page_diff_code_new(const char *title, const char *const paths[CODE_N_SIDES], const char *module,
                                struct code_diff *diff);
struct page *page_diff_notes_new(void);

#endif
