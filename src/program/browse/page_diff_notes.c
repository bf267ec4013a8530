/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes of a comparison: its sessions, what differs besides the program, totals, the smallest changes that
 * could be shown. */
#include <string.h>

#include "diff_browser_internal.h"
#include "diff_columns.h"
#include "page_text.h"

static void add_sessions(const struct run_values *values, enum run_side side, struct buf *out)
{
        size_t from = side == RUN_A ? 0 : run_values_n_runs(values, RUN_A);

        buf_printf(out, "%s:", side == RUN_A ? "A" : "B");
        for (size_t i = 0; i < run_values_n_runs(values, side); i++)
                buf_printf(out, " %s", run_values_path(values, from + i));
        buf_add_char(out, '\n');
}

/* "CPU time: 1.234 s in A, 1.300 s in B, +5.3 % (+4.1 to +6.5 %), slower; finds 2.1 %" */
static void add_total(const struct compared_total *total, struct buf *out)
{
        AUTO_RELEASE(buf) smallest = {0};

        diff_columns_add_smallest(&total->value, &smallest);
        buf_printf(out, "  %s: ", total->name);
        diff_view_add_amount(out, total->value.a.mean, total->unit);
        buf_add_str(out, " in A, ");
        diff_view_add_amount(out, total->value.b.mean, total->unit);
        buf_add_str(out, " in B, ");
        diff_browser_add_change(total, true, out);
        if (smallest.len)
                buf_printf(out, "; finds %s", buf_text(&smallest));
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
        }
        diff_view_add_finds(view, out);
        buf_add_char(out, '\n');
        for (size_t i = 0; i < view->n_comparisons; i++) {
                const struct comparison *c = view->comparisons[i];

                if (!c->n_rows && !c->n_only_a && !c->n_only_b)
                        continue;
                buf_printf(out, "%s by %s%s: ", c->event, view->row_is,
                           c->measure == MEASURE_SHARE ? ", shares compared" : "");
                diff_view_add_n_differ(view, c, out);
        }
}

struct page *page_diff_notes_new(void)
{
        return page_wrapped_new("notes", add_text);
}
