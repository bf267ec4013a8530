/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as one HTML file, and the user's browser to show it. */
#ifndef PAGE_OUTPUT_H
#define PAGE_OUTPUT_H

#include "export.h"
#include "report.h"
#include "web_page.h"

/* What a report needs for a page: results, all frames of Python programs, and lines. */
void page_output_request(struct report_request *request);

struct page_output {
        const struct report *report; /* of such a request */
        const char *session;         /* path of the session */
        const char *event;           /* only this event; NULL: all with samples */
        enum stacks_python python;   /* what the page shows first */
};

/* Whether a file of this name is a page. */
bool page_output_is(const char *name);

/* Appends the document.  ERR_MISSING if there are no samples. */
bool page_output_make(const struct page_output *output, struct buf *out, struct err *err);

#endif
