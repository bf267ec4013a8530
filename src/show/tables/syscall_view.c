/* SPDX-License-Identifier: BSD-3-Clause */
#include "syscall_view.h"

#include <inttypes.h>

#include "table.h"

enum { SHOWN_NS = 500000 }; /* what is not 0.000 s */

enum { COUNT = 3, ERRORS = 4 }; /* text columns */

static const struct column text_columns[] = {
        {.name = "total ms", .type = COLUMN_FIXED, .decimals = 3},
        {.name = "longest", .type = COLUMN_FIXED, .decimals = 3},
        {.name = "mean", .type = COLUMN_FIXED, .decimals = 3},
        {.name = "count", .type = COLUMN_U64},
        {.name = "errors", .type = COLUMN_U64},
        {.name = "call", .type = COLUMN_TEXT, .can_cut = true},
};

enum { MAX_COLUMNS = N_ELEMENTS(text_columns) + 1 };

static const struct column data_columns[] = {
        {.name = "call", .type = COLUMN_TEXT},
        {.name = "number", .type = COLUMN_U64},
        {.name = "thread", .type = COLUMN_TEXT}, /* of a process that of its first thread */
        {.name = "pid", .type = COLUMN_U64},
        {.name = "tid", .type = COLUMN_U64},
        {.name = "count", .type = COLUMN_U64},
        {.name = "errors", .type = COLUMN_U64},
        {.name = "seconds", .type = COLUMN_FIXED, .decimals = 9},
        {.name = "longest_seconds", .type = COLUMN_FIXED, .decimals = 9},
        {.name = "mean_seconds", .type = COLUMN_FIXED, .decimals = 9},
};

static double mean_of(const struct syscall_row *row)
{
        return row->count ? (double)row->total_ns / (double)row->count : 0;
}

static double seconds(double ns)
{
        return ns / 1e9;
}

static void add_heading(const struct syscall_rows *rows, struct buf *out)
{
        const char *plural = rows->count == 1 ? "" : "s";

        buf_printf(out, "%" PRIu64 " %s%s%s, %.3f s in total\n", rows->count,
                   rows->is_waits ? "wait" : "system call", plural, rows->is_waits ? " in system calls" : "",
                   seconds((double)rows->total_ns));
        if (rows->is_waits)
                buf_add_str(out, "system calls that did not wait were not recorded\n");
        if (rows->n_cut)
                buf_printf(out, "not counted: %" PRIu64 " that began or ended outside of the recording\n",
                           rows->n_cut);
        if (rows->n_left_out)
                buf_printf(out,
                           "%" PRIu64
                           " system calls are in no row, because the limit of memory was reached\n",
                           rows->n_left_out);
        if (rows->unknown_ns >= SHOWN_NS)
                buf_printf(out, "%.3f s of waits in unknown system calls\n",
                           seconds((double)rows->unknown_ns));
}

/* Calls that did not wait are not known, and errors of none. The last column says whose calls they are. */
static size_t choose_columns(const struct syscall_rows *rows, struct column columns[MAX_COLUMNS])
{
        size_t n = 0;

        for (size_t i = 0; i < N_ELEMENTS(text_columns); i++) {
                columns[n] = text_columns[i];
                if (rows->is_waits && i == COUNT)
                        columns[n].name = "waits";
                n += !rows->is_waits || i != ERRORS;
        }
        if (rows->by != WAITERS_ALL)
                columns[n++] =
                        (struct column){.name = waiters_word(rows->by), .type = COLUMN_TEXT, .can_cut = true};
        return n;
}

static void add_text_row(const struct syscall_rows *rows, const struct syscall_row *row, struct table *table)
{
        AUTO_RELEASE(buf) waiter = {0};

        table_add_fixed(table, (double)row->total_ns / 1e6);
        table_add_fixed(table, (double)row->longest_ns / 1e6);
        table_add_fixed(table, mean_of(row) / 1e6);
        table_add_u64(table, row->count);
        if (!rows->is_waits)
                table_add_u64(table, row->n_errors);
        table_add_text(table, row->call);
        if (rows->by == WAITERS_ALL)
                return;
        waiters_add_text(rows->by, &row->waiter, &waiter);
        table_add_text(table, buf_text(&waiter));
}

void syscall_view_text(const struct syscall_view *view, struct buf *out)
{
        const struct syscall_rows *rows = view->rows;
        struct column columns[MAX_COLUMNS];
        AUTO(table) table = table_new(columns, choose_columns(rows, columns));
        size_t n = rows->n < view->n_rows ? rows->n : (size_t)view->n_rows;

        add_heading(rows, out);
        for (size_t i = 0; i < n; i++)
                add_text_row(rows, &rows->items[i], table);
        table_render_text(table, view->max_columns, out);
        if (n < rows->n)
                buf_printf(out, "%zu more\n", rows->n - n);
}

static void add_known(int32_t number, struct table *table)
{
        if (number)
                table_add_u64(table, (uint64_t)number);
        else
                table_add_none(table);
}

static struct table *make_data(const struct syscall_rows *rows)
{
        struct table *table = table_new(data_columns, N_ELEMENTS(data_columns));

        for (size_t i = 0; i < rows->n; i++) {
                const struct syscall_row *row = &rows->items[i];

                table_add_text(table, row->call);
                if (row->number < 0)
                        table_add_none(table);
                else
                        table_add_u64(table, (uint64_t)row->number);
                table_add_text(table, row->waiter.name);
                add_known(row->waiter.pid, table);
                add_known(row->waiter.tid, table);
                table_add_u64(table, row->count);
                if (rows->is_waits)
                        table_add_none(table);
                else
                        table_add_u64(table, row->n_errors);
                table_add_fixed(table, seconds((double)row->total_ns));
                table_add_fixed(table, seconds((double)row->longest_ns));
                table_add_fixed(table, seconds(mean_of(row)));
        }
        return table;
}

void syscall_view_csv(const struct syscall_view *view, struct buf *out)
{
        AUTO(table) table = make_data(view->rows);

        table_render_csv(table, out);
}

void syscall_view_json(const struct syscall_view *view, struct json *json)
{
        const struct syscall_rows *rows = view->rows;
        AUTO(table) table = make_data(rows);

        json_key(json, "syscalls");
        json_begin_object(json);
        json_key_bool(json, "only_waits", rows->is_waits);
        json_key_str(json, "by", waiters_word(rows->by));
        json_key_u64(json, "count", rows->count);
        json_key(json, "seconds");
        json_fixed(json, seconds((double)rows->total_ns), 9);
        json_key_u64(json, "cut", rows->n_cut);
        json_key_u64(json, "left_out", rows->n_left_out);
        json_key(json, "unknown_seconds");
        json_fixed(json, seconds((double)rows->unknown_ns), 9);
        json_key(json, "rows");
        table_render_json(table, true, json);
        json_end_object(json);
}
