/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums up points with the same key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_internal.h"
#include "buf.h"
#include "err.h"
#include "map.h"
#include "mem.h"
#include "strpool.h"

struct grouper {
        const struct annotate *a;
        struct annotate_rows *out;
        struct map rows;   /* key -> row + 1 */
        struct map copies; /* inlined functions that were counted: hash of function and start -> 1 */
};

static const char *text_of(const struct grouper *g, str_id id)
{
        return resolver_text(g->a->request.resolver, id);
}

/* Returns the row of a key; a new one is initialised with `row`. */
static struct annotate_row *put_row(struct grouper *g, uint64_t key, struct annotate_row row)
{
        bool is_new;
        uint64_t *at = map_put(&g->rows, key, &is_new);

        if (is_new) {
                ARRAY_PUSH(g->out->rows, g->out->n_rows, g->out->cap_rows, row);
                *at = g->out->n_rows;
        }
        return &g->out->rows[*at - 1];
}

static void add_self(struct annotate_row *row, const struct annotate_point *point)
{
        row->count += point->count;
        row->weight += point->weight;
}

static void add_whole(struct annotate_row *row, const struct annotate_point *point)
{
        row->whole_count += point->count;
        row->whole_weight += point->weight;
}

static void add_both(struct annotate_row *row, const struct annotate_point *point)
{
        add_self(row, point);
        add_whole(row, point);
}

/* --- Functions --- */

static void by_function(struct grouper *g, const struct annotate_point *point)
{
        str_id function = point->n_frames ? point->frames[0].function : 0;

        add_both(put_row(g, function,
                         (struct annotate_row){.name = function ? text_of(g, function) : "unknown",
                                               .id = function}),
                 point);
}

static bool is_repeated(const struct annotate_point *point, size_t frame)
{
        for (size_t i = 0; i < frame; i++) {
                if (point->frames[i].function == point->frames[frame].function)
                        return true;
        }
        return false;
}

static void count_copy(struct grouper *g, struct annotate_row *row, const struct resolver_frame *frame)
{
        uint64_t copy[] = {frame->function, frame->start};
        bool is_new;

        map_put(&g->copies, map_hash_bytes(copy, sizeof(copy)), &is_new);
        row->n_places += is_new;
}

static void add_inlined_frame(struct grouper *g, const struct annotate_point *point, size_t i)
{
        const struct resolver_frame *frame = &point->frames[i];
        struct annotate_row *row =
                put_row(g, frame->function,
                        (struct annotate_row){.name = text_of(g, frame->function), .id = frame->function});

        if (!is_repeated(point, i))
                add_whole(row, point);
        if (!i)
                add_self(row, point);
        count_copy(g, row, frame);
}

/* A function that is inlined may also be called; then the sum includes the samples of the called function. */
static void add_called_copies(struct grouper *g)
{
        for (size_t p = 0; p < g->a->n_points; p++) {
                const struct annotate_point *point = &g->a->points[p];
                size_t last = point->n_frames - 1;

                if (point->count && point->n_frames && map_find(&g->rows, point->frames[last].function))
                        add_inlined_frame(g, point, last);
        }
}

static void by_inlined(struct grouper *g, const struct annotate_point *point)
{
        for (size_t i = 0; i < point->n_frames; i++) {
                if (point->frames[i].is_inlined && point->frames[i].function)
                        add_inlined_frame(g, point, i);
        }
}

/* --- Lines, blocks, instructions --- */

static void by_line(struct grouper *g, const struct annotate_point *point)
{
        static const struct resolver_frame nothing;
        const struct resolver_frame *frame = point->n_frames ? point->frames : &nothing;
        str_id inlined = frame->is_inlined ? frame->function : 0;
        uint64_t key[] = {frame->path, frame->line, inlined};
        struct annotate_row row = {
                .name = "",
                .path = frame->path ? text_of(g, frame->path) : NULL,
                .line = frame->path ? frame->line : 0,
                .function = inlined ? text_of(g, inlined) : NULL,
                .addr = point->addr,
        };

        add_both(put_row(g, map_hash_bytes(key, sizeof(key)), row), point);
}

static uint64_t end_of(const struct annotate_point *point)
{
        return point->addr + (point->insn ? point->insn->size : 1);
}

static void by_instruction(struct grouper *g, const struct annotate_point *point)
{
        add_both(put_row(g, point->addr,
                         (struct annotate_row){.name = point->insn ? point->insn->text : "",
                                               .addr = point->addr,
                                               .end = end_of(point)}),
                 point);
}

static void by_blocks(struct grouper *g)
{
        const struct annotate *a = g->a;
        size_t n_block = 0;

        for (size_t i = 0, end; i < a->n_points; i = end) {
                struct annotate_row row = {.addr = a->points[i].addr};
                char name[32];

                end = i;
                do {
                        add_both(&row, &a->points[end]);
                        row.end = end_of(&a->points[end]);
                        end++;
                } while (end < a->n_points && !a->points[end].begins_block);
                snprintf(name, sizeof(name), "block %zu", ++n_block);
                row.name = strpool_get(g->out->names, strpool_add(g->out->names, name));
                if (row.count)
                        ARRAY_PUSH(g->out->rows, g->out->n_rows, g->out->cap_rows, row);
        }
}

/* --- Handlers --- */

static void by_handlers(struct grouper *g, const struct handlers *h)
{
        for (size_t i = 0; i < g->a->n_points; i++) {
                const struct annotate_point *point = &g->a->points[i];
                struct annotate_row row = {.name = "(before the first label)"};
                size_t label;

                if (!point->count)
                        continue;
                label = handlers_find(h, g->a, point);
                if (label != SIZE_MAX) {
                        row.name = text_of(g, h->labels[label].name);
                        row.path = h->labels[label].path ? text_of(g, h->labels[label].path) : NULL;
                        row.line = h->labels[label].line;
                        row.addr = h->labels[label].addr;
                }
                add_both(put_row(g, label, row), point);
        }
        g->out->handlers_by_line = h->by_line;
}

/* --- Functions with equal names --- */

static int compare_names(const void *x, const void *y)
{
        const struct annotate_row *a = x, *b = y;
        int order = strcmp(a->name, b->name);

        return order ? order : (a->id > b->id) - (a->id < b->id);
}

static void add_arguments(struct grouper *g, struct annotate_row *row)
{
        AUTO_RELEASE(buf) text = {0};

        if (resolver_add_arguments(g->a->request.resolver, row->id, &text))
                row->name =
                        strpool_get(g->out->names, strpool_add_len(g->out->names, buf_text(&text), text.len));
}

/* Variants of a function (as of constructors) have equal names, also with their arguments. */
static void merge_equals(struct annotate_rows *out)
{
        size_t n = 0;

        for (size_t i = 0; i < out->n_rows; i++) {
                struct annotate_row *last = n ? &out->rows[n - 1] : NULL, *row = &out->rows[i];

                if (!last || strcmp(last->name, row->name) != 0) {
                        out->rows[n++] = *row;
                        continue;
                }
                last->count += row->count;
                last->weight += row->weight;
                last->whole_count += row->whole_count;
                last->whole_weight += row->whole_weight;
                last->n_places += row->n_places;
        }
        out->n_rows = n;
}

static void tell_apart(struct grouper *g)
{
        struct annotate_rows *out = g->out;
        size_t end;

        if (!out->n_rows)
                return;
        qsort(out->rows, out->n_rows, sizeof(*out->rows), compare_names);
        for (size_t i = 0; i < out->n_rows; i = end) {
                const char *name = out->rows[i].name;

                for (end = i + 1; end < out->n_rows && !strcmp(out->rows[end].name, name); end++)
                        ;
                for (size_t k = i; end - i > 1 && k < end; k++)
                        add_arguments(g, &out->rows[k]);
        }
        qsort(out->rows, out->n_rows, sizeof(*out->rows), compare_names);
        merge_equals(out);
}

/* --- Interface --- */

static int compare_rows(const void *x, const void *y)
{
        const struct annotate_row *a = x, *b = y;
        int order;

        if (a->whole_weight != b->whole_weight)
                return a->whole_weight > b->whole_weight ? -1 : 1;
        if (a->whole_count != b->whole_count)
                return a->whole_count > b->whole_count ? -1 : 1;
        order = strcmp(a->name, b->name);
        if (!order)
                order = strcmp(a->path ? a->path : "", b->path ? b->path : "");
        if (!order && a->line != b->line)
                order = a->line < b->line ? -1 : 1;
        return order ? order : (a->addr > b->addr) - (a->addr < b->addr);
}

static void each_point(struct grouper *g, void (*take)(struct grouper *g, const struct annotate_point *point))
{
        for (size_t i = 0; i < g->a->n_points; i++) {
                if (g->a->points[i].count)
                        take(g, &g->a->points[i]);
        }
}

static bool fill(struct grouper *g, enum annotate_by by, struct err *err)
{
        struct handlers handlers;
        bool any;

        switch (by) {
        case ANNOTATE_FUNCTION: each_point(g, by_function); return true;
        case ANNOTATE_LINE: each_point(g, by_line); return true;
        case ANNOTATE_INSTRUCTION: each_point(g, by_instruction); return true;
        case ANNOTATE_INLINED:
                each_point(g, by_inlined);
                add_called_copies(g);
                return g->out->n_rows ||
                       err_set(err, ERR_MISSING, "debug information shows no inlined function with samples");
        case ANNOTATE_BLOCK:
                if (!g->a->request.code->n_insns)
                        return err_set(
                                err, ERR_MISSING,
                                "no basic blocks: the code is not available on this machine; give the folder of the program's file "
                                "with --symfs, or run wperf archive where it was recorded");
                by_blocks(g);
                return true;
        case ANNOTATE_HANDLER:
                handlers_init(&handlers, g->a);
                any = handlers.n_labels;
                by_handlers(g, &handlers);
                handlers_release(&handlers);
                return any ||
                       err_set(err, ERR_MISSING,
                               "debug information shows no labels in the function, so its handlers can't be found");
        }
        return true;
}

bool annotate_group(const struct annotate *a, enum annotate_by by, struct annotate_rows *ret, struct err *err)
{
        struct grouper g = {.a = a, .out = ret};
        bool ok;

        *ret = (struct annotate_rows){.names = strpool_new()};
        ok = fill(&g, by, err);
        if (by == ANNOTATE_FUNCTION || by == ANNOTATE_INLINED)
                tell_apart(&g);
        if (ret->n_rows)
                qsort(ret->rows, ret->n_rows, sizeof(*ret->rows), compare_rows);
        map_release(&g.rows);
        map_release(&g.copies);
        return ok;
}

void annotate_rows_release(struct annotate_rows *rows)
{
        free(rows->rows);
        strpool_free(rows->names);
        *rows = (struct annotate_rows){0};
}
