/* SPDX-License-Identifier: BSD-3-Clause */
/* One annotated function on the screen and as JSON: its lines, its instructions, or its rows by something. */
#ifndef ANNOTATE_VIEW_H
#define ANNOTATE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate_rows.h"
#include "annotate_texts.h"
#include "buf.h"
#include "json.h"

/* An instruction, or an address with samples where there is no code.  Equal texts need not be at one address. */
struct annotate_view_point {
        uint64_t addr, count, weight;
        const char *instruction; /* NULL: no code */
        bool begins_block;
        bool has_target,
                is_jump; /* to the code at `target`, by a call or by a jump inside or out of the function */
        uint64_t target;
        const char *path; /* of its source; NULL: not known */
        uint32_t line;
        const char *inlined; /* the function that was inlined there, "" without a name; NULL: none was */
};

struct annotate_view {
        const char *function; /* as rows show it: "x_mul:python3.11d"; NULL: the whole session */
        const char *event;
        const char *skid;                         /* "possible", "none" */
        uint64_t event_count, event_weight;       /* of all samples of the event */
        uint64_t count, weight;                   /* of the function */
        const struct annotate_view_point *points; /* by address; of the whole session none */
        size_t n_points;
        const char *code_note, *debug_note; /* why something is missing; NULL */
        unsigned max_columns;               /* of the terminal; 0: nothing is cut */
        bool is_colored;                    /* shares, by heat */
        bool is_extended;                   /* --json-extended: more than WindowsPerf's keys */
        uint64_t max_rows;
        bool every_block;             /* those without samples too */
        struct annotate_texts *texts; /* those that were wanted, for the functions below; NULL: none */
};

/* "x_mul:python3.11d: 628 of 801 samples of cpu-clock (78.40 %), skid: possible", and what is missing. */
void annotate_view_heading(const struct annotate_view *view, struct buf *out);

/* --- Which texts each of the functions below will show: called before them --- */

void annotate_view_want_rows(const struct annotate_view *view, enum annotate_by by,
                             const struct annotate_rows *rows);
void annotate_view_want_missing_source(const struct annotate_view *view, const struct annotate_rows *lines);
void annotate_view_want_source(const struct annotate_view *view, const struct annotate_rows *lines);
void annotate_view_want_code(const struct annotate_view *view);
void annotate_view_want_json(const struct annotate_view *view, bool disassemble);

/* --- What is shown --- */

/* Rows most first, with shares of the function (of the session for the whole one). */
void annotate_view_rows(const struct annotate_view *view, enum annotate_by by,
                        const struct annotate_rows *rows, struct buf *out);

/* A note for each file of the shown rows whose text is missing or may be another one. */
void annotate_view_missing_source(const struct annotate_view *view, const struct annotate_rows *lines,
                                  struct buf *out);

/* The lines between the first and the last one with samples, file by file, with the share of each. */
void annotate_view_source(const struct annotate_view *view, const struct annotate_rows *lines,
                          struct buf *out);

/* Instructions by address under the lines that they are of, with jump arrows; blocks without samples are left out. */
void annotate_view_code(const struct annotate_view *view, struct buf *out);

/* WindowsPerf's tables line_number, hits, filename, and with `disassemble` instruction_address and disassembled_line. */
void annotate_view_windowsperf(const struct annotate_view *view, bool disassemble, struct buf *out);

/* Keys of an object of the array `annotate`: function_name and source_code in WindowsPerf's shape, with is_extended what it
 * lacks too; the caller begins and ends the object.  Without `disassemble` a line has no instructions. */
void annotate_view_json(const struct annotate_view *view, bool disassemble, struct json *json);

/* "rows": an array of one object a row. */
void annotate_view_json_rows(const struct annotate_view *view, enum annotate_by by,
                             const struct annotate_rows *rows, struct json *json);

#endif
