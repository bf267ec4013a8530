/* SPDX-License-Identifier: BSD-3-Clause */
/* What was measured: a line of the part About of a page. */
#ifndef WEB_PAGE_FACT_H
#define WEB_PAGE_FACT_H

struct web_page_fact {
        const char *label, *text;
};

#endif
