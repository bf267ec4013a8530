/* SPDX-License-Identifier: BSD-3-Clause */
/* The CSV form, RFC 4180 but for lines, which end in LF so that awk and grep see no CR: column names are
 * the JSON keys; numbers have no separators. */
#include <assert.h>
#include <string.h>

#include "table_internal.h"

static void add_field(const char *text, struct buf *out)
{
        if (!strpbrk(text, ",\"\r\n")) {
                buf_add_str(out, text);
                return;
        }
        buf_add_char(out, '"');
        for (const char *at = text; *at; at++) {
                if (*at == '"')
                        buf_add_char(out, '"');
                buf_add_char(out, *at);
        }
        buf_add_char(out, '"');
}

static void add_end(const struct table *table, size_t column, struct buf *out)
{
        buf_add_str(out, column + 1 == table->n_columns ? "\n" : ",");
}

void table_render_csv(const struct table *table, struct buf *out)
{
        AUTO_RELEASE(buf) text = {0};

        assert(table->n_cells % table->n_columns == 0);
        for (size_t i = 0; i < table->n_columns; i++) {
                buf_clear(&text);
                table_add_key(&table->columns[i], &text);
                add_field(buf_text(&text), out);
                add_end(table, i, out);
        }
        for (size_t i = 0; i < table->n_cells; i++) {
                size_t column = i % table->n_columns;

                buf_clear(&text);
                table_cell_format(&table->columns[column], &table->cells[i], false, &text);
                add_field(buf_text(&text), out);
                add_end(table, column, out);
        }
}
