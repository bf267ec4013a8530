/* SPDX-License-Identifier: BSD-3-Clause */
#include "diff_view.h"

#include <inttypes.h>
#include <math.h>

#include "diff_columns.h"
#include "run_notes.h"
#include "table.h"
#include "text_number.h"
#include "text_printable.h"

const char *diff_view_verdict(enum compared_verdict verdict, bool is_time)
{
        switch (verdict) {
        case COMPARED_NOT_MEASURED: return "run-to-run not measured";
        case COMPARED_ONE_SIDE: return "only one side has it";
        case COMPARED_FEW_SAMPLES: return "too few samples";
        case COMPARED_NOT_SHOWN: return "not shown";
        case COMPARED_MORE: return is_time ? "slower" : "more";
        case COMPARED_LESS: return is_time ? "faster" : "less";
        }
        return "";
}

void diff_view_add_amount(struct buf *out, double amount, enum compared_unit unit)
{
        if (unit == COMPARED_RATIO)
                buf_printf(out, "%.3f", amount);
        else if (unit == COMPARED_COUNT)
                text_add_thousands(out, amount < 1e19 ? (uint64_t)(amount + 0.5) : UINT64_MAX);
        else if (amount >= 1e9)
                buf_printf(out, "%.3f s", amount / 1e9);
        else
                buf_printf(out, "%.2f ms", amount / 1e6);
}

/* --- Budget ----------------------------------------------------------------------------------------- */

static double mean_elapsed_ns(const struct run_values *v)
{
        size_t n = run_values_n_all_runs(v);
        double sum = 0;

        for (size_t r = 0; r < n; r++) {
                double ns = run_values_time(v, r, RUN_ELAPSED);

                if (ns < 0)
                        return 0;
                sum += ns;
        }
        return n ? sum / (double)n : 0;
}

bool diff_view_add_more_runs(struct buf *out, const struct run_values *values,
                             const struct compared *compared, double change, double alpha)
{
        size_t have = compared->a.n < compared->b.n ? compared->a.n : compared->b.n;
        size_t need = welch_runs_for(&compared->a, &compared->b, change, alpha, COMPARISON_POWER,
                                     COMPARISON_MAX_RUNS);
        double seconds = mean_elapsed_ns(values) / 1e9 * 2;

        if (!need)
                return false;
        if (need <= have)
                return true;
        buf_printf(out, "%zu more run%s of each", need - have, need - have == 1 ? "" : "s");
        if (seconds > 0)
                buf_printf(out, ", about %.0f s", ceil((double)(need - have) * seconds));
        return true;
}

/* What --find asks for. */
static void add_budget(const struct diff_view *view, const struct compared *compared, double alpha,
                       struct buf *out)
{
        AUTO_RELEASE(buf) more = {0};
        double percent = view->wanted_change * 100;

        if (view->wanted_change <= 0)
                return;
        if (!compared->welch.is_known)
                buf_printf(out, "; to know what %.3g %% needs, record at least two runs of each", percent);
        else if (!diff_view_add_more_runs(&more, view->values, compared, view->wanted_change, alpha))
                buf_printf(out, "; %.3g %% needs more than %d runs of each", percent, COMPARISON_MAX_RUNS);
        else if (!more.len)
                buf_printf(out, "; these runs suffice for %.3g %%", percent);
        else
                buf_printf(out, "; %.3g %% needs %s", percent, buf_text(&more));
}

/* --- Text ------------------------------------------------------------------------------------------- */

void diff_view_add_side(const struct diff_view *view, enum run_side side, struct buf *out)
{
        size_t n = run_values_n_runs(view->values, side);

        buf_printf(out, "%s = ", side == RUN_A ? "A" : "B");
        run_notes_add_label(view->values, side, out);
        buf_printf(out, " (%zu run%s)", n, n == 1 ? "" : "s");
}

static void add_heading(const struct diff_view *view, const char *title, struct buf *out)
{
        buf_printf(out, "%s: ", title);
        diff_view_add_side(view, RUN_A, out);
        buf_add_str(out, ", ");
        diff_view_add_side(view, RUN_B, out);
        buf_add_str(out, "\n");
}

static void add_table(const struct diff_view *view, struct table *table, struct buf *out)
{
        table_color(table, view->is_colored);
        table_render_text(table, view->max_columns, out);
}

void diff_view_add_total_limit(const struct diff_view *view, struct buf *out)
{
        const struct comparison *c = view->comparisons[0];
        const struct compared_total *total = comparison_total(c, "cpu");

        if (!total)
                total = &c->totals[0];
        if (isfinite(total->value.smallest))
                text_printf(out, "smallest change of %s that these runs could show: %.1f %%", total->name,
                            total->value.smallest * 100);
        else
                text_printf(out, "these runs could not show a change of %s", total->name);
        add_budget(view, &total->value, COMPARISON_DISCOVERIES / (double)c->n_totals, out);
        buf_add_char(out, '\n');
}

static void add_totals(const struct diff_view *view, struct buf *out)
{
        const struct comparison *c = view->comparisons[0];
        AUTO(table) table = diff_columns_totals(c, DIFF_TEXT);

        if (!c->n_totals)
                return;
        add_heading(view, "totals", out);
        add_table(view, table, out);
        diff_view_add_total_limit(view, out);
        buf_add_char(out, '\n');
}

/* The tested row with most samples says what the table can show at best. */
static const struct compared_row *largest_row(const struct comparison *c)
{
        const struct compared_row *best = NULL;

        for (size_t i = 0; i < c->n_rows; i++) {
                const struct compared_row *row = &c->rows[i];

                if (isfinite(comparison_value(c, row)->smallest) &&
                    (!best || row->samples_a + row->samples_b > best->samples_a + best->samples_b))
                        best = row;
        }
        return best;
}

size_t diff_view_n_differ(const struct comparison *c)
{
        size_t n = 0;

        for (size_t i = 0; i < c->n_rows; i++)
                n += comparison_value(c, &c->rows[i])->verdict >= COMPARED_MORE;
        return n;
}

void diff_view_add_row_limit(const struct diff_view *view, const struct comparison *c, struct buf *out)
{
        const struct compared_row *row = largest_row(c);

        if (!c->n_tested) {
                buf_add_str(out,
                            "nothing was tested; record several runs of each with wperf record --repeat\n");
                return;
        }
        buf_printf(out, "%zu of %zu tested %s differ (at most %.0f %% of them by chance)",
                   diff_view_n_differ(c), c->n_tested, view->rows_are, COMPARISON_DISCOVERIES * 100);
        if (row) {
                const struct compared *value = comparison_value(c, row);

                text_printf(out, "; smallest change of %s that these runs could show: %.1f %%", row->name,
                            value->smallest * 100);
                add_budget(view, value, comparison_row_alpha(c), out);
        }
        buf_add_char(out, '\n');
}

static void add_rows(const struct diff_view *view, const struct comparison *c, enum diff_presence presence,
                     const char *title, struct buf *out)
{
        struct diff_rows rows = diff_rows_of(c, presence);
        AUTO(table) table = diff_columns_rows(&rows, view->max_rows);

        if (!rows.n)
                return;
        add_heading(view, title, out);
        add_table(view, table, out);
        if (rows.n > view->max_rows)
                buf_printf(out, "and %zu more\n", rows.n - (size_t)view->max_rows);
        if (presence == DIFF_IN_BOTH)
                diff_view_add_row_limit(view, c, out);
        buf_add_char(out, '\n');
}

static void add_comparison(const struct diff_view *view, const struct comparison *c, struct buf *out)
{
        for (int presence = DIFF_IN_BOTH; presence <= DIFF_ONLY_B; presence++) {
                AUTO_RELEASE(buf) title = {0};

                if (presence == DIFF_IN_BOTH)
                        buf_printf(&title, "%s by %s%s", c->event, view->row_is,
                                   c->measure == MEASURE_SHARE ? ", shares compared" : "");
                else
                        buf_printf(&title, "%s: %s that only %c has", c->event, view->rows_are,
                                   presence == DIFF_ONLY_A ? 'A' : 'B');
                add_rows(view, c, (enum diff_presence)presence, buf_text(&title), out);
        }
}

void diff_view_text(const struct diff_view *view, struct buf *out)
{
        if (*view->notes)
                buf_printf(out, "%s\n", view->notes);
        if (view->n_comparisons)
                add_totals(view, out);
        for (size_t i = 0; i < view->n_comparisons; i++)
                add_comparison(view, view->comparisons[i], out);
        /* Blocks end with an empty line; the last one does not need it. */
        if (out->len && view->n_comparisons)
                buf_truncate(out, out->len - 1);
}

/* --- JSON and CSV ----------------------------------------------------------------------------------- */

static void add_runs(const struct diff_view *view, enum run_side side, struct json *json)
{
        size_t from = side == RUN_A ? 0 : run_values_n_runs(view->values, RUN_A);

        json_begin_array(json);
        for (size_t i = 0; i < run_values_n_runs(view->values, side); i++)
                json_str(json, run_values_path(view->values, from + i));
        json_end_array(json);
}

void diff_view_json_lines(const char *lines, struct json *json)
{
        json_begin_array(json);
        for (const char *at = lines, *end; *at; at = end + (*end == '\n')) {
                AUTO_RELEASE(buf) line = {0};

                for (end = at; *end && *end != '\n'; end++)
                        buf_add_char(&line, *end);
                json_str(json, buf_text(&line));
        }
        json_end_array(json);
}

void diff_view_json(const struct diff_view *view, struct buf *out)
{
        AUTO(table) rows = diff_columns_data(view->comparisons, view->n_comparisons);
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key(&json, "a");
        add_runs(view, RUN_A, &json);
        json_key(&json, "b");
        add_runs(view, RUN_B, &json);
        json_key(&json, "notes");
        diff_view_json_lines(view->notes, &json);
        json_key_str(&json, "rows_are", view->rows_are);
        json_key(&json, "totals");
        if (view->n_comparisons) {
                AUTO(table) totals = diff_columns_totals(view->comparisons[0], DIFF_DATA);

                table_render_json(totals, true, &json);
        } else {
                json_begin_array(&json);
                json_end_array(&json);
        }
        json_key(&json, "rows");
        table_render_json(rows, true, &json);
        json_end_object(&json);
        buf_add_char(out, '\n');
}

void diff_view_csv(const struct diff_view *view, struct buf *out)
{
        AUTO(table) rows = diff_columns_data(view->comparisons, view->n_comparisons);

        table_render_csv(rows, out);
}
