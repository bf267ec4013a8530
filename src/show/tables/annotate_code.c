/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of instructions.  Leaves out basic blocks without samples, unless the whole list is short. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_arrows.h"
#include "annotate_view_internal.h"
#include "buf.h"
#include "heat.h"
#include "mem.h"
#include "search.h"
#include "table.h"
#include "text_printable.h"

enum { SHORT_FUNCTION = 60, SHARE_COLUMNS = 8 };

struct code_listing {
        const struct annotate_view *view;
        bool *shown;
        size_t *row_of; /* for each shown point its index among the shown points */
        size_t n_rows;
        struct arrows *arrows;
        int addr_digits;
        bool has_latency;                       /* there are columns for it */
        const struct annotate_view_point *last; /* the point whose line was printed last */
};

void annotate_view_add_cut(const struct annotate_view *view, const struct buf *row, struct buf *out)
{
        AUTO_RELEASE(buf) text = {0};
        size_t len = row->len;

        while (len && row->data[len - 1] == ' ')
                len--;
        buf_add(&text, row->data, len);
        table_add_cut(out, buf_text(&text), view->max_columns ? view->max_columns : SIZE_MAX);
        buf_add_char(out, '\n');
}

/* --- Shown points --- */

static const struct annotate_view_point *point_at(const struct code_listing *l, size_t i)
{
        return &l->view->points[i];
}

static void choose_blocks(struct code_listing *l)
{
        bool all = l->view->every_block || l->view->n_points <= SHORT_FUNCTION;

        for (size_t i = 0, end; i < l->view->n_points; i = end) {
                uint64_t count = 0;

                end = i;
                do
                        count += point_at(l, end++)->count;
                while (end < l->view->n_points && !point_at(l, end)->begins_block);
                for (size_t k = i; k < end; k++) {
                        l->shown[k] = all || count;
                        l->row_of[k] = l->n_rows;
                        l->n_rows += l->shown[k];
                }
        }
}

/* Index of the shown point at this address, or SIZE_MAX. */
static size_t find_shown(const struct code_listing *l, uint64_t addr)
{
        size_t low = 0, high = l->view->n_points;

        SEARCH_FIRST(low, high, middle, point_at(l, middle)->addr < addr);
        return low < l->view->n_points && point_at(l, low)->addr == addr && l->shown[low] ? low : SIZE_MAX;
}

static void draw_arrows(struct code_listing *l)
{
        struct arrow *list = mem_new(l->n_rows, sizeof(*list));
        size_t n = 0;

        for (size_t i = 0; i < l->view->n_points; i++) {
                const struct annotate_view_point *point = point_at(l, i);
                size_t to = l->shown[i] && point->is_jump ? find_shown(l, point->target) : SIZE_MAX;

                if (to != SIZE_MAX)
                        list[n++] = (struct arrow){l->row_of[i], l->row_of[to]};
        }
        l->arrows = arrows_new(list, n, l->n_rows);
        free(list);
}

/* --- Rows --- */

/* Both points have a path. */
static bool same_line(const struct annotate_view_point *a, const struct annotate_view_point *b)
{
        return b && a->line == b->line && !strcmp(a->path, b->path) && !a->inlined == !b->inlined &&
               (!a->inlined || !strcmp(a->inlined, b->inlined));
}

static bool has_latency(const struct annotate_view *view)
{
        for (size_t i = 0; i < view->n_points; i++) {
                if (view->points[i].has_latency)
                        return true;
        }
        return false;
}

/* Share and count, and the quantiles of the latency in cycles if any instruction has them. */
static void add_columns(const struct code_listing *l, const struct annotate_view_point *point,
                        struct buf *out)
{
        buf_printf(out, "%8.2f %6" PRIu64 " ", annotate_view_share(l->view, point->weight), point->count);
        if (l->has_latency && point->has_latency)
                buf_printf(out, "%5" PRIu64 " %5" PRIu64 " %5" PRIu64 " ", point->p50, point->p90,
                           point->p99);
        else if (l->has_latency)
                buf_printf(out, "%17s ", "");
}

static void add_blank_columns(const struct code_listing *l, struct buf *out)
{
        buf_printf(out, "%*s ", l->has_latency ? 33 : 15, "");
}

/* Adds "longobject.c:3399 [Py_DECREF]  op->ob_refcnt--" if another line begins. */
static void add_line_row(struct code_listing *l, const struct annotate_view_point *point, size_t row,
                         struct buf *out)
{
        const struct annotate_view *view = l->view;
        AUTO_RELEASE(buf) text = {0};
        const char *source;

        if (!point->path || same_line(point, l->last))
                return;
        l->last = point;
        add_blank_columns(l, &text);
        if (row)
                arrows_add_between(l->arrows, row - 1, &text);
        else
                buf_printf(&text, "%*s", (int)arrows_width(l->arrows), "");
        annotate_view_place(point->path, point->line, &text);
        if (point->inlined) {
                buf_add_str(&text, " [");
                text_add_printable(&text, point->inlined);
                buf_add_char(&text, ']');
        }
        source = annotate_texts_line(view->texts, point->path, point->line);
        if (source) {
                buf_add_str(&text, "  ");
                annotate_view_source_text(source + strspn(source, " \t"), &text);
        }
        annotate_view_add_cut(view, &text, out);
}

/* An arrow makes the name unnecessary. */
static bool names_target(const struct code_listing *l, const struct annotate_view_point *point)
{
        return point->has_target && (!point->is_jump || find_shown(l, point->target) == SIZE_MAX);
}

static void add_target(const struct code_listing *l, const struct annotate_view_point *point, struct buf *out)
{
        const char *name =
                names_target(l, point) ? annotate_texts_target(l->view->texts, point->target) : NULL;

        if (!name)
                return;
        buf_add_str(out, " <");
        text_add_printable(out, name);
        buf_add_char(out, '>');
}

static void add_code_row(const struct code_listing *l, const struct annotate_view_point *point, size_t row,
                         struct buf *out)
{
        AUTO_RELEASE(buf) text = {0};
        size_t start = out->len;

        view_marks_add(l->view->marks, &(struct view_mark){
                                               .at = start,
                                               .weight = point->weight,
                                               .percent = annotate_view_share(l->view, point->weight),
                                               .path = point->path,
                                               .line = point->line,
                                               .has_target = point->has_target,
                                               .is_jump = point->is_jump,
                                               .addr = point->addr,
                                               .target = point->target,
                                       });
        if (point->count)
                add_columns(l, point, &text);
        else
                add_blank_columns(l, &text);
        arrows_add_row(l->arrows, row, &text);
        buf_printf(&text, "%*" PRIx64 "  ", l->addr_digits, point->addr);
        if (point->instruction) {
                buf_add_str(&text, point->instruction);
                add_target(l, point, &text);
        }
        annotate_view_add_cut(l->view, &text, out);
        if (point->count && l->view->is_colored)
                heat_color(out, start, SHARE_COLUMNS, annotate_view_share(l->view, point->weight));
}

static void add_gap(struct code_listing *l, size_t from, size_t to, size_t row, struct buf *out)
{
        AUTO_RELEASE(buf) text = {0};

        add_blank_columns(l, &text);
        if (row)
                arrows_add_between(l->arrows, row - 1, &text);
        else
                buf_printf(&text, "%*s", (int)arrows_width(l->arrows), "");
        buf_printf(&text, "... %zu instruction%s without samples", to - from, to - from == 1 ? "" : "s");
        annotate_view_add_cut(l->view, &text, out);
        l->last = NULL;
}

static void add_rows(struct code_listing *l, struct buf *out)
{
        size_t row = 0;

        for (size_t i = 0, end; i < l->view->n_points; i = end) {
                end = i + 1;
                if (l->shown[i]) {
                        add_line_row(l, point_at(l, i), row, out);
                        add_code_row(l, point_at(l, i), row++, out);
                        continue;
                }
                while (end < l->view->n_points && !l->shown[end])
                        end++;
                add_gap(l, i, end, row, out);
        }
}

/* False: there is nothing to show; then `ret` need not be released. */
static bool begin_listing(const struct annotate_view *view, struct code_listing *ret)
{
        *ret = (struct code_listing){.view = view};
        if (!view->n_points)
                return false;
        ret->shown = mem_new(view->n_points, sizeof(*ret->shown));
        ret->row_of = mem_new(view->n_points, sizeof(*ret->row_of));
        choose_blocks(ret);
        return true;
}

static void end_listing(struct code_listing *l)
{
        free(l->shown);
        free(l->row_of);
}

void annotate_view_want_code(const struct annotate_view *view)
{
        struct code_listing l;

        if (!begin_listing(view, &l))
                return;
        for (size_t i = 0; i < view->n_points; i++) {
                const struct annotate_view_point *point = point_at(&l, i);

                if (!l.shown[i])
                        continue;
                annotate_texts_want_line(view->texts, point->path, point->line);
                if (names_target(&l, point))
                        annotate_texts_want_target(view->texts, point->target);
        }
        end_listing(&l);
}

void annotate_view_code(const struct annotate_view *view, struct buf *out)
{
        struct code_listing l;
        char last[32];

        if (!begin_listing(view, &l))
                return;
        l.addr_digits = snprintf(last, sizeof(last), "%" PRIx64, point_at(&l, view->n_points - 1)->addr);
        draw_arrows(&l);
        l.has_latency = has_latency(view);
        buf_printf(out, "%8s %6s", "% func", "count");
        if (l.has_latency)
                buf_printf(out, " %5s %5s %5s", "p50", "p90", "p99");
        buf_add_char(out, '\n');
        add_rows(&l, out);
        arrows_free(l.arrows);
        end_listing(&l);
}
