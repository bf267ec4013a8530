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
        bool has_latency;            /* there are columns for it */
        struct annotate_source last; /* the line that was printed last; without a path: none */
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

static const struct annotate_point *point_at(const struct code_listing *l, size_t i)
{
        return annotate_view_point(l->view, i);
}

/* An instruction that leads to code, by a call or by a jump inside or out of the function. */
static bool has_target(const struct code_listing *l, const struct annotate_point *point)
{
        return point->insn && point->insn->has_target && !point->insn->is_operand && !l->view->hides_targets;
}

static bool is_jump(const struct code_listing *l, const struct annotate_point *point)
{
        return has_target(l, point) &&
               (point->insn->flow == DISASM_BRANCH || point->insn->flow == DISASM_JUMP);
}

static void choose_blocks(struct code_listing *l)
{
        bool all = l->view->every_block || annotate_view_n_points(l->view) <= SHORT_FUNCTION;

        for (size_t i = 0, end; i < annotate_view_n_points(l->view); i = end) {
                uint64_t count = 0;

                end = i;
                do
                        count += point_at(l, end++)->count;
                while (end < annotate_view_n_points(l->view) && !point_at(l, end)->begins_block);
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
        size_t low = 0, high = annotate_view_n_points(l->view);

        SEARCH_FIRST(low, high, middle, point_at(l, middle)->addr < addr);
        return low < annotate_view_n_points(l->view) && point_at(l, low)->addr == addr && l->shown[low]
                       ? low
                       : SIZE_MAX;
}

static void draw_arrows(struct code_listing *l)
{
        struct arrow *list = mem_new(l->n_rows, sizeof(*list));
        size_t n = 0;

        for (size_t i = 0; i < annotate_view_n_points(l->view); i++) {
                const struct annotate_point *point = point_at(l, i);
                size_t to = l->shown[i] && is_jump(l, point) ? find_shown(l, point->insn->target) : SIZE_MAX;

                if (to != SIZE_MAX)
                        list[n++] = (struct arrow){l->row_of[i], l->row_of[to]};
        }
        l->arrows = arrows_new(list, n, l->n_rows);
        free(list);
}

/* --- Rows --- */

/* Both have a path. */
static bool same_line(const struct annotate_source *a, const struct annotate_source *b)
{
        return a->line == b->line && !strcmp(a->path, b->path) && !a->inlined == !b->inlined &&
               (!a->inlined || !strcmp(a->inlined, b->inlined));
}

/* The latency of its accesses to memory; NULL: it has none. */
static const struct access_row *latency_of(const struct annotate_point *point)
{
        return point->access && point->access->n_timed ? point->access : NULL;
}

static bool has_latency(const struct annotate_view *view)
{
        for (size_t i = 0; i < annotate_view_n_points(view); i++) {
                if (latency_of(annotate_view_point(view, i)))
                        return true;
        }
        return false;
}

/* Share and count, and the quantiles of the latency in cycles if any instruction has them. */
static void add_columns(const struct code_listing *l, const struct annotate_point *point, struct buf *out)
{
        const struct access_row *latency = latency_of(point);

        buf_printf(out, "%8.2f %6" PRIu64 " ", annotate_view_share(l->view, point->weight), point->count);
        if (latency)
                buf_printf(out, "%5" PRIu64 " %5" PRIu64 " %5" PRIu64 " ", latency->p50, latency->p90,
                           latency->p99);
        else if (l->has_latency)
                buf_printf(out, "%17s ", "");
}

static void add_blank_columns(const struct code_listing *l, struct buf *out)
{
        buf_printf(out, "%*s ", l->has_latency ? 33 : 15, "");
}

/* Adds "longobject.c:3399 [Py_DECREF]  op->ob_refcnt--" if another line begins. */
static void add_line_row(struct code_listing *l, const struct annotate_point *point, size_t row,
                         struct buf *out)
{
        const struct annotate_view *view = l->view;
        const struct annotate_source source = annotate_view_source_of(view, point);
        AUTO_RELEASE(buf) text = {0};
        const char *line;

        if (!source.path || (l->last.path && same_line(&source, &l->last)))
                return;
        l->last = source;
        add_blank_columns(l, &text);
        if (row)
                arrows_add_between(l->arrows, row - 1, &text);
        else
                buf_printf(&text, "%*s", (int)arrows_width(l->arrows), "");
        annotate_view_place(source.path, source.line, &text);
        if (source.inlined) {
                buf_add_str(&text, " [");
                text_add_printable(&text, source.inlined);
                buf_add_char(&text, ']');
        }
        line = annotate_texts_line(&view->texts, source.path, source.line);
        if (line) {
                buf_add_str(&text, "  ");
                annotate_view_source_text(line + strspn(line, " \t"), &text);
        }
        annotate_view_add_cut(view, &text, out);
}

/* An arrow makes the name unnecessary. */
static bool names_target(const struct code_listing *l, const struct annotate_point *point)
{
        return has_target(l, point) && (!is_jump(l, point) || find_shown(l, point->insn->target) == SIZE_MAX);
}

static void add_target(const struct code_listing *l, const struct annotate_point *point, struct buf *out)
{
        const struct annotate_texts *texts = &l->view->texts;
        AUTO_RELEASE(buf) name = {0};

        if (names_target(l, point) && texts->add_target)
                texts->add_target(texts->ctx, point->insn->target, &name);
        if (!name.len)
                return;
        buf_add_str(out, " <");
        text_add_printable(out, buf_text(&name));
        buf_add_char(out, '>');
}

static void add_code_row(const struct code_listing *l, const struct annotate_point *point, size_t row,
                         struct buf *out)
{
        const struct annotate_source source = annotate_view_source_of(l->view, point);
        AUTO_RELEASE(buf) text = {0};
        size_t start = out->len;

        view_marks_add(l->view->marks, &(struct view_mark){
                                               .at = start,
                                               .weight = point->weight,
                                               .percent = annotate_view_share(l->view, point->weight),
                                               .path = source.path,
                                               .line = source.line,
                                               .has_target = has_target(l, point),
                                               .is_jump = is_jump(l, point),
                                               .addr = point->addr,
                                               .target = point->insn ? point->insn->target : 0,
                                       });
        if (point->count)
                add_columns(l, point, &text);
        else
                add_blank_columns(l, &text);
        arrows_add_row(l->arrows, row, &text);
        buf_printf(&text, "%*" PRIx64 "  ", l->addr_digits, point->addr);
        if (point->insn) {
                buf_add_str(&text, point->insn->text);
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
        l->last = (struct annotate_source){0};
}

static void add_rows(struct code_listing *l, struct buf *out)
{
        size_t row = 0;

        for (size_t i = 0, end; i < annotate_view_n_points(l->view); i = end) {
                end = i + 1;
                if (l->shown[i]) {
                        add_line_row(l, point_at(l, i), row, out);
                        add_code_row(l, point_at(l, i), row++, out);
                        continue;
                }
                while (end < annotate_view_n_points(l->view) && !l->shown[end])
                        end++;
                add_gap(l, i, end, row, out);
        }
}

/* False: there is nothing to show; then `ret` need not be released. */
static bool begin_listing(const struct annotate_view *view, struct code_listing *ret)
{
        *ret = (struct code_listing){.view = view};
        if (!annotate_view_n_points(view))
                return false;
        ret->shown = mem_new(annotate_view_n_points(view), sizeof(*ret->shown));
        ret->row_of = mem_new(annotate_view_n_points(view), sizeof(*ret->row_of));
        choose_blocks(ret);
        return true;
}

static void end_listing(struct code_listing *l)
{
        free(l->shown);
        free(l->row_of);
}

void annotate_view_code(const struct annotate_view *view, struct buf *out)
{
        struct code_listing l;
        char last[32];

        if (!begin_listing(view, &l))
                return;
        l.addr_digits = snprintf(last, sizeof(last), "%" PRIx64,
                                 point_at(&l, annotate_view_n_points(view) - 1)->addr);
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
