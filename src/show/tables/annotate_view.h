/* SPDX-License-Identifier: BSD-3-Clause */
/* One annotated function as text and as JSON: its lines, its instructions, or its rows by a key. */
#ifndef ANNOTATE_VIEW_H
#define ANNOTATE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate.h"
#include "annotate_rows.h"
#include "annotate_texts.h"
#include "buf.h"
#include "json.h"
#include "view_marks.h"

struct annotate_view {
        const char *function; /* as in rows: "x_mul:python3.11d"; NULL: the whole session */
        const char *event;
        const char *skid;                   /* "possible", "none" */
        uint64_t event_count, event_weight; /* sums of all samples of the event */
        uint64_t count, weight;             /* sums of the function */
        const struct annotate *annotate;    /* its instructions; NULL: the whole session */
        const char *code_note, *debug_note; /* why something is missing; or NULL */
        unsigned max_columns;               /* width of the terminal; 0: no limit */
        bool is_colored;                    /* shares, by heat */
        bool is_extended;                   /* --json-extended: more than WindowsPerf's keys */
        uint64_t max_rows;
        bool every_block; /* show blocks without samples, too */
        bool hides_lines,
                hides_targets; /* show instructions without their source lines, without called functions */
        struct annotate_texts texts;
        /* get the positions of the lines of annotate_view_source and _code; may be NULL */
        struct view_marks *marks;
};

/* "x_mul:python3.11d: 628 of 801 samples of cpu-clock (78.40 %), skid: possible", and why something is
 * missing. */
void annotate_view_heading(const struct annotate_view *view, struct buf *out);

/* Rows sorted by weight, with shares of the function (or of the session). */
void annotate_view_rows(const struct annotate_view *view, enum annotate_by by,
                        const struct annotate_rows *rows, struct buf *out);

/* Notes about files of the shown rows whose text is missing or may have changed: one of each kind, with the
 * first file and the number of the others. */
void annotate_view_missing_source(const struct annotate_view *view, const struct annotate_rows *lines,
                                  struct buf *out);

/* The lines from the first to the last with samples, for each file, with their shares. */
void annotate_view_source(const struct annotate_view *view, const struct annotate_rows *lines,
                          struct buf *out);

/* Instructions by address below their source lines, with jump arrows; blocks without samples are left out. */
void annotate_view_code(const struct annotate_view *view, struct buf *out);

/* WindowsPerf's tables line_number, hits, filename, and with `disassemble` instruction_address and
 * disassembled_line. */
void annotate_view_windowsperf(const struct annotate_view *view, bool disassemble, struct buf *out);

/* Keys of an object of the array `annotate`: function_name and source_code in WindowsPerf's format, with
 * is_extended also other keys.  The caller begins and ends the object.  Without `disassemble` a line has no
 * instructions. */
void annotate_view_json(const struct annotate_view *view, bool disassemble, struct json *json);

/* "rows": an array with one object for each row. */
void annotate_view_json_rows(const struct annotate_view *view, enum annotate_by by,
                             const struct annotate_rows *rows, struct json *json);

#endif
