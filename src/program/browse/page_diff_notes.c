/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes of a comparison: its sessions, what differs besides the program, totals, the smallest changes that could be shown. */
#include <string.h>

#include "diff_browser_internal.h"
#include "diff_columns.h"
#include "mem.h"
#include "page_text.h"

struct notes_page {
        struct text_page text;
        unsigned columns; /* the width that the text is wrapped for */
};

static struct notes_page *own(const struct page *page)
{
        return (struct notes_page *)page;
}

static void add_sessions(const struct run_values *values, enum run_side side, struct buf *out)
{
        size_t from = side == RUN_A ? 0 : run_values_n_runs(values, RUN_A);

        buf_printf(out, "%s:", side == RUN_A ? "A" : "B");
        for (size_t i = 0; i < run_values_n_runs(values, side); i++)
                buf_printf(out, " %s", run_values_path(values, from + i));
        buf_add_char(out, '\n');
}

/* "CPU time: 1.234 s in A, 1.300 s in B, +5.3 % (+4.1 to +6.5 %), slower; shown from 2.1 %" */
static void add_total(const struct compared_total *total, struct buf *out)
{
        AUTO_RELEASE(buf) change = {0};
        AUTO_RELEASE(buf) interval = {0};
        AUTO_RELEASE(buf) smallest = {0};

        diff_columns_add_change(&total->value, &change);
        diff_columns_add_interval(&total->value, &interval);
        diff_columns_add_smallest(&total->value, &smallest);
        buf_printf(out, "  %s: ", total->name);
        diff_view_add_amount(out, total->value.a.mean, total->unit);
        buf_add_str(out, " in A, ");
        diff_view_add_amount(out, total->value.b.mean, total->unit);
        buf_add_str(out, " in B");
        if (change.len)
                buf_printf(out, ", %s", buf_text(&change));
        if (interval.len)
                buf_printf(out, " (%s)", buf_text(&interval));
        buf_printf(out, ", %s", diff_view_verdict(total->value.verdict, total->unit == COMPARED_NS));
        if (smallest.len)
                buf_printf(out, "; shown from %s", buf_text(&smallest));
        buf_add_char(out, '\n');
}

static void add_text(const struct browser *browser, struct buf *out)
{
        const struct diff_view *view = &browser->diff->view;
        const struct comparison *first = view->comparisons[0];

        for (int side = RUN_A; side < RUN_N_SIDES; side++)
                add_sessions(view->values, (enum run_side)side, out);
        buf_printf(out, "\nnotes:\n%s\n",
                   *view->notes ? view->notes : "wperf sees no difference besides the program\n");
        if (first->n_totals) {
                buf_add_str(out, "totals:\n");
                for (size_t i = 0; i < first->n_totals; i++)
                        add_total(&first->totals[i], out);
                diff_view_add_total_limit(view, out);
                buf_add_char(out, '\n');
        }
        for (size_t i = 0; i < view->n_comparisons; i++) {
                const struct comparison *c = view->comparisons[i];

                if (!c->n_rows && !c->n_only_a && !c->n_only_b)
                        continue;
                buf_printf(out, "%s by %s%s: ", c->event, view->row_is,
                           c->measure == MEASURE_SHARE ? ", shares compared" : "");
                diff_view_add_row_limit(view, c, out);
        }
}

static void draw(struct browser *browser, struct page *page, unsigned from, unsigned to)
{
        struct notes_page *p = own(page);

        if (p->columns != browser->cells->columns) {
                AUTO_RELEASE(buf) text = {0};

                p->columns = browser->cells->columns;
                add_text(browser, &text);
                buf_clear(&p->text.text);
                text_page_wrap(buf_text(&text), p->columns, &p->text.text);
                text_page_split(&p->text);
        }
        page_draw_rows(browser, page, from, to);
}

static void release(struct page *page)
{
        text_page_release(&own(page)->text);
}

static const struct page_kind kind = {
        .keys = "? help  q quit  Esc back  / search",
        .add_title = text_page_add_title,
        .draw = draw,
        .draw_row = text_page_draw_row,
        .key = text_page_key,
        .matches = text_page_matches,
        .free = release,
};

struct page *page_diff_notes_new(void)
{
        struct notes_page *p = mem_new(1, sizeof(*p));

        p->text.page.kind = &kind;
        p->text.page.list.takes_j_k = true;
        p->text.title = mem_strdup("notes");
        return &p->text.page;
}
