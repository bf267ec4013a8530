/* SPDX-License-Identifier: BSD-3-Clause */
/* One count as text, as JSON, and as a row of a timeline's CSV, with WindowsPerf's tables and keys. */
#ifndef STAT_VIEW_H
#define STAT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "json.h"
#include "sheet.h"

struct stat_view {
        const struct sheet *sheet;
        const char *vendor;  /* "Arm Limited"; NULL: not known */
        const char *subject; /* the target of counts that follow threads: "'sleep 1'" */
        unsigned n_runs;     /* more than 1: values are means */
        bool plain_numbers;  /* no separators between thousands */
        uint64_t elapsed_ns;
        double elapsed_deviation_percent; /* over several runs; negative: there was one run */
        uint64_t user_ns, kernel_ns;      /* CPU time of the command; both 0: not known */
        uint64_t off_ns;                  /* the part of elapsed_ns in which events were off */
        const char *const *notes;         /* whole sentences, n_notes of them */
        size_t n_notes;
        bool has_exit;
        int exit_status; /* exit status of the command */
};

/* «note: SENTENCE», one for each line: what is missing in the count, and why. */
void stat_view_notes(const struct stat_view *view, struct buf *out);

/* "counting ...", and at the end " done" with a line feed; "sleeping ..." between two counts. */
void stat_view_add_phase(bool counting, bool begins, struct buf *out);

/* WindowsPerf's lines before the counts: a heading, then one line for each class of events, "     5
 * core events: 0x001b 0x0073".  An event is shown by its code, or by its name if `codes` has a negative
 * number; there is no line if n is 0. */
void stat_view_add_events_heading(struct buf *out);
void stat_view_add_events(const char *class_name, const char *const *names, const int64_t *codes, size_t n,
                          struct buf *out);

/* The tables of counts, each with its heading. */
void stat_view_tables(const struct stat_view *view, struct buf *out);

/* The tables, elapsed time, notes and quality. */
void stat_view_text(const struct stat_view *view, struct buf *out);

/* "quality: 6 events, 1 not counted, 2 multiplexed (worst counted 48 % of the time)", no line feed. */
void stat_view_add_quality(const struct sheet *sheet, struct buf *out);

/* An object: windowsperf's stat document with `quality`. */
void stat_view_json(const struct stat_view *view, struct json *json);

/* The same as a line of its own. */
void stat_view_json_line(const struct stat_view *view, struct buf *out);

/* Values that are the same in all rows of a timeline's CSV. */
struct stat_csv {
        enum count_class class;
        const char *class_name;
        uint64_t interval_ns; /* the pause between two counts */
        const char *vendor;
};

/* True when the sheet has tables of that class. */
bool stat_csv_has(const struct sheet *sheet, enum count_class class);

/* The line that names a file of a timeline. */
void stat_csv_add_file(const char *path, struct buf *out);

/* The lines before the rows; `sheet` is the first count, whose tables define the columns.  With
 * `multiplexed`, a column for the scheduled time follows every event. */
void stat_csv_head(const struct stat_csv *csv, const struct sheet *sheet, bool multiplexed, struct buf *out);
void stat_csv_row(const struct stat_csv *csv, const struct sheet *sheet, bool multiplexed, struct buf *out);

#endif
