/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of a live view, as text and as JSON: its heading, and rows of functions, threads, processes or
 * containers. */
#ifndef LIVE_VIEW_H
#define LIVE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "live_table.h"

struct live_view {
        const struct live_table *table;
        enum live_kind kind;
        const char *target; /* what is measured: "api.py (4711)" */
        size_t n_threads;   /* of the target; 0: not known */
        uint64_t elapsed_ns;
        double own_percent;   /* CPU time of wperf itself, of one CPU */
        uint64_t n_dropped;   /* samples that a session of what is kept would not have */
        const char *state;    /* "frozen", "ended"; "" for none */
        const char *note;     /* why Python programs have native functions only; NULL or "": nothing to say */
        size_t max_rows;      /* in text; 0: all */
        unsigned max_columns; /* of text; 0: no limit */
};

/* Of the columns before a name. */
size_t live_view_shares_width(const struct live_view *view);

/* The heading in parts, each without an end of line: what is measured; how, how long, and what wperf itself
 * uses; lines of the note, and of samples or of states, live_view_n_sums() of them; names of the columns. */
void live_view_add_target(const struct live_view *view, struct buf *out);
void live_view_add_facts(const struct live_view *view, struct buf *out);
size_t live_view_n_sums(const struct live_view *view);
void live_view_add_sums(const struct live_view *view, size_t line, struct buf *out);
void live_view_add_columns(const struct live_view *view, struct buf *out);

/* Appends a row, without its end. */
void live_view_add_row(const struct live_view *view, const struct live_row *row, struct buf *out);

/* The share that decides the colour of a row, in percent. */
double live_view_share(const struct live_view *view, const struct live_row *row);

/* Appends the heading and the rows. */
void live_view_text(const struct live_view *view, struct buf *out);

/* Appends the document of schemas/live.json, on one line. */
void live_view_json(const struct live_view *view, struct buf *out);

/* "functions", "threads", "processes", "containers". */
const char *live_view_kind_text(enum live_kind kind);

/* What one of the rows is: "function", "thread", "process", "container". */
const char *live_view_row_word(enum live_kind kind);

#endif
