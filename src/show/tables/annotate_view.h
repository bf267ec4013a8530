/* SPDX-License-Identifier: BSD-3-Clause */
/* One annotated function as text and as JSON: its lines, its instructions, or its rows by a key. */
#ifndef ANNOTATE_VIEW_H
#define ANNOTATE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate_rows.h"
#include "annotate_texts.h"
#include "buf.h"
#include "json.h"
#include "view_marks.h"

/* An instruction, or an address with samples if there is no code.  Pointers to equal texts may differ. */
struct annotate_view_point {
        uint64_t addr, count, weight;
        const char *instruction; /* NULL: no code */
        bool begins_block;
        bool has_target,
                /* leads to the code at `target`, by a call or by a jump inside or out of the function */
                is_jump;
        uint64_t target;
        const char *path; /* of its source line; NULL: not known */
        uint32_t line;
        const char *inlined;    /* the inlined function, "" if it has no name; NULL: not inlined */
        bool has_latency;       /* its accesses to memory have one: */
        uint64_t p50, p90, p99; /* quantiles, in cycles */
};

struct annotate_view {
        const char *function; /* as in rows: "x_mul:python3.11d"; NULL: the whole session */
        const char *event;
        const char *skid;                         /* "possible", "none" */
        uint64_t event_count, event_weight;       /* sums of all samples of the event */
        uint64_t count, weight;                   /* sums of the function */
        const struct annotate_view_point *points; /* sorted by address; none for the whole session */
        size_t n_points;
        const char *code_note, *debug_note; /* why something is missing; or NULL */
        unsigned max_columns;               /* width of the terminal; 0: no limit */
        bool is_colored;                    /* shares, by heat */
        bool is_extended;                   /* --json-extended: more than WindowsPerf's keys */
        uint64_t max_rows;
        bool every_block;             /* show blocks without samples, too */
        struct annotate_texts *texts; /* texts that the functions below need; NULL: none */
        /* get the positions of the lines of annotate_view_source and _code; may be NULL */
        struct view_marks *marks;
};

/* "x_mul:python3.11d: 628 of 801 samples of cpu-clock (78.40 %), skid: possible", and why something is missing. */
void annotate_view_heading(const struct annotate_view *view, struct buf *out);

/* --- The texts that each of the functions below will show; to be called before them --- */

void annotate_view_want_rows(const struct annotate_view *view, enum annotate_by by,
                             const struct annotate_rows *rows);
void annotate_view_want_missing_source(const struct annotate_view *view, const struct annotate_rows *lines);
void annotate_view_want_source(const struct annotate_view *view, const struct annotate_rows *lines);
void annotate_view_want_code(const struct annotate_view *view);
void annotate_view_want_json(const struct annotate_view *view, bool disassemble);

/* --- Output --- */

/* Rows sorted by weight, with shares of the function (or of the session). */
void annotate_view_rows(const struct annotate_view *view, enum annotate_by by,
                        const struct annotate_rows *rows, struct buf *out);

/* A note for each file of the shown rows whose text is missing or may have changed. */
void annotate_view_missing_source(const struct annotate_view *view, const struct annotate_rows *lines,
                                  struct buf *out);

/* The lines from the first to the last with samples, for each file, with their shares. */
void annotate_view_source(const struct annotate_view *view, const struct annotate_rows *lines,
                          struct buf *out);

/* Instructions by address below their source lines, with jump arrows; blocks without samples are left out. */
void annotate_view_code(const struct annotate_view *view, struct buf *out);

/* WindowsPerf's tables line_number, hits, filename, and with `disassemble` instruction_address and disassembled_line. */
void annotate_view_windowsperf(const struct annotate_view *view, bool disassemble, struct buf *out);

/* Keys of an object of the array `annotate`: function_name and source_code in WindowsPerf's format, with is_extended also other
 * keys.  The caller begins and ends the object.  Without `disassemble` a line has no instructions. */
void annotate_view_json(const struct annotate_view *view, bool disassemble, struct json *json);

/* "rows": an array with one object for each row. */
void annotate_view_json_rows(const struct annotate_view *view, enum annotate_by by,
                             const struct annotate_rows *rows, struct json *json);

#endif
