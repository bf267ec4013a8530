/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot table in its three forms, and the document that `sample`, `record` and `report` give as JSON. */
#ifndef HOT_VIEW_H
#define HOT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "hot.h"
#include "json.h"
#include "quality.h"
#include "row_keys.h"

struct hot_view_event {
        const char *name;
        uint64_t interval; /* mean period of its samples */
        uint64_t n_samples;
};

struct hot_view_section {
        const char *name;
        uint64_t addr, size_bytes;
};

struct hot_view_module {
        const char *path;
        uint64_t address;
        const char *note;                        /* or NULL */
        const struct hot_view_section *sections; /* for the document */
        size_t n_sections;
};

/* Everything that is shown; all pointers are the caller's and outlive the calls. */
struct hot_view {
        const struct hot *hot;
        const struct hot_view_event *events;
        size_t n_events;
        struct row_keys keys; /* of the rows, a column each; none: by module and symbol, in one column */
        uint64_t max_rows;
        const char *symbol; /* pattern of rows to show, or NULL */
        bool verbose;
        bool is_extended;     /* --json-extended: the document may hold more than WindowsPerf's */
        bool long_names;      /* nothing of a name is folded or cut */
        unsigned max_columns; /* of the terminal; 0: nothing is cut */
        bool is_colored;      /* shares, by heat */
        const struct quality *quality;
        /* --annotate: what stands before an event's table, and the elements of its array; NULL: nothing. */
        void (*add_annotated_text)(void *ctx, uint32_t event, struct buf *out);
        void (*add_annotated_json)(void *ctx, uint32_t event, struct json *json);
        void *annotated_ctx;
        /* -g, -b: a key of the document with its value; NULL: nothing. */
        void (*add_more_json)(void *ctx, struct json *json);
        void *more_ctx;
        /* for the document */
        const char *pe_file, *pdb_file; /* or NULL */
        bool has_image;
        uint64_t base_address, runtime_delta;
        const struct hot_view_module *modules;
        size_t n_modules;
        const char *source_note; /* or "" */
        bool has_elapsed;
        uint64_t elapsed_ns;
        bool has_exit;
        int exit_status;
};

/* A section for each event: heading line, table, totals. */
void hot_view_text(const struct hot_view *view, struct buf *out);

/* The line that stands for a table where the pattern of functions (-s) leaves nothing. */
void hot_view_add_no_match(const char *symbol, struct buf *out);

/* One CSV table of all events, with the event as its first column when there are several. */
void hot_view_csv(const struct hot_view *view, struct buf *out);

/* The whole document, with a line feed. */
void hot_view_json(const struct hot_view *view, struct buf *out);

#endif
