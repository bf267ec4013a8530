/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot table in its three forms. */
#ifndef HOT_VIEW_H
#define HOT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate_view.h"
#include "buf.h"
#include "json.h"
#include "row_keys.h"

struct hot_view_event {
        const char *name;
        uint64_t interval; /* mean period of its samples */
        uint64_t n_samples, weight;
};

/* Texts are "" where they are not known. */
struct hot_view_row {
        uint32_t event;
        int32_t pid, tid; /* -1: the kernel had none to tell */
        uint32_t cpu;
        const char *comm, *process, *line, *file, *module;
        const char *symbol; /* with ":module" where it belongs, which is behind `bare` */
        const char *bare;
        bool is_in_several; /* functions of other modules have its name: `symbol` tells them apart */
        bool has_addr;
        bool is_native; /* by Python keys: it has no Python frame */
        bool is_hidden; /* the view's pattern does not mean it */
        uint64_t addr, count;
        double share, low, high; /* 0 to 1 */
};

/* A distinct address of a row. */
struct hot_view_pc {
        uint32_t event;
        uint32_t row; /* index into the rows */
        uint64_t addr, count;
};

/* A function whose inside is shown too. */
struct hot_view_annotated {
        uint32_t event;
        struct annotate_view view;
};

/* Everything that is shown; all pointers are the caller's and outlive the calls. */
struct hot_view {
        const struct hot_view_row *rows; /* by event, then most first */
        size_t n_rows;
        const struct hot_view_pc *pcs; /* by row, then most first; for `verbose` */
        size_t n_pcs;
        const struct hot_view_event *events;
        size_t n_events;
        struct row_keys keys; /* of the rows, a column each; none: by module and symbol, in one column */
        uint64_t max_rows;
        const char *symbol; /* pattern of rows to show, or NULL: see hot_view_row.is_hidden */
        bool verbose;
        bool is_extended;     /* --json-extended: the document may hold more than WindowsPerf's */
        bool long_names;      /* nothing of a name is folded or cut */
        unsigned max_columns; /* of the terminal; 0: nothing is cut */
        bool is_colored;      /* shares, by heat */
        /* --annotate: functions that stand before an event's table, and in its array in JSON. */
        const struct hot_view_annotated *annotated;
        size_t n_annotated;
        bool disassemble; /* with their instructions */
};

/* A section for each event: heading line, table, totals. */
void hot_view_text(const struct hot_view *view, struct buf *out);

/* Whether the pattern of functions lets a row pass. */
bool hot_view_has_match(const struct hot_view *view);

/* The line that stands for a table where the pattern of functions (-s) leaves nothing. */
void hot_view_add_no_match(const char *symbol, struct buf *out);

/* One CSV table of all events, with the event as its first column when there are several. */
void hot_view_csv(const struct hot_view *view, struct buf *out);

/* The key "events" with an array of one object an event. */
void hot_view_json(const struct hot_view *view, struct json *json);

#endif
