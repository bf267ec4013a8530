/* SPDX-License-Identifier: BSD-3-Clause */
#include "check_view.h"

#include <math.h>
#include <string.h>

#include "diff_view.h"
#include "run_notes.h"
#include "table.h"
#include "text_printable.h"

static const char *const verdicts[] = {
        [LIMIT_KEPT] = "pass",
        [LIMIT_EXCEEDED] = "slower",
        [LIMIT_UNKNOWN] = "can't tell",
};

static const char *verdict_of(const struct limit_result *result)
{
        bool is_more = result->verdict == LIMIT_EXCEEDED && result->unit != COMPARED_NS;

        return is_more ? "more" : verdicts[result->verdict];
}

static void add_percent(struct buf *out, double share)
{
        if (isfinite(share))
                buf_printf(out, "%+.1f %%", share * 100);
}

static void add_interval(struct buf *out, const struct welch *welch)
{
        if (welch->is_known && isfinite(welch->high))
                buf_printf(out, "%+.1f to %+.1f %%", welch->low * 100, welch->high * 100);
}

/* Why it is not known, and how many runs would help: a change as far from the limit as the one seen is
 * shown by a one-sided test. */
static void add_why(const struct check_view *view, const struct limit_result *result, struct buf *out)
{
        double gap = fabs(result->limit->max_change - result->change);
        AUTO_RELEASE(buf) more = {0};

        if (result->verdict != LIMIT_UNKNOWN)
                return;
        buf_add_str(out, result->why);
        if (!result->value.welch.is_known || !isfinite(gap) || gap <= 0)
                return;
        if (diff_view_add_more_runs(&more, view->values, &result->value, gap, 2 * result->alpha) && more.len)
                buf_printf(out, "; a change as far from the limit as this one needs %s", buf_text(&more));
}

static void add_sides(const struct check_view *view, struct buf *out)
{
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                size_t n = run_values_n_runs(view->values, (enum run_side)side);

                buf_printf(out, "%s%c = ", side ? ", " : "", "AB"[side]);
                if (side == RUN_A && view->a_label)
                        text_add_printable(out, view->a_label);
                else
                        run_notes_add_label(view->values, (enum run_side)side, out);
                buf_printf(out, " (%zu run%s)", n, n == 1 ? "" : "s");
        }
}

static const struct column columns[] = {
        {.name = "limit", .type = COLUMN_TEXT},
        {.name = "allowed", .type = COLUMN_TEXT, .right = true},
        {.name = "A mean", .type = COLUMN_TEXT, .right = true},
        {.name = "B mean", .type = COLUMN_TEXT, .right = true},
        {.name = "change", .type = COLUMN_TEXT, .right = true},
        {.name = "95 % interval", .type = COLUMN_TEXT, .right = true},
        {.name = "verdict", .type = COLUMN_TEXT},
        {.name = "why", .type = COLUMN_TEXT},
};

enum { N_COLUMNS = N_ELEMENTS(columns) };

/* The cells of a row, in the order of the columns. */
struct check_cells {
        struct buf texts[N_COLUMNS];
};

static void fill_cells(const struct check_view *view, const struct limit_result *r, struct check_cells *ret)
{
        *ret = (struct check_cells){0};
        buf_add_str(&ret->texts[0], r->limit->name);
        add_percent(&ret->texts[1], r->limit->max_change);
        if (r->value.a.n)
                diff_view_add_amount(&ret->texts[2], r->value.a.mean, r->unit);
        if (r->value.b.n)
                diff_view_add_amount(&ret->texts[3], r->value.b.mean, r->unit);
        add_percent(&ret->texts[4], r->change);
        add_interval(&ret->texts[5], &r->value.welch);
        buf_add_str(&ret->texts[6], verdict_of(r));
        add_why(view, r, &ret->texts[7]);
}

static void release_cells(struct check_cells *cells)
{
        for (size_t i = 0; i < N_COLUMNS; i++)
                buf_release(&cells->texts[i]);
}

static void add_summary(const struct check_view *view, struct buf *out)
{
        static const char *const summaries[] = {
                [LIMIT_KEPT] = "pass: all limits are kept",
                [LIMIT_EXCEEDED] = "slower: a limit is exceeded",
                [LIMIT_UNKNOWN] =
                        "can't tell: no limit is shown to be exceeded, but not all are shown to be kept",
        };

        buf_add_str(out, summaries[limits_verdict(view->results, view->n_results)]);
}

void check_view_text(const struct check_view *view, struct buf *out)
{
        AUTO(table) table = table_new(columns, N_COLUMNS);

        if (*view->notes)
                buf_printf(out, "%s\n", view->notes);
        buf_add_str(out, "limits: ");
        add_sides(view, out);
        buf_add_char(out, '\n');
        for (size_t i = 0; i < view->n_results; i++) {
                struct check_cells cells;

                fill_cells(view, &view->results[i], &cells);
                for (size_t c = 0; c < N_COLUMNS; c++)
                        table_add_text(table, buf_text(&cells.texts[c]));
                release_cells(&cells);
        }
        table_render_text(table, view->max_columns, out);
        add_summary(view, out);
        buf_add_char(out, '\n');
}

/* --- Markdown --------------------------------------------------------------------------------------- */

/* Bytes that would end a cell, or begin something else. */
static void add_escaped(const char *raw, struct buf *out)
{
        AUTO_RELEASE(buf) printable = {0};
        const char *text;

        text_add_printable(&printable, raw);
        for (text = buf_text(&printable); *text; text++) {
                if (strchr("\\`*_{}[]<>|#!&~@", *text))
                        buf_add_char(out, '\\');
                buf_add_char(out, *text);
        }
}

static void add_line(const char *const *texts, struct buf *out)
{
        buf_add_char(out, '|');
        for (size_t i = 0; i < N_COLUMNS; i++) {
                buf_add_char(out, ' ');
                add_escaped(texts[i], out);
                buf_add_str(out, " |");
        }
        buf_add_char(out, '\n');
}

void check_view_markdown(const struct check_view *view, struct buf *out)
{
        const char *texts[N_COLUMNS];
        AUTO_RELEASE(buf) sides = {0};

        buf_add_str(out, "### wperf check: ");
        add_summary(view, out);
        buf_add_str(out, "\n\n");
        add_sides(view, &sides);
        add_escaped(buf_text(&sides), out);
        buf_add_str(out, "\n\n");
        for (size_t i = 0; i < N_COLUMNS; i++)
                texts[i] = columns[i].name;
        add_line(texts, out);
        buf_add_char(out, '|');
        for (size_t i = 0; i < N_COLUMNS; i++)
                buf_add_str(out, columns[i].right ? "---:|" : "---|");
        buf_add_char(out, '\n');
        for (size_t i = 0; i < view->n_results; i++) {
                struct check_cells cells;

                fill_cells(view, &view->results[i], &cells);
                for (size_t c = 0; c < N_COLUMNS; c++)
                        texts[c] = buf_text(&cells.texts[c]);
                add_line(texts, out);
                release_cells(&cells);
        }
        if (!*view->notes)
                return;
        buf_add_str(out, "\nDifferences besides the program:\n\n");
        for (const char *at = view->notes, *end; *at; at = end + (*end == '\n')) {
                AUTO_RELEASE(buf) line = {0};

                end = at + strcspn(at, "\n");
                buf_add(&line, at, (size_t)(end - at));
                buf_add_str(out, "- ");
                add_escaped(buf_text(&line), out);
                buf_add_char(out, '\n');
        }
}

/* --- JSON ------------------------------------------------------------------------------------------- */

static void add_number(struct json *json, const char *key, double value, int decimals)
{
        json_key(json, key);
        json_fixed(json, value, decimals);
}

static void add_result(const struct check_view *view, const struct limit_result *r, struct json *json)
{
        AUTO_RELEASE(buf) why = {0};
        bool known = r->value.welch.is_known;

        json_begin_object(json);
        json_key_str(json, "limit", r->limit->name);
        add_number(json, "allowed_percent", r->limit->max_change * 100, 3);
        json_key_str(json, "verdict", verdict_of(r));
        add_number(json, "a_mean", r->value.a.n ? r->value.a.mean : NAN, 3);
        add_number(json, "b_mean", r->value.b.n ? r->value.b.mean : NAN, 3);
        add_number(json, "change_percent", r->change * 100, 3);
        add_number(json, "change_low_percent", known ? r->value.welch.low * 100 : NAN, 3);
        add_number(json, "change_high_percent", known ? r->value.welch.high * 100 : NAN, 3);
        add_why(view, r, &why);
        json_key_str(json, "why", buf_text(&why));
        json_end_object(json);
}

void check_view_json(const struct check_view *view, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key_str(&json, "verdict", verdicts[limits_verdict(view->results, view->n_results)]);
        json_key_u64(&json, "a_runs", run_values_n_runs(view->values, RUN_A));
        json_key_u64(&json, "b_runs", run_values_n_runs(view->values, RUN_B));
        json_key(&json, "notes");
        diff_view_json_lines(view->notes, &json);
        json_key(&json, "limits");
        json_begin_array(&json);
        for (size_t i = 0; i < view->n_results; i++)
                add_result(view, &view->results[i], &json);
        json_end_array(&json);
        json_end_object(&json);
        buf_add_char(out, '\n');
}
