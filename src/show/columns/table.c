/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds columns and cells, and formats a cell as plain text; the renderers place the cells. */
#include "table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "mem.h"
#include "table_internal.h"
#include "text_number.h"
#include "text_printable.h"

struct table *table_new(const struct column *columns, size_t n_columns)
{
        struct table *table = mem_new(1, sizeof(*table));

        assert(n_columns > 0);
        table->columns = columns;
        table->n_columns = n_columns;
        return table;
}

void table_free(struct table *table)
{
        if (!table)
                return;
        free(table->cells);
        free(table->footers);
        arena_release(&table->texts);
        free(table);
}

void table_color(struct table *table, bool is_colored)
{
        table->is_colored = is_colored;
}

static const struct column *next_column(const struct table *table)
{
        return &table->columns[table->n_cells % table->n_columns];
}

static void push(struct table *table, struct table_cell cell)
{
        ARRAY_PUSH(table->cells, table->n_cells, table->cap_cells, cell);
}

void table_add_text(struct table *table, const char *text)
{
        assert(next_column(table)->type == COLUMN_TEXT);
        push(table, (struct table_cell){.text = arena_copy(&table->texts, text, strlen(text))});
}

void table_add_name(struct table *table, const char *text, size_t n_kept)
{
        assert(next_column(table)->type == COLUMN_TEXT && n_kept <= strlen(text));
        push(table,
             (struct table_cell){.text = arena_copy(&table->texts, text, strlen(text)), .n_kept = n_kept});
}

void table_add_u64(struct table *table, uint64_t value)
{
        assert(next_column(table)->type != COLUMN_TEXT && next_column(table)->type != COLUMN_FIXED);
        push(table, (struct table_cell){.number = value});
}

void table_add_fixed(struct table *table, double value)
{
        assert(next_column(table)->type == COLUMN_FIXED);
        push(table, (struct table_cell){.fixed = value});
}

void table_add_u64_as(struct table *table, uint64_t value, const char *text)
{
        assert(next_column(table)->type == COLUMN_U64 || next_column(table)->type == COLUMN_THOUSANDS);
        push(table,
             (struct table_cell){.number = value, .shown = arena_copy(&table->texts, text, strlen(text))});
}

void table_add_none(struct table *table)
{
        push(table, (struct table_cell){.is_none = true});
}

void table_add_footer(struct table *table, const char *const *texts)
{
        for (size_t i = 0; i < table->n_columns; i++) {
                AUTO_RELEASE(buf) text = {0};

                text_add_printable(&text, texts[i] ? texts[i] : "");
                ARRAY_PUSH(table->footers, table->n_footers, table->cap_footers,
                           arena_copy(&table->texts, buf_text(&text), text.len));
        }
}

size_t table_n_rows(const struct table *table)
{
        return table->n_cells / table->n_columns;
}

size_t table_n_columns(const struct table *table)
{
        return table->n_columns;
}

const struct column *table_get_column(const struct table *table, size_t index)
{
        assert(index < table->n_columns);
        return &table->columns[index];
}

void table_cell_format(const struct column *column, const struct table_cell *cell, bool screen,
                       struct buf *out)
{
        if (cell->is_none)
                return;
        if (screen && cell->shown) {
                text_add_printable(out, cell->shown);
                return;
        }
        switch (column->type) {
        case COLUMN_TEXT: text_add_printable(out, cell->text); break;
        case COLUMN_U64: buf_printf(out, "%" PRIu64, cell->number); break;
        case COLUMN_THOUSANDS:
                if (screen)
                        text_add_thousands(out, cell->number);
                else
                        buf_printf(out, "%" PRIu64, cell->number);
                break;
        case COLUMN_FIXED: buf_printf(out, "%.*f", column->decimals, cell->fixed); break;
        case COLUMN_HEX: buf_printf(out, "0x%0*" PRIx64, column->digits, cell->number); break;
        }
}

void table_add_cell(const struct table *table, size_t row, size_t column, struct buf *out)
{
        assert(row < table_n_rows(table) && column < table->n_columns);
        table_cell_format(&table->columns[column], &table->cells[row * table->n_columns + column], false,
                          out);
}

void table_add_key(const struct column *column, struct buf *out)
{
        if (column->key) {
                buf_add_str(out, column->key);
                return;
        }
        for (const char *at = column->name; *at; at++)
                buf_add_char(out, *at == ' ' ? '_' : *at);
}
