/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of typed columns and its three renderers: text for people, JSON and CSV for programs.  Commands
 * fill columns and cells without regard to the format. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "json.h"

enum column_type {
        COLUMN_TEXT,      /* left aligned */
        COLUMN_U64,       /* right aligned */
        COLUMN_THOUSANDS, /* u64 with separators in text, without them in JSON and CSV */
        COLUMN_FIXED,     /* double with `decimals` */
        COLUMN_HEX,       /* u64 with 0x and at least `digits` digits; a string in JSON */
};

struct column {
        const char *name; /* the heading */
        const char *key;  /* the JSON and CSV name; NULL: the heading with '_' for ' ' */
        enum column_type type;
        uint8_t decimals;
        uint8_t digits;
        bool right; /* aligns text to the right */
        /* a function's name: folded and shortened by name_text_add in text, unchanged in JSON and CSV */
        bool is_name;
        bool can_cut;  /* text may be shortened to keep to `max_columns` */
        bool is_share; /* FIXED: a percentage, which may be coloured */
        bool is_extra; /* not in WindowsPerf's document: in JSON only with `with_extras` */
};

struct table;

/* `columns` must outlive the table. */
struct table *table_new(const struct column *columns, size_t n_columns);
void table_free(struct table *table);
AUTO_DEFINE(table)

/* Cells are added from left to right; each function asserts the type of its column.  Texts are copied. */
void table_add_text(struct table *table, const char *text);
/* A name; its last `n_kept` bytes, the module, are never cut. */
void table_add_name(struct table *table, const char *text, size_t n_kept);
void table_add_u64(struct table *table, uint64_t value); /* U64, THOUSANDS and HEX */
void table_add_fixed(struct table *table, double value);
/* `value` in JSON and CSV, `text` on the screen: "<not counted>" for a count of 0.  U64 and THOUSANDS. */
void table_add_u64_as(struct table *table, uint64_t value, const char *text);
void table_add_none(struct table *table); /* blank in text and CSV, null in JSON; any type */

/* Adds a line of totals, in the text form only: one text for each column, NULL or "" for none.  A '%' at
 * the end is printed right of its column, so that the digits are below those of the rows. */
void table_add_footer(struct table *table, const char *const *texts);

/* Colours the shares of the text form. */
void table_color(struct table *table, bool is_colored);

size_t table_n_rows(const struct table *table);
size_t table_n_columns(const struct table *table);
const struct column *table_get_column(const struct table *table, size_t index);

/* Appends a cell as it is in CSV, without quotes. */
void table_add_cell(const struct table *table, size_t row, size_t column, struct buf *out);

/* The renderers append to `out`.  Every row must be complete. */

/* Texts of columns with `can_cut` are shortened so that the table is at most `max_columns` wide; 0: no
 * limit. */
void table_render_text(const struct table *table, unsigned max_columns, struct buf *out);

/* An array with one object for each row: the value that follows a json_key.  Without `with_extras` columns
 * with is_extra are left out. */
void table_render_json(const struct table *table, bool with_extras, struct json *json);

/* RFC 4180 with a header line, but lines end in LF. */
void table_render_csv(const struct table *table, struct buf *out);

/* Appends as much of `text` as fits into `max_columns` of a terminal; cut text ends with "...". */
void table_add_cut(struct buf *out, const char *text, size_t max_columns);

/* The same, but cuts the middle. */
void table_add_middle(struct buf *out, const char *text, size_t max_columns);

/* The same, but also keeps the byte at `at` and some bytes after it. */
void table_add_around(struct buf *out, const char *text, size_t at, size_t max_columns);

#endif
