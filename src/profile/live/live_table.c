/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_table.h"

#include <stdlib.h>
#include <string.h>

void live_sum_add(struct live_sum *to, const struct live_sum *from)
{
        to->self_count += from->self_count;
        to->self_weight += from->self_weight;
        to->count += from->count;
        to->weight += from->weight;
}

bool live_row_is_shown(const struct live_row *row)
{
        return !row->states || row->now.weight || row->since.weight;
}

bool live_row_is_same(const struct live_row *a, const struct live_row *b)
{
        return a->pid == b->pid && a->tid == b->tid && a->line == b->line && a->is_python == b->is_python &&
               a->is_kernel == b->is_kernel && a->is_unnamed == b->is_unnamed && !strcmp(a->name, b->name) &&
               !strcmp(a->label, b->label) && !strcmp(a->module, b->module) && !strcmp(a->file, b->file);
}

void live_table_free(struct live_table *table)
{
        if (!table)
                return;
        for (size_t i = 0; i < LIVE_N_KINDS; i++)
                free(table->kinds[i].items);
        arena_release(&table->texts);
        free(table);
}

static int compare_down(uint64_t a, uint64_t b)
{
        return (a < b) - (a > b);
}

/* Equal rows have a fixed order, so that a table does not flicker. */
static int compare_names(const struct live_row *a, const struct live_row *b)
{
        int order = strcmp(a->name, b->name);

        if (!order)
                order = strcmp(a->label, b->label);
        if (!order)
                order = strcmp(a->module, b->module);
        if (!order)
                order = strcmp(a->file, b->file);
        if (!order)
                order = (a->line > b->line) - (a->line < b->line);
        return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

static int compare_since(const struct live_row *a, const struct live_row *b)
{
        int order = compare_down(a->since.weight, b->since.weight);

        if (!order)
                order = compare_down(a->since.self_weight, b->since.self_weight);
        return order ? order : compare_names(a, b);
}

static int by_total(const void *x, const void *y)
{
        const struct live_row *a = x, *b = y;
        int order = compare_down(b->is_rest, a->is_rest);

        if (!order)
                order = compare_down(a->now.weight, b->now.weight);
        if (!order)
                order = b->is_python - a->is_python;
        return order ? order : compare_since(a, b);
}

static int by_self(const void *x, const void *y)
{
        const struct live_row *a = x, *b = y;
        int order = compare_down(b->is_rest, a->is_rest);

        if (!order)
                order = compare_down(a->now.self_weight, b->now.self_weight);
        if (!order)
                order = compare_down(a->since.self_weight, b->since.self_weight);
        return order ? order : by_total(x, y);
}

static int by_since(const void *x, const void *y)
{
        const struct live_row *a = x, *b = y;
        int order = compare_down(b->is_rest, a->is_rest);

        return order ? order : compare_since(a, b);
}

void live_table_sort(struct live_table *table, enum live_kind kind, enum live_order order)
{
        static int (*const functions[])(const void *, const void *) = {
                [LIVE_BY_TOTAL] = by_total, [LIVE_BY_SELF] = by_self, [LIVE_BY_SINCE] = by_since};
        struct live_rows *rows = &table->kinds[kind];

        if (rows->n)
                qsort(rows->items, rows->n, sizeof(*rows->items), functions[order]);
}
