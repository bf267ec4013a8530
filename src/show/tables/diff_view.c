/* SPDX-License-Identifier: BSD-3-Clause */
#include "diff_view.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "aligned_lines.h"
#include "diff_columns.h"
#include "run_notes.h"
#include "table.h"
#include "text_number.h"
#include "text_printable.h"

const char *diff_view_verdict(enum compared_verdict verdict, bool is_time)
{
        switch (verdict) {
        case COMPARED_NOT_MEASURED:
        case COMPARED_ONE_SIDE:
        case COMPARED_FEW_SAMPLES:
        case COMPARED_UNCLEAR: return "unclear";
        case COMPARED_MORE: return is_time ? "slower" : "more";
        case COMPARED_LESS: return is_time ? "faster" : "less";
        }
        return "";
}

/* --- Amounts ---------------------------------------------------------------------------------------- */

/* A number in a unit, in which an amount has three digits. */
struct scaled_unit {
        double divisor;
        int decimals;
        const char *name;
};

static struct scaled_unit unit_for(double amount, enum compared_unit unit)
{
        struct scaled_unit scaled = {1e6, 0, " ms"};

        amount = fabs(amount);
        if (unit == COMPARED_RATIO)
                return (struct scaled_unit){1, 3, ""};
        if (unit == COMPARED_COUNT)
                return (struct scaled_unit){1, 0, ""};
        if (unit == COMPARED_SHARE)
                return (struct scaled_unit){0.01, 2, " %"};
        if (amount >= 9.995e9)
                scaled = (struct scaled_unit){1e9, 0, " s"};
        amount /= scaled.divisor;
        scaled.decimals = amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
        return scaled;
}

static void add_scaled(struct buf *out, double amount, const struct scaled_unit *unit, bool has_sign)
{
        double value = amount / unit->divisor;
        bool is_whole = !unit->decimals && fabs(value) < 1e18;

        if (has_sign)
                buf_add_char(out, value < 0 ? '-' : '+');
        if (is_whole)
                text_add_thousands(out, (uint64_t)(fabs(value) + 0.5));
        else
                buf_printf(out, "%.*f", unit->decimals, fabs(value));
}

void diff_view_add_amount(struct buf *out, double amount, enum compared_unit unit)
{
        struct scaled_unit scaled = unit_for(amount, unit);

        add_scaled(out, amount, &scaled, false);
        buf_add_str(out, scaled.name);
}

void diff_view_add_difference(struct buf *out, double difference, enum compared_unit unit)
{
        struct scaled_unit scaled = unit_for(difference, unit);

        add_scaled(out, difference, &scaled, true);
        buf_add_str(out, scaled.name);
}

static void add_range(struct buf *out, const struct welch *welch, enum compared_unit unit)
{
        struct scaled_unit scaled = unit_for(fmax(fabs(welch->less), fabs(welch->more)), unit);

        if (!welch->is_known)
                return;
        add_scaled(out, welch->less, &scaled, true);
        buf_add_str(out, " to ");
        add_scaled(out, welch->more, &scaled, true);
        buf_add_str(out, scaled.name);
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

bool diff_view_count_more_runs(const struct run_values *values, const struct compared *compared,
                               const struct diff_wanted *wanted, struct diff_more_runs *ret)
{
        size_t n_a = compared->a.n, n_b = compared->b.n, have = n_a < n_b && !wanted->a_is_fixed ? n_a : n_b;
        size_t need = welch_runs_for(&compared->a, &compared->b,
                                     &(struct welch_wanted){
                                             .change = wanted->change,
                                             .alpha = wanted->alpha,
                                             .covariance = compared->covariance,
                                             .max = COMPARISON_MAX_RUNS,
                                             .a_is_fixed = wanted->a_is_fixed,
                                     });

        *ret = (struct diff_more_runs){0};
        if (!need)
                return false;
        ret->n = need > have ? need - have : 0;
        ret->seconds = ceil((double)ret->n * mean_elapsed_ns(values) / 1e9 * (wanted->a_is_fixed ? 1 : 2));
        return true;
}

static void add_more_runs(struct buf *out, const struct diff_more_runs *more)
{
        buf_printf(out, "%zu more run%s of each", more->n, more->n == 1 ? "" : "s");
        if (more->seconds > 0)
                buf_printf(out, ", about %.0f s", more->seconds);
}

/* What --find asks for of the total or function `name`. */
static void add_budget(const struct diff_view *view, const struct compared *compared, const char *name,
                       struct buf *out)
{
        struct diff_more_runs more;
        double percent = view->wanted_change * 100;

        if (view->wanted_change <= 0)
                return;
        if (!compared->welch.is_known) {
                buf_printf(out, "; to know what %.3g %% needs, record at least two runs of each", percent);
        } else if (!diff_view_count_more_runs(
                           view->values, compared,
                           &(struct diff_wanted){view->wanted_change, compared->alpha, false}, &more)) {
                text_printf(out, "; %.3g %% of %s needs more than %d runs of each", percent, name,
                            COMPARISON_MAX_RUNS);
        } else if (!more.n) {
                text_printf(out, "; these runs suffice for %.3g %% of %s", percent, name);
        } else {
                text_printf(out, "; %.3g %% of %s needs ", percent, name);
                add_more_runs(out, &more);
        }
}

static const struct compared_total *main_total(const struct comparison *c)
{
        const struct compared_total *total = comparison_total(c, "cpu");

        return total || !c->n_totals ? total : &c->totals[0];
}

/* The tested row with most samples: in it the smallest change is found. */
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

static enum compared_unit row_unit(const struct comparison *c)
{
        return c->measure == MEASURE_SHARE ? COMPARED_SHARE : c->is_time ? COMPARED_NS : COMPARED_COUNT;
}

void diff_view_add_finds(const struct diff_view *view, struct buf *out)
{
        const struct comparison *c = view->comparisons[0];
        const struct compared_total *total = main_total(c);
        const struct compared_row *row = largest_row(c);
        AUTO_RELEASE(buf) found = {0};

        if (total && isfinite(comparison_smallest_change(&total->value)))
                text_printf(&found, "%.2g %% of %s", comparison_smallest_change(&total->value) * 100,
                            total->name);
        if (row) {
                buf_add_str(&found, found.len ? ", " : "");
                diff_view_add_amount(&found, comparison_value(c, row)->smallest, row_unit(c));
                buf_printf(&found, " of a %s", view->row_is);
        }
        buf_printf(out, "finds: %s",
                   found.len ? buf_text(&found)
                             : "nothing; record several runs of each with wperf record --repeat 5 --vs");
        if (total)
                add_budget(view, &total->value, total->name, out);
        if (row)
                add_budget(view, comparison_value(c, row), row->name, out);
        buf_printf(out, "%s\n", view->hint);
}

size_t diff_view_n_differ(const struct comparison *c)
{
        size_t n = 0;

        for (size_t i = 0; i < c->n_rows; i++)
                n += comparison_value(c, &c->rows[i])->verdict >= COMPARED_MORE;
        return n;
}

void diff_view_add_n_differ(const struct diff_view *view, const struct comparison *c, struct buf *out)
{
        if (c->n_tested)
                buf_printf(out, "%zu of %zu tested %s differ (at most %.0f %% of them by chance)\n",
                           diff_view_n_differ(c), c->n_tested, view->rows_are, COMPARISON_DISCOVERIES * 100);
        else
                buf_add_str(out, "nothing was tested\n");
}

/* --- Text ------------------------------------------------------------------------------------------- */

enum { CELL_BEFORE, CELL_AFTER, CELL_CHANGE, CELL_INTERVAL, CELL_VERDICT, CELL_NAME, CELL_PLACE, N_CELLS };

enum { FEW_ROWS = 10, MANY_ROWS = 50 };

#define LITTLE_IN_COMMON 0.25

struct diff_line {
        struct buf cells[N_CELLS];
};

static void end_line(struct diff_line *line, struct aligned_lines *lines)
{
        const char *texts[N_CELLS];

        for (size_t i = 0; i < N_CELLS; i++)
                texts[i] = buf_text(&line->cells[i]);
        aligned_lines_add(lines, texts);
        for (size_t i = 0; i < N_CELLS; i++)
                buf_release(&line->cells[i]);
}

/* Red is slower, green is faster. */
static void color_line(const struct diff_view *view, enum compared_verdict verdict,
                       struct aligned_lines *lines)
{
        if (view->is_colored && verdict >= COMPARED_MORE)
                aligned_lines_color(lines, verdict == COMPARED_MORE ? TEXT_CODE_RED : TEXT_CODE_GREEN);
}

static void add_total(const struct diff_view *view, const struct compared_total *total,
                      struct aligned_lines *lines)
{
        const struct compared *value = &total->value;
        struct diff_line line = {0};

        diff_view_add_amount(&line.cells[CELL_BEFORE], value->a.mean, total->unit);
        diff_view_add_amount(&line.cells[CELL_AFTER], value->b.mean, total->unit);
        diff_columns_add_change(value, &line.cells[CELL_CHANGE]);
        diff_columns_add_interval(value, &line.cells[CELL_INTERVAL]);
        diff_columns_add_verdict(value, total->unit == COMPARED_NS, &line.cells[CELL_VERDICT]);
        buf_add_str(&line.cells[CELL_NAME], total->name);
        end_line(&line, lines);
        color_line(view, value->verdict, lines);
}

/* User and kernel time are shown only if the verdict of one is not that of CPU time. */
static bool is_told(const struct comparison *c, const struct compared_total *total)
{
        const struct compared_total *cpu = comparison_total(c, "cpu");
        bool is_part = !strcmp(total->key, "user") || !strcmp(total->key, "kernel");

        return !is_part || !cpu ||
               (total->value.verdict >= COMPARED_MORE && total->value.verdict != cpu->value.verdict);
}

static void add_totals(const struct diff_view *view, struct aligned_lines *lines)
{
        const struct comparison *c = view->comparisons[0];

        for (size_t i = 0; i < c->n_totals; i++) {
                if (is_told(c, &c->totals[i]))
                        add_total(view, &c->totals[i], lines);
        }
}

static void add_name(const struct compared_row *row, struct diff_line *line)
{
        buf_add_str(&line->cells[CELL_NAME], row->name);
        buf_add_str(&line->cells[CELL_PLACE], row->module);
}

static void add_row(const struct diff_view *view, const struct comparison *c, const struct compared_row *row,
                    struct aligned_lines *lines)
{
        const struct compared *value = comparison_value(c, row);
        enum compared_unit unit = row_unit(c);
        struct diff_line line = {0};

        diff_view_add_amount(&line.cells[CELL_BEFORE], value->a.mean, unit);
        diff_view_add_amount(&line.cells[CELL_AFTER], value->b.mean, unit);
        diff_view_add_difference(&line.cells[CELL_CHANGE], value->b.mean - value->a.mean, unit);
        add_range(&line.cells[CELL_INTERVAL], &value->welch, unit);
        diff_columns_add_verdict(value, unit == COMPARED_NS, &line.cells[CELL_VERDICT]);
        add_name(row, &line);
        end_line(&line, lines);
        color_line(view, value->verdict, lines);
}

/* The rows that have no line of their own, together. */
static void add_rest(const struct comparison *c, size_t from, struct aligned_lines *lines)
{
        enum compared_unit unit = row_unit(c);
        struct diff_line line = {0};
        double before = 0, after = 0;

        for (size_t i = from; i < c->n_rows; i++) {
                before += comparison_value(c, &c->rows[i])->a.mean;
                after += comparison_value(c, &c->rows[i])->b.mean;
        }
        diff_view_add_amount(&line.cells[CELL_BEFORE], before, unit);
        diff_view_add_amount(&line.cells[CELL_AFTER], after, unit);
        diff_view_add_difference(&line.cells[CELL_CHANGE], after - before, unit);
        buf_printf(&line.cells[CELL_NAME], "%zu more", c->n_rows - from);
        end_line(&line, lines);
}

static size_t n_shown(const struct diff_view *view, const struct comparison *c)
{
        size_t n_differ = diff_view_n_differ(c);
        size_t few = c->n_tested && c->n_tested < FEW_ROWS ? c->n_tested : FEW_ROWS;
        size_t n = view->max_rows         ? (size_t)view->max_rows
                   : n_differ < few       ? few
                   : n_differ < MANY_ROWS ? n_differ
                                          : MANY_ROWS;

        return n < c->n_rows ? n : c->n_rows;
}

static void add_lone(const struct diff_view *view, const struct comparison *c, enum diff_presence presence,
                     struct aligned_lines *lines)
{
        struct diff_rows rows = diff_rows_of(c, presence);
        bool is_before = presence == DIFF_ONLY_A;
        size_t max = view->max_rows ? (size_t)view->max_rows : FEW_ROWS;

        for (size_t i = 0; i < rows.n && i < max; i++) {
                const struct compared_row *row = &rows.rows[i];
                const struct compared *value = comparison_value(c, row);
                struct diff_line line = {0};

                diff_view_add_amount(&line.cells[is_before ? CELL_BEFORE : CELL_AFTER],
                                     is_before ? value->a.mean : value->b.mean, row_unit(c));
                buf_printf(&line.cells[CELL_VERDICT], "only %s%s", is_before ? "before" : "after",
                           !row->is_inlined ? ""
                           : is_before      ? ", inlined after"
                                            : ", inlined before");
                add_name(row, &line);
                end_line(&line, lines);
        }
        if (rows.n > max) {
                struct diff_line line = {0};

                buf_printf(&line.cells[CELL_NAME], "%zu more only %s", rows.n - max,
                           is_before ? "before" : "after");
                end_line(&line, lines);
        }
}

static void add_comparison(const struct diff_view *view, const struct comparison *c,
                           struct aligned_lines *lines)
{
        size_t n = n_shown(view, c);

        if (!c->n_rows && !c->n_only_a && !c->n_only_b)
                return;
        aligned_lines_add_blank(lines);
        if (view->n_comparisons > 1 || c->measure == MEASURE_SHARE) {
                struct diff_line line = {0};

                buf_printf(&line.cells[CELL_NAME], "%s%s", c->event,
                           c->measure == MEASURE_SHARE ? ", shares" : "");
                end_line(&line, lines);
        }
        for (size_t i = 0; i < n; i++)
                add_row(view, c, &c->rows[i], lines);
        if (n < c->n_rows)
                add_rest(c, n, lines);
        add_lone(view, c, DIFF_ONLY_A, lines);
        add_lone(view, c, DIFF_ONLY_B, lines);
}

void diff_view_add_side(const struct diff_view *view, enum run_side side, struct buf *out)
{
        size_t n = run_values_n_runs(view->values, side);

        buf_printf(out, "%s = ", side == RUN_A ? "A" : "B");
        run_notes_add_label(view->values, side, out);
        buf_printf(out, " (%zu run%s)", n, n == 1 ? "" : "s");
}

/* Other programs have few names in common. */
static void add_common(const struct diff_view *view, struct buf *out)
{
        const struct comparison *c = view->comparisons[0];
        double common = comparison_common_share(c);

        if (common < LITTLE_IN_COMMON)
                buf_printf(
                        out,
                        "A and B share nothing: %.0f %% of their time is in %s that only one of them has\n",
                        100 * (1 - common), view->rows_are);
}

void diff_view_text(const struct diff_view *view, struct buf *out)
{
        static const char *const headings[N_CELLS] = {"before",  "after", "change", "95 % interval",
                                                      "verdict", "",      ""};
        AUTO(aligned_lines) lines = aligned_lines_new("rrrllnn");

        run_notes_add_heading(view->values, out);
        buf_add_str(out, view->notes);
        if (!view->n_comparisons)
                return;
        aligned_lines_add(lines, headings);
        add_totals(view, lines);
        for (size_t i = 0; i < view->n_comparisons; i++)
                add_comparison(view, view->comparisons[i], lines);
        aligned_lines_render(lines, view->max_columns, out);
        add_common(view, out);
        diff_view_add_finds(view, out);
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
                AUTO(table) totals = diff_columns_totals(view->comparisons[0]);

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
