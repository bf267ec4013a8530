/* SPDX-License-Identifier: BSD-3-Clause */
/* Shortens names of functions in a table: the module at the end stays whole, and different names get
 * different texts. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "mem.h"
#include "name_text.h"
#include "table_internal.h"
#include "text_printable.h"
#include "text_width.h"

enum { MIN_NAME_WIDTH = 8 };

/* A cell of the column, shortened. */
struct short_name {
        const char *text;
        const struct table_cell *cell, *twin;
        size_t row;
};

static void add_name(const struct table_cell *cell, struct buf *name)
{
        buf_add(name, cell->text, strlen(cell->text) - cell->n_kept);
}

void table_name_format(const struct table_cell *cell, const struct table_cell *twin, size_t room,
                       struct buf *out)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) other = {0};
        AUTO_RELEASE(buf) kept = {0};
        size_t kept_width;

        add_name(cell, &name);
        text_add_printable(&kept, cell->text + name.len);
        kept_width = text_width(buf_text(&kept));
        if (room && room < kept_width + MIN_NAME_WIDTH) {
                table_add_middle(out, cell->text, room);
                return;
        }
        if (twin)
                add_name(twin, &other);
        name_text_add(out, buf_text(&name), twin ? buf_text(&other) : NULL, room ? room - kept_width : 0);
        buf_add(out, kept.data, kept.len);
}

static int compare(const void *x, const void *y)
{
        const struct short_name *a = x, *b = y;
        int order = strcmp(a->text, b->text);

        return order ? order : strcmp(a->cell->text, b->cell->text);
}

/* Takes the neighbour in the sorted order as its twin. */
static void take_twin(struct short_name *name, const struct short_name *neighbour)
{
        if (name->twin || strcmp(name->text, neighbour->text) != 0)
                return;
        name->twin = strcmp(name->cell->text, neighbour->cell->text) ? neighbour->cell : neighbour->twin;
}

const struct table_cell **table_find_twins(const struct table *table, size_t column, size_t room)
{
        assert(column < table->n_columns);

        const size_t n_columns = table->n_columns, n = table->n_cells / n_columns;
        const struct table_cell *cells = table->cells + column, **twins = mem_new(n, sizeof(*twins));
        struct short_name *names = mem_new(n, sizeof(*names));
        struct arena texts = {0};
        size_t n_names = 0;

        for (size_t row = 0; row < n; row++) {
                const struct table_cell *cell = &cells[row * n_columns];
                AUTO_RELEASE(buf) text = {0};

                if (cell->is_none)
                        continue;
                table_name_format(cell, NULL, room, &text);
                names[n_names++] =
                        (struct short_name){arena_copy(&texts, buf_text(&text), text.len), cell, NULL, row};
        }
        if (n_names)
                qsort(names, n_names, sizeof(*names), compare);
        for (size_t i = 1; i < n_names; i++)
                take_twin(&names[i], &names[i - 1]);
        for (size_t i = n_names; i-- > 1;)
                take_twin(&names[i - 1], &names[i]);
        for (size_t i = 0; i < n_names; i++)
                twins[names[i].row] = names[i].twin;
        arena_release(&texts);
        free(names);
        return twins;
}
