/* SPDX-License-Identifier: BSD-3-Clause */
#include "lock_view.h"

#include <inttypes.h>

#include "table.h"

enum { FUNCTION = 5, OWNER = 6 }; /* text columns */

static const struct column text_columns[] = {
        {.name = "total ms", .type = COLUMN_FIXED, .decimals = 3},
        {.name = "longest", .type = COLUMN_FIXED, .decimals = 3},
        {.name = "mean", .type = COLUMN_FIXED, .decimals = 3},
        {.name = "waits", .type = COLUMN_U64},
        {.name = "lock", .type = COLUMN_TEXT, .can_cut = true},
        {.name = "who waits", .type = COLUMN_TEXT, .is_name = true, .can_cut = true},
        {.name = "who has it", .type = COLUMN_TEXT, .can_cut = true},
};

enum { MAX_COLUMNS = N_ELEMENTS(text_columns) + 1 };

static const struct column data_columns[] = {
        {.name = "lock", .type = COLUMN_TEXT},
        {.name = "address", .type = COLUMN_HEX},
        {.name = "pid", .type = COLUMN_U64},
        {.name = "function", .type = COLUMN_TEXT},
        {.name = "waiter", .type = COLUMN_TEXT}, /* these three of rows by thread, process or name */
        {.name = "waiter_pid", .type = COLUMN_U64},
        {.name = "waiter_tid", .type = COLUMN_U64},
        {.name = "owner", .type = COLUMN_TEXT},
        {.name = "owner_tid", .type = COLUMN_U64},
        {.name = "owner_function", .type = COLUMN_TEXT},
        {.name = "owner_seconds", .type = COLUMN_FIXED, .decimals = 9},
        {.name = "count", .type = COLUMN_U64},
        {.name = "seconds", .type = COLUMN_FIXED, .decimals = 9},
        {.name = "longest_seconds", .type = COLUMN_FIXED, .decimals = 9},
        {.name = "mean_seconds", .type = COLUMN_FIXED, .decimals = 9},
};

static double mean_of(const struct lock_row *row)
{
        return row->count ? (double)row->total_ns / (double)row->count : 0;
}

static double seconds(double ns)
{
        return ns / 1e9;
}

/* "hold in worker (4711), 94 %" */
static void add_owner(const struct lock_row *row, struct table *table)
{
        AUTO_RELEASE(buf) text = {0};

        if (!row->owner_ns) {
                table_add_text(table, "");
                return;
        }
        if (*row->owner_function)
                buf_printf(&text, "%s in ", row->owner_function);
        if (row->owner_tid)
                buf_printf(&text, "%s (%" PRId32 ")", row->owner, row->owner_tid);
        else
                buf_add_str(&text, "several threads");
        buf_printf(&text, ", %.0f %%", 100 * (double)row->owner_ns / (double)row->total_ns);
        table_add_text(table, buf_text(&text));
}

/* Beside the function it may say whose waits they are. Owners of the kernel's locks are not known. */
static size_t choose_columns(const struct lock_rows *rows, struct column columns[MAX_COLUMNS])
{
        size_t n = 0;

        for (size_t i = 0; i < N_ELEMENTS(text_columns); i++) {
                if (i != OWNER || !rows->is_kernel)
                        columns[n++] = text_columns[i];
                if (i == FUNCTION && rows->by != WAITERS_ALL)
                        columns[n++] = (struct column){
                                .name = waiters_word(rows->by), .type = COLUMN_TEXT, .can_cut = true};
        }
        return n;
}

static void add_text_row(const struct lock_rows *rows, const struct lock_row *row, struct table *table)
{
        AUTO_RELEASE(buf) lock = {0};
        AUTO_RELEASE(buf) waiter = {0};

        buf_add_str(&lock, row->lock);
        if (row->address)
                buf_printf(&lock, " 0x%" PRIx64, row->address);
        table_add_fixed(table, (double)row->total_ns / 1e6);
        table_add_fixed(table, (double)row->longest_ns / 1e6);
        table_add_fixed(table, mean_of(row) / 1e6);
        table_add_u64(table, row->count);
        table_add_text(table, buf_text(&lock));
        table_add_text(table, *row->function ? row->function : "unknown");
        if (rows->by != WAITERS_ALL) {
                waiters_add_text(rows->by, &row->waiter, &waiter);
                table_add_text(table, buf_text(&waiter));
        }
        if (!rows->is_kernel)
                add_owner(row, table);
}

static void add_heading(const struct lock_rows *rows, struct buf *out)
{
        buf_printf(out, "%" PRIu64 " wait%s for locks%s, %.3f s in total\n", rows->count,
                   rows->count == 1 ? "" : "s", rows->is_kernel ? " of the kernel" : "",
                   seconds((double)rows->total_ns));
        if (rows->n_cut)
                buf_printf(out, "not counted: %" PRIu64 " that began or ended outside of the recording\n",
                           rows->n_cut);
        if (rows->n_left_out)
                buf_printf(out, "%" PRIu64 " waits are in no row, because the limit of memory was reached\n",
                           rows->n_left_out);
}

void lock_view_text(const struct lock_view *view, struct buf *out)
{
        const struct lock_rows *rows = view->rows;
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

static void add_known(bool is_known, uint64_t value, struct table *table)
{
        if (is_known)
                table_add_u64(table, value);
        else
                table_add_none(table);
}

static struct table *make_data(const struct lock_rows *rows)
{
        struct table *table = table_new(data_columns, N_ELEMENTS(data_columns));

        for (size_t i = 0; i < rows->n; i++) {
                const struct lock_row *row = &rows->items[i];

                table_add_text(table, row->lock);
                add_known(row->address, row->address, table);
                add_known(!rows->is_kernel, (uint64_t)row->pid, table);
                table_add_text(table, row->function);
                table_add_text(table, row->waiter.name);
                add_known(row->waiter.pid, (uint64_t)row->waiter.pid, table);
                add_known(row->waiter.tid, (uint64_t)row->waiter.tid, table);
                table_add_text(table, row->owner);
                add_known(row->owner_tid, (uint64_t)row->owner_tid, table);
                table_add_text(table, row->owner_function);
                table_add_fixed(table, seconds((double)row->owner_ns));
                table_add_u64(table, row->count);
                table_add_fixed(table, seconds((double)row->total_ns));
                table_add_fixed(table, seconds((double)row->longest_ns));
                table_add_fixed(table, seconds(mean_of(row)));
        }
        return table;
}

void lock_view_csv(const struct lock_view *view, struct buf *out)
{
        AUTO(table) table = make_data(view->rows);

        table_render_csv(table, out);
}

void lock_view_json(const struct lock_view *view, struct json *json)
{
        const struct lock_rows *rows = view->rows;
        AUTO(table) table = make_data(rows);

        json_key(json, "locks");
        json_begin_object(json);
        json_key_bool(json, "of_kernel", rows->is_kernel);
        json_key(json, "by");
        if (rows->by == WAITERS_ALL)
                json_null(json);
        else
                json_str(json, waiters_word(rows->by));
        json_key_u64(json, "count", rows->count);
        json_key(json, "seconds");
        json_fixed(json, seconds((double)rows->total_ns), 9);
        json_key_u64(json, "cut", rows->n_cut);
        json_key_u64(json, "left_out", rows->n_left_out);
        json_key(json, "rows");
        table_render_json(table, true, json);
        json_end_object(json);
}
