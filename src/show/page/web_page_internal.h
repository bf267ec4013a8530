/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a page's data: texts, stacks and samples, each as columns of LEB128 numbers.  page_data.js
 * reads them in the same order. */
#ifndef WEB_PAGE_INTERNAL_H
#define WEB_PAGE_INTERNAL_H

#include "buf.h"
#include "code_diff_view.h"
#include "strpool.h"
#include "web_page.h"
#include "web_page_charts.h"

enum {
        WEB_PAGE_VERSION = 3,
        WEB_PAGE_MAX_STACKS = 100000,
        WEB_PAGE_MAX_SAMPLES = 300000,
};

/* Kinds of functions.  page_data.js has the same numbers. */
enum web_page_kind {
        WEB_PAGE_NATIVE_CODE,
        WEB_PAGE_KERNEL,
        WEB_PAGE_PYTHON_CODE,
        WEB_PAGE_UNKNOWN,
        WEB_PAGE_CUT,
        WEB_PAGE_SMALL,
        WEB_PAGE_STATE,       /* of a thread, below the function that waits */
        WEB_PAGE_INLINED = 8, /* a flag, like the next one */
        WEB_PAGE_RUNS_PYTHON = 16,
};

/* Rows of numbers that are kept and written as columns. */
struct web_page_table {
        size_t n_fields, n;
        struct web_page_column {
                uint32_t *values;
                size_t n, cap;
        } columns[4];
};

void web_page_table_add(struct web_page_table *table, const uint32_t *row);
/* Appends the number of rows and the columns. */
void web_page_table_write(const struct web_page_table *table, struct buf *out);
void web_page_table_release(struct web_page_table *table);

/* The stacks of the wanted samples.  A stack is a frame and the stack of its callers, a frame is a line of a
 * function. */
struct web_page_stacks {
        struct web_page_table functions; /* name, module, path of the module, kind */
        struct web_page_table frames;    /* function, source file, line */
        struct web_page_table stacks;    /* distance to the callers' stack, frame; the first stack is 1 */
        uint32_t *of_node;      /* for each node of the named stacks its innermost stack; 0: unused */
        uint64_t least_samples; /* stacks with fewer samples are merged; 0: none are */
};

/* Adds the page's texts to `texts`. */
void web_page_stacks_make(const struct web_page *page, struct strpool *texts, struct web_page_stacks *ret);
void web_page_stacks_release(struct web_page_stacks *stacks);

/* Whether the samples of an event are on the page. */
bool web_page_wants(const struct web_page *page, uint32_t event);

/* The number of a text that is safe to show. */
uint32_t web_page_add_text(struct strpool *texts, const char *text);

/* Appends the threads, and the samples of each event by thread and time. */
void web_page_samples_write(const struct web_page *page, const struct web_page_stacks *stacks,
                            struct strpool *texts, struct buf *out);

void web_page_facts_write(const struct web_page_fact *facts, size_t n, struct strpool *texts,
                          struct buf *out);

/* Appends how many neighbouring spans became one, the spans, the facts and the lines. */
void web_page_charts_add(const struct web_page_charts *charts, struct strpool *texts, struct buf *out);

/* Which script shows the data. */
enum web_page_script { WEB_PAGE_PROFILE, WEB_PAGE_COUNTS };

/* Appends the document with the texts and the rest of the data, which refers to them. */
bool web_page_document_write(enum web_page_script script, const struct strpool *texts, const struct buf *rest,
                             struct buf *out, struct err *err);

/* Appends the number of functions with instructions, and these. */
void web_page_code_write(const struct web_page *page, struct strpool *texts, struct buf *out);

/* Appends the number of events with accesses to memory, and the tables of each. */
void web_page_accesses_write(const struct web_page *page, struct strpool *texts, struct buf *out);

/* Appends the number of functions whose code is shown side by side, these, and how many are left out. */
void web_page_sides_write(const struct code_diff_view *code, struct strpool *texts, struct buf *out);

/* Appends the number of states, 0 if `wall` is NULL; the time of states and functions, and the strips. */
void web_page_wall_write(const struct wall_times *wall, const struct strips *strips, struct strpool *texts,
                         struct buf *out);

#endif
