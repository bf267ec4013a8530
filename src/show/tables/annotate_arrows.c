/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_arrows.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

struct laid {
        struct arrow is;
        size_t top, bottom; /* rows */
        size_t lane;        /* 0 is nearest to the text */
};

struct arrows {
        struct laid *list; /* arrows that have a lane */
        size_t n, n_lanes;
        size_t n_rows;
        /* For each row and lane, the arrow there + 1; if two arrows meet in a target, the first one. */
        uint32_t *cells;
};

static int compare(const void *x, const void *y)
{
        const struct laid *a = x, *b = y;
        size_t a_len = a->bottom - a->top, b_len = b->bottom - b->top;

        if (a_len != b_len)
                return a_len < b_len ? -1 : 1;
        return (a->top > b->top) - (a->top < b->top);
}

static uint32_t *cell(const struct arrows *a, size_t row, size_t lane)
{
        return &a->cells[row * ARROWS_LANES + lane];
}

static bool is_free(const struct arrows *a, const struct laid *arrow, size_t lane)
{
        for (size_t row = arrow->top; row <= arrow->bottom; row++) {
                if (*cell(a, row, lane))
                        return false;
        }
        return true;
}

static bool lay(struct arrows *a, struct laid arrow)
{
        for (arrow.lane = 0; arrow.lane < ARROWS_LANES; arrow.lane++) {
                if (!is_free(a, &arrow, arrow.lane))
                        continue;
                a->list[a->n++] = arrow;
                for (size_t row = arrow.top; row <= arrow.bottom; row++)
                        *cell(a, row, arrow.lane) = (uint32_t)a->n;
                if (arrow.lane >= a->n_lanes)
                        a->n_lanes = arrow.lane + 1;
                return true;
        }
        return false;
}

struct arrows *arrows_new(const struct arrow *list, size_t n, size_t n_rows)
{
        struct arrows *a = mem_new(1, sizeof(*a));
        struct laid *sorted = mem_new(n, sizeof(*sorted));

        a->n_rows = n_rows;
        a->list = mem_new(n, sizeof(*a->list));
        a->cells = mem_new(n_rows * ARROWS_LANES, sizeof(*a->cells));
        for (size_t i = 0; i < n; i++) {
                size_t from = list[i].from, to = list[i].to;

                sorted[i] = (struct laid){list[i], from < to ? from : to, from < to ? to : from, 0};
        }
        if (n)
                qsort(sorted, n, sizeof(*sorted), compare);
        for (size_t i = 0; i < n; i++)
                lay(a, sorted[i]);
        free(sorted);
        return a;
}

void arrows_free(struct arrows *a)
{
        if (!a)
                return;
        free(a->list);
        free(a->cells);
        free(a);
}

size_t arrows_width(const struct arrows *a)
{
        return a->n_lanes ? a->n_lanes + 1 : 0;
}

void arrows_add_row(const struct arrows *a, size_t row, struct buf *out)
{
        char line = 0; /* drawn from the end of an outer arrow to the text */
        char end = ' ';

        assert(row < a->n_rows);
        if (!a->n_lanes)
                return;
        for (size_t lane = a->n_lanes; lane-- > 0;) {
                uint32_t at = *cell(a, row, lane);
                const struct laid *arrow = at ? &a->list[at - 1] : NULL;
                bool is_end = arrow && (row == arrow->is.from || row == arrow->is.to);

                if (is_end) {
                        buf_add_char(out, arrow->top == arrow->bottom ? '@' : row == arrow->top ? ',' : '\'');
                        line = '-';
                        if (row == arrow->is.to)
                                end = '>';
                        else if (end == ' ')
                                end = '-';
                } else if (arrow) {
                        buf_add_char(out, line ? '+' : '|');
                } else {
                        buf_add_char(out, line ? line : ' ');
                }
        }
        buf_add_char(out, end);
}

void arrows_add_between(const struct arrows *a, size_t row, struct buf *out)
{
        assert(row < a->n_rows);
        if (!a->n_lanes)
                return;
        for (size_t lane = a->n_lanes; lane-- > 0;) {
                uint32_t at = *cell(a, row, lane);

                buf_add_char(out, at && row < a->list[at - 1].bottom ? '|' : ' ');
        }
        buf_add_char(out, ' ');
}
