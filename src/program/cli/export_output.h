/* SPDX-License-Identifier: BSD-3-Clause */
/* A report in the formats of other programs, and as a page. */
#ifndef EXPORT_OUTPUT_H
#define EXPORT_OUTPUT_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "filter_options.h"
#include "lookup.h"
#include "page_output.h"

/* For completion. */
#define EXPORT_FORMATS "folded speedscope firefox chrome pprof callgrind perf-script svg html"

struct export_format;

/* The format of this name.  NULL for an unknown name: ERR_USAGE. */
const struct export_format *export_output_find(const char *name, struct err *err);

/* The format of files of this name; NULL for other files, and if `file` is NULL. */
const struct export_format *export_output_of_file(const char *file);

/* Appends the names of all formats: "folded, svg or html". */
void export_output_add_names(struct buf *out);

/* "wperf.svg" */
void export_output_add_default_name(const struct export_format *format, struct buf *out);

/* Chooses what a command writes beside its tables: by the name of --format or, if that is NULL, of the file,
 * which may be NULL, too.  *ret is NULL if it writes nothing.  ERR_USAGE for an unknown format, together with
 * `json`, and for options of a page without one. */
bool export_output_choose(const char *name, const char *file, bool json, const struct page_options *page,
                          const struct export_format **ret, struct err *err);

bool export_output_is_page(const struct export_format *format);

/* As cmd_can_write(); NULL is standard output, to which a binary format is not written if it is a
 * terminal. */
bool export_output_can_write(const struct export_format *format, const char *prefix, const char *name,
                             struct err *err);

/* What is written, and options that only some formats have. */
struct export_choice {
        const char *event; /* a name, or NULL */
        bool weights, kinds, root_at_bottom;
        bool inverted; /* no effect: the root is at the top by default */
        bool lines;    /* of Python functions */
};

/* ERR_USAGE for an option that the format does not have. */
bool export_output_check(const struct export_format *format, const struct export_choice *choice,
                         struct err *err);

/* What a report needs for the format. */
void export_output_request(const struct export_format *format, const struct export_choice *choice,
                           struct report_request *request);

struct export_output {
        const struct export_format *format;
        struct export_choice choice;
        struct page_output page; /* the report, of such a request; the rest is for a page */
        bool is_quiet;           /* no warnings */
};

/* How a command reads the session. */
struct export_reading {
        struct report_request *request;
        const struct filter_options *filter;
        const struct lookup *lookup;
        bool is_quiet;
};

/* Reads the session, while it draws a line of progress, and writes it with warnings about it as below.  False
 * if the filter leaves no samples, too. */
bool export_output_read(struct export_output *output, const struct export_reading *reading, const char *path,
                        struct err *err);

/* Writes the document to `path`; "-" and NULL: standard output.  Before that prints warnings: what the
 * document leaves out, and `notes`. */
bool export_output_write(const struct export_output *output, const char *path, const struct buf *notes,
                         struct err *err);

#endif
