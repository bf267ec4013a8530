/* SPDX-License-Identifier: BSD-3-Clause */
#include "diff_columns.h"

#include <math.h>
#include <string.h>

#include "buf.h"
#include "diff_view.h"

static void add_number(struct table *table, double value)
{
        if (isfinite(value))
                table_add_fixed(table, value);
        else
                table_add_none(table);
}

void diff_columns_add_change(const struct compared *c, struct buf *out)
{
        double change = comparison_change(c);

        if (isfinite(change))
                buf_printf(out, "%+.1f %%", change * 100);
}

void diff_columns_add_interval(const struct compared *c, struct buf *out)
{
        if (c->welch.is_known && isfinite(c->welch.high))
                buf_printf(out, "%+.1f to %+.1f %%", c->welch.low * 100, c->welch.high * 100);
        else if (c->welch.is_known && c->welch.low > -1)
                buf_printf(out, "%+.1f %% or more", c->welch.low * 100);
        else if (c->welch.is_known)
                buf_add_str(out, "unbounded");
}

void diff_columns_add_smallest(const struct compared *c, struct buf *out)
{
        double change = comparison_smallest_change(c);

        if (isfinite(change))
                buf_printf(out, "%.1f %%", change * 100);
}

void diff_columns_add_verdict(const struct compared *c, bool is_time, struct buf *out)
{
        AUTO_RELEASE(buf) why = {0};

        buf_add_str(out, diff_view_verdict(c->verdict, is_time));
        diff_columns_add_why(c, &why);
        if (why.len)
                buf_printf(out, ": %s", buf_text(&why));
}

void diff_columns_add_why(const struct compared *c, struct buf *out)
{
        if (c->verdict == COMPARED_NOT_MEASURED)
                buf_add_str(out, "needs two runs of each");
        else if (c->verdict == COMPARED_FEW_SAMPLES)
                buf_add_str(out, "few samples");
        else if (c->verdict == COMPARED_ONE_SIDE)
                buf_add_str(out, "only one side has it");
        else if (c->doubt)
                buf_add_str(out, c->doubt);
        else if (comparison_is_lost_among_many(c))
                buf_printf(out, "may be chance, %zu were tested", c->n_together);
}

typedef void add_compared_fn(const struct compared *c, struct buf *out);

static void add_compared(struct table *table, add_compared_fn *add, const struct compared *c)
{
        AUTO_RELEASE(buf) text = {0};

        add(c, &text);
        table_add_text(table, buf_text(&text));
}

static const struct compared *value_of(const struct diff_rows *rows, const struct compared_row *row)
{
        return comparison_value(rows->comparison, row);
}

static bool is_slow(const struct diff_rows *rows)
{
        return rows->comparison->is_time && rows->comparison->measure == MEASURE_TIME;
}

/* --- Cells of rows ---------------------------------------------------------------------------------- */

static void add_event(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        (void)row;
        table_add_text(table, rows->comparison->event);
}

static void add_presence(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        static const char *const names[] = {"both", "only A", "only B"};

        (void)row;
        table_add_text(table, names[rows->presence]);
}

static void add_share_a(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        (void)rows;
        table_add_fixed(table, row->share.a.mean * 100);
}

static void add_share_b(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        (void)rows;
        table_add_fixed(table, row->share.b.mean * 100);
}

static void add_amount_a(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        (void)rows;
        table_add_fixed(table, row->amount.a.mean);
}

static void add_amount_b(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        (void)rows;
        table_add_fixed(table, row->amount.b.mean);
}

static void add_samples_a(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        (void)rows;
        table_add_fixed(table, row->samples_a);
}

static void add_samples_b(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        (void)rows;
        table_add_fixed(table, row->samples_b);
}

static void add_verdict(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        table_add_text(table, diff_view_verdict(value_of(rows, row)->verdict, is_slow(rows)));
}

static void add_why(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        add_compared(table, diff_columns_add_why, value_of(rows, row));
}

double diff_columns_largest(const struct diff_rows *rows)
{
        double largest = 0;

        for (size_t i = 0; i < rows->n; i++) {
                const struct compared *c = &rows->rows[i].amount;

                if (fabs(c->b.mean - c->a.mean) > largest)
                        largest = fabs(c->b.mean - c->a.mean);
        }
        return largest;
}

static void add_inlined(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        (void)rows;
        table_add_text(table, row->is_inlined ? "yes" : "");
}

static void add_full_name(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        (void)rows;
        table_add_text(table, row->full_name);
}

static void add_module(struct table *table, const struct diff_rows *rows, const struct compared_row *row)
{
        (void)rows;
        table_add_text(table, row->module);
}

#define DIFF_NUMBER(name_, of)                                                                               \
        static void name_(struct table *table, const struct diff_rows *rows, const struct compared_row *row) \
        {                                                                                                    \
                (void)rows;                                                                                  \
                add_number(table, of);                                                                       \
        }

DIFF_NUMBER(add_less, row->amount.welch.is_known ? row->amount.welch.less : NAN)
DIFF_NUMBER(add_more, row->amount.welch.is_known ? row->amount.welch.more : NAN)
DIFF_NUMBER(add_finds, row->amount.smallest)
DIFF_NUMBER(add_time_change, comparison_change(&row->amount) * 100)
DIFF_NUMBER(add_time_low, row->amount.welch.is_known ? row->amount.welch.low * 100 : NAN)
DIFF_NUMBER(add_time_high, row->amount.welch.is_known ? row->amount.welch.high * 100 : NAN)
DIFF_NUMBER(add_time_p, row->amount.welch.is_known ? row->amount.welch.p : NAN)
DIFF_NUMBER(add_time_q, row->amount.verdict >= COMPARED_UNCLEAR ? row->amount.q : NAN)
DIFF_NUMBER(add_time_smallest, comparison_smallest_change(&row->amount) * 100)
DIFF_NUMBER(add_share_change, comparison_change(&row->share) * 100)
DIFF_NUMBER(add_share_low, row->share.welch.is_known ? row->share.welch.low * 100 : NAN)
DIFF_NUMBER(add_share_high, row->share.welch.is_known ? row->share.welch.high * 100 : NAN)
DIFF_NUMBER(add_share_p, row->share.welch.is_known ? row->share.welch.p : NAN)
DIFF_NUMBER(add_share_q, row->share.verdict >= COMPARED_UNCLEAR ? row->share.q : NAN)
DIFF_NUMBER(add_share_smallest, comparison_smallest_change(&row->share) * 100)

/* Columns of a table: CELL is the function that adds the cell, followed by the fields of struct column. */
/* clang-format off */
#define DATA_COLUMNS(X) \
        X(add_event, .name = "event", .type = COLUMN_TEXT) \
        X(add_presence, .name = "in", .type = COLUMN_TEXT) \
        X(add_full_name, .name = "name", .type = COLUMN_TEXT) \
        X(add_module, .name = "module", .type = COLUMN_TEXT) \
        X(add_verdict, .name = "verdict", .type = COLUMN_TEXT) \
        X(add_why, .name = "why", .type = COLUMN_TEXT) \
        X(add_samples_a, .name = "a_samples", .type = COLUMN_FIXED, .decimals = 1) \
        X(add_samples_b, .name = "b_samples", .type = COLUMN_FIXED, .decimals = 1) \
        X(add_amount_a, .name = "a_amount", .type = COLUMN_FIXED, .decimals = 0) \
        X(add_amount_b, .name = "b_amount", .type = COLUMN_FIXED, .decimals = 0) \
        X(add_less, .name = "difference_low", .type = COLUMN_FIXED, .decimals = 0) \
        X(add_more, .name = "difference_high", .type = COLUMN_FIXED, .decimals = 0) \
        X(add_finds, .name = "finds", .type = COLUMN_FIXED, .decimals = 0) \
        X(add_time_change, .name = "change_percent", .type = COLUMN_FIXED, .decimals = 3) \
        X(add_time_low, .name = "change_low_percent", .type = COLUMN_FIXED, .decimals = 3) \
        X(add_time_high, .name = "change_high_percent", .type = COLUMN_FIXED, .decimals = 3) \
        X(add_time_p, .name = "p", .type = COLUMN_FIXED, .decimals = 6) \
        X(add_time_q, .name = "q", .type = COLUMN_FIXED, .decimals = 6) \
        X(add_time_smallest, .name = "finds_percent", .type = COLUMN_FIXED, .decimals = 3) \
        X(add_share_a, .name = "a_share_percent", .type = COLUMN_FIXED, .decimals = 4) \
        X(add_share_b, .name = "b_share_percent", .type = COLUMN_FIXED, .decimals = 4) \
        X(add_share_change, .name = "share_change_percent", .type = COLUMN_FIXED, .decimals = 3) \
        X(add_share_low, .name = "share_low_percent", .type = COLUMN_FIXED, .decimals = 3) \
        X(add_share_high, .name = "share_high_percent", .type = COLUMN_FIXED, .decimals = 3) \
        X(add_share_p, .name = "share_p", .type = COLUMN_FIXED, .decimals = 6) \
        X(add_share_q, .name = "share_q", .type = COLUMN_FIXED, .decimals = 6) \
        X(add_share_smallest, .name = "share_finds_percent", .type = COLUMN_FIXED, .decimals = 3) \
        X(add_inlined, .name = "inlined", .type = COLUMN_TEXT)

/* clang-format on */

typedef void add_cell_fn(struct table *table, const struct diff_rows *rows, const struct compared_row *row);

#define COLUMN_OF(cell, ...) {__VA_ARGS__},
#define CELL_OF(cell, ...)   cell,

static const struct column data_columns[] = {DATA_COLUMNS(COLUMN_OF)};
static add_cell_fn *const data_cells[] = {DATA_COLUMNS(CELL_OF)};

static void add_rows(struct table *table, const struct diff_rows *rows)
{
        for (size_t i = 0; i < rows->n; i++) {
                for (size_t c = 0; c < N_ELEMENTS(data_cells); c++)
                        data_cells[c](table, rows, &rows->rows[i]);
        }
}

struct diff_rows diff_rows_of(const struct comparison *c, enum diff_presence presence)
{
        switch (presence) {
        case DIFF_ONLY_A: return (struct diff_rows){c, presence, c->only_a, c->n_only_a};
        case DIFF_ONLY_B: return (struct diff_rows){c, presence, c->only_b, c->n_only_b};
        default: return (struct diff_rows){c, presence, c->rows, c->n_rows};
        }
}

struct table *diff_columns_data(const struct comparison *const *comparisons, size_t n)
{
        struct table *table = table_new(data_columns, N_ELEMENTS(data_columns));

        for (size_t i = 0; i < n; i++) {
                for (int presence = DIFF_IN_BOTH; presence <= DIFF_ONLY_B; presence++) {
                        struct diff_rows rows = diff_rows_of(comparisons[i], (enum diff_presence)presence);

                        add_rows(table, &rows);
                }
        }
        return table;
}

/* --- Totals ----------------------------------------------------------------------------------------- */

static const struct column total_data[] = {
        {.name = "total", .type = COLUMN_TEXT},
        {.name = "verdict", .type = COLUMN_TEXT},
        {.name = "why", .type = COLUMN_TEXT},
        {.name = "a_mean", .type = COLUMN_FIXED, .decimals = 6},
        {.name = "b_mean", .type = COLUMN_FIXED, .decimals = 6},
        {.name = "a_deviation", .type = COLUMN_FIXED, .decimals = 6},
        {.name = "b_deviation", .type = COLUMN_FIXED, .decimals = 6},
        {.name = "change_percent", .type = COLUMN_FIXED, .decimals = 3},
        {.name = "change_low_percent", .type = COLUMN_FIXED, .decimals = 3},
        {.name = "change_high_percent", .type = COLUMN_FIXED, .decimals = 3},
        {.name = "p", .type = COLUMN_FIXED, .decimals = 6},
        {.name = "q", .type = COLUMN_FIXED, .decimals = 6},
        {.name = "finds_percent", .type = COLUMN_FIXED, .decimals = 3},
};

static void add_total_data(struct table *table, const struct compared_total *total)
{
        const struct compared *c = &total->value;
        bool known = c->welch.is_known;

        table_add_text(table, total->key);
        table_add_text(table, diff_view_verdict(c->verdict, total->unit == COMPARED_NS));
        add_compared(table, diff_columns_add_why, c);
        table_add_fixed(table, c->a.mean);
        table_add_fixed(table, c->b.mean);
        add_number(table, known ? sqrt(c->a.variance) : NAN);
        add_number(table, known ? sqrt(c->b.variance) : NAN);
        add_number(table, comparison_change(c) * 100);
        add_number(table, known ? c->welch.low * 100 : NAN);
        add_number(table, known ? c->welch.high * 100 : NAN);
        add_number(table, known ? c->welch.p : NAN);
        add_number(table, known ? c->q : NAN);
        add_number(table, comparison_smallest_change(c) * 100);
}

struct table *diff_columns_totals(const struct comparison *comparison)
{
        struct table *table = table_new(total_data, N_ELEMENTS(total_data));

        for (size_t i = 0; i < comparison->n_totals; i++)
                add_total_data(table, &comparison->totals[i]);
        return table;
}
