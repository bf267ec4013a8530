/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON form: an array of objects whose keys are WindowsPerf's, the headings with '_' for ' '. */
#include <assert.h>

#include "table_internal.h"

static void add_value(const struct column *column, const struct table_cell *cell, struct json *json)
{
        AUTO_RELEASE(buf) text = {0};

        if (cell->is_none) {
                json_null(json);
                return;
        }
        switch (column->type) {
        case COLUMN_TEXT: json_str(json, cell->text); break;
        case COLUMN_U64:
        case COLUMN_THOUSANDS: json_u64(json, cell->number); break;
        case COLUMN_FIXED: json_fixed(json, cell->fixed, column->decimals); break;
        case COLUMN_HEX:
                table_cell_format(column, cell, false, &text);
                json_str(json, buf_text(&text));
                break;
        }
}

void table_render_json(const struct table *table, bool with_extras, struct json *json)
{
        AUTO_RELEASE(buf) key = {0};

        assert(table->n_cells % table->n_columns == 0);
        json_begin_array(json);
        for (size_t i = 0; i < table->n_cells; i++) {
                const struct column *column = &table->columns[i % table->n_columns];

                if (column == table->columns)
                        json_begin_object(json);
                if (with_extras || !column->is_extra) {
                        buf_clear(&key);
                        table_add_key(column, &key);
                        json_key(json, buf_text(&key));
                        add_value(column, &table->cells[i], json);
                }
                if ((i + 1) % table->n_columns == 0)
                        json_end_object(json);
        }
        json_end_array(json);
}
