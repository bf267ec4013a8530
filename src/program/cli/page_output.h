/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as one HTML file, and the user's browser to show it. */
#ifndef PAGE_OUTPUT_H
#define PAGE_OUTPUT_H

#include "debuginfod.h"
#include "export.h"
#include "options.h"
#include "report.h"
#include "web_page.h"

struct page_options {
        bool opens;
        bool strip_source;
        const char *source_path; /* as in source_text_new(), or NULL */
        const char *html;        /* the page, or NULL: -o may name it */
};
extern const struct option_group page_group;

/* What a report needs for a page: results, all frames of Python programs, and lines. */
void page_output_request(struct report_request *request);

struct page_output {
        struct report *report;     /* of such a request */
        const char *session;       /* path of the session */
        const char *event;         /* only this event; NULL: all with samples */
        enum stacks_python python; /* what the page shows first */
        const struct page_options *options;
        bool takes_private;            /* source files that not all users may read */
        struct debuginfod *debuginfod; /* queried for source files; NULL for none */
};

/* Whether a file of this name is a page. */
bool page_output_is(const char *name);

/* Before the next one: sets *output, which -o sets, to the file of --html.  ERR_USAGE if both are given, or
 * if the file does not have the name of a page. */
bool page_output_take(const struct page_options *options, const char **output, struct err *err);

/* Before anything is measured or read: ERR_USAGE if the options need a page and none is written.  `name` is
 * the name of its file, or NULL. */
bool page_output_check(const struct page_options *options, const char *name, struct err *err);

/* Appends the document.  ERR_MISSING if there are no samples. */
bool page_output_make(const struct page_output *output, struct buf *out, struct err *err);

/* Opens a page that was written, if --open is given; otherwise, or if it cannot be opened, says where it is.
 * `quiet`: only if it cannot be opened. */
void page_output_show(const struct page_options *options, const char *path, bool quiet);

#endif
