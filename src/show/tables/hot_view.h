/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot table as text, CSV and JSON. */
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
        bool only_tracks; /* it has no samples by its nature: no section beside others, no line in the heading */
        /* Of Arm SPE: the event that was recorded, whose samples are in others; and: such an event, for one source of samples.
         * The first has the line in the heading, the others have the sections. */
        bool has_sources, is_source;
        /* Of its weight, 0 to 1: code that Windows on ARM64 emulates; and the module with most of it, or NULL. */
        double emulated_x64, emulated_x86;
        const char *emulated_module;
};

/* Texts are "" if they are not known. */
struct hot_view_row {
        uint32_t event;
        int32_t pid, tid; /* -1: not recorded */
        uint32_t cpu;
        const char *comm, *process, *line, *file, *module, *source, *machine;
        const char *symbol; /* with ":module", if needed, after `bare` */
        const char *bare;
        bool is_in_several; /* functions in other modules have the same name; `symbol` tells them apart */
        bool has_addr;
        bool is_native; /* with Python keys: the row has no Python frame */
        bool is_hidden; /* the view's pattern does not match it */
        uint64_t addr, count;
        double share, low, high; /* 0 to 1 */
};

/* A distinct address of a row. */
struct hot_view_pc {
        uint32_t event;
        uint32_t row; /* index into the rows */
        uint64_t addr, count;
};

/* A function whose annotated code is shown, too. */
struct hot_view_annotated {
        uint32_t event;
        struct annotate_view view;
};

/* All data of the view; the pointers belong to the caller and outlive the calls. */
struct hot_view {
        const struct hot_view_row *rows; /* sorted by event, then by weight */
        size_t n_rows;
        const struct hot_view_pc *pcs; /* sorted by row, then by weight; for `verbose` */
        size_t n_pcs;
        const struct hot_view_event *events;
        size_t n_events;
        struct row_keys keys; /* keys of the rows, a column each; none: module and symbol, in one column */
        uint64_t max_rows;
        const char *symbol; /* pattern for the rows, or NULL: see hot_view_row.is_hidden */
        bool verbose;
        bool is_extended;     /* --json-extended: the document may have more keys than WindowsPerf's */
        bool long_names;      /* do not fold or cut names */
        unsigned max_columns; /* width of the terminal; 0: no limit */
        bool is_colored;      /* shares, by heat */
        /* --annotate: functions that are printed before an event's table, and in its array in JSON. */
        const struct hot_view_annotated *annotated;
        size_t n_annotated;
        bool disassemble; /* with their instructions */
};

/* A section for each event: heading line, table, totals. */
void hot_view_text(const struct hot_view *view, struct buf *out);

/* What a row is, for headings: "functions", "modules", ... */
const char *hot_view_row_noun(const struct hot_view *view);

/* The heading of a key's column; NULL if the key has none: event and overhead. */
const char *hot_view_key_name(enum row_key key);

/* Appends the text of a row in a key's column, not shortened. */
void hot_view_add_key(const struct hot_view *view, const struct hot_view_row *row, enum row_key key,
                      struct buf *out);

/* Whether any row matches the pattern of functions. */
bool hot_view_has_match(const struct hot_view *view);

/* The line that replaces a table if no row matches the pattern of functions (-s). */
void hot_view_add_no_match(const char *symbol, struct buf *out);

/* One CSV table of all events; with several events, the event is the first column. */
void hot_view_csv(const struct hot_view *view, struct buf *out);

/* The key "events": an array with one object for each event. */
void hot_view_json(const struct hot_view *view, struct json *json);

#endif
