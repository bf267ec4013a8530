/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the handlers of an interpreter's loop.  If all labels have addresses, addresses divide the code.
 * If the optimiser has removed some of the labels, it has also moved code; then an instruction belongs to a
 * handler by its line and the lines of the labels. */
#include <stdlib.h>
#include <string.h>

#include "annotate_internal.h"
#include "mem.h"
#include "resolver_code.h"
#include "search.h"
#include "strpool.h"
#include "text.h"

static uint64_t first_addr(const struct annotate *a)
{
        return a->request.n_extents ? a->request.extents[0].start : 0;
}

/* CPython's PREDICTED() adds a second label to a handler. */
static void drop_second_labels(struct handlers *h, const struct annotate *a)
{
        size_t n = 0;

        for (size_t i = 0; i < h->n_labels; i++) {
                if (!text_starts(annotate_text(a, h->labels[i].name), "PRED_"))
                        h->labels[n++] = h->labels[i];
        }
        h->n_labels = n;
}

void handlers_init(struct handlers *h, const struct annotate *a)
{
        *h = (struct handlers){0};
        h->n_labels = resolver_find_labels(a->request.resolver, a->request.id, first_addr(a), &h->labels);
        drop_second_labels(h, a);
        for (size_t i = 0; i < h->n_labels; i++)
                h->by_line |= !h->labels[i].has_addr;
}

void handlers_release(struct handlers *h)
{
        free(h->labels);
        *h = (struct handlers){0};
}

static uint64_t extent_start(const struct annotate *a, uint64_t addr)
{
        for (size_t i = 0; i < a->request.n_extents; i++) {
                if (addr >= a->request.extents[i].start && addr < a->request.extents[i].end)
                        return a->request.extents[i].start;
        }
        return 0;
}

/* The last label at or before the address, in the same address range of the function. */
static size_t find_by_addr(const struct handlers *h, const struct annotate *a, uint64_t addr)
{
        size_t low = 0, high = h->n_labels;

        SEARCH_FIRST(low, high, middle, h->labels[middle].addr <= addr);
        return low && h->labels[low - 1].addr >= extent_start(a, addr) ? low - 1 : SIZE_MAX;
}

/* With link-time optimisation, two units name a file relative to different folders: "./a/../b.c" and
 * "/src/a/../b.c". */
static bool is_same_file(const struct annotate *a, str_id x, str_id y)
{
        const char *long_path = annotate_text(a, x), *path = annotate_text(a, y), *swap;

        if (x == y)
                return x;
        if (strlen(path) > strlen(long_path)) {
                swap = path;
                path = long_path;
                long_path = swap;
        }
        if (text_starts(path, "./"))
                path += 2;
        return *path && path[0] != '/' && text_ends(long_path, path) &&
               long_path[strlen(long_path) - strlen(path) - 1] == '/';
}

/* The last label at or before the line of the function itself; for inlined code this is the line where it
 * was inlined. */
static size_t find_by_line(const struct handlers *h, const struct annotate *a,
                           const struct annotate_point *point)
{
        const struct resolver_frame *own;
        size_t best = SIZE_MAX;

        if (!point->n_frames)
                return SIZE_MAX;
        own = &point->frames[point->n_frames - 1];
        for (size_t i = 0; i < h->n_labels; i++) {
                const struct resolver_label *label = &h->labels[i];

                if (label->line && label->line <= own->line &&
                    (best == SIZE_MAX || label->line > h->labels[best].line) &&
                    is_same_file(a, label->path, own->path))
                        best = i;
        }
        return best;
}

size_t handlers_find(const struct handlers *h, const struct annotate *a, const struct annotate_point *point)
{
        return h->by_line ? find_by_line(h, a, point) : find_by_addr(h, a, point->addr);
}

bool annotate_tail_calls(const struct hot *hot, uint32_t event, struct annotate_rows *ret)
{
        *ret = (struct annotate_rows){.names = strpool_new()};
        for (size_t i = 0; i < hot_n_rows(hot); i++) {
                const struct hot_row *row = hot_get_row(hot, i);
                const char *name = hot_text(hot, row->bare);
                struct annotate_row handler = {
                        .name = name,
                        .count = row->count,
                        .weight = row->weight,
                        .whole_count = row->count,
                        .whole_weight = row->weight,
                };

                if (row->event == event && text_starts(name, "_TAIL_CALL_"))
                        ARRAY_PUSH(ret->rows, ret->n_rows, ret->cap_rows, handler);
        }
        return ret->n_rows;
}
