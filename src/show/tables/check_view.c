/* SPDX-License-Identifier: BSD-3-Clause */
#include "check_view.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "aligned_lines.h"
#include "attributes.h"
#include "diff_columns.h"
#include "diff_view.h"
#include "run_notes.h"
#include "text.h"
#include "text_printable.h"

static const char *const verdicts[] = {
        [LIMIT_KEPT] = "within",
        [LIMIT_EXCEEDED] = "slower",
        [LIMIT_UNKNOWN] = "unclear",
};

const char *check_view_verdict(const struct limit_result *result)
{
        bool is_more = result->verdict == LIMIT_EXCEEDED && result->unit != COMPARED_NS;

        return is_more ? "more" : verdicts[result->verdict];
}

const char *check_view_label(const struct limit_result *result)
{
        static const char *const labels[][2] = {
                {"total", "CPU time"}, {"user", "CPU time, user"}, {"kernel", "CPU time, kernel"}};

        for (size_t i = 0; i < N_ELEMENTS(labels); i++) {
                if (!strcmp(result->limit->name, labels[i][0]))
                        return labels[i][1];
        }
        return result->limit->name + (text_starts(result->limit->name, "event:") ? strlen("event:") : 0);
}

static void add_percent(struct buf *out, double share)
{
        if (isfinite(share))
                buf_printf(out, "%+.1f %%", share * 100);
}

/* "+5 %" */
static void add_allowed(struct buf *out, const struct limit_result *r)
{
        buf_printf(out, "%+.10g %%", r->limit->max_change * 100);
}

/* How many runs would show a change as far from the limit as the one seen. */
static bool count_more_runs(const struct check_view *view, const struct limit_result *r,
                            struct diff_more_runs *ret)
{
        double gap = fabs(r->limit->max_change - r->change);

        return !view->is_doubted && r->verdict == LIMIT_UNKNOWN && r->value.welch.is_known && isfinite(gap) &&
               gap > 0 &&
               diff_view_count_more_runs(view->values, &r->value,
                                         &(struct diff_wanted){gap, r->alpha, view->a_label}, ret) &&
               ret->n;
}

/* "4 more runs, 7 s"; otherwise why it is not known. */
static void add_why(const struct check_view *view, const struct limit_result *r, struct buf *out)
{
        struct diff_more_runs more;

        if (r->verdict != LIMIT_UNKNOWN)
                return;
        if (!count_more_runs(view, r, &more)) {
                buf_add_str(out, r->why);
                return;
        }
        buf_printf(out, "%zu more run%s", more.n, more.n == 1 ? "" : "s");
        if (more.seconds > 0)
                buf_printf(out, ", %.0f s", more.seconds);
}

static void add_sides(const struct check_view *view, struct buf *out)
{
        size_t n_a = run_values_n_runs(view->values, RUN_A), n_b = run_values_n_runs(view->values, RUN_B);

        if (!view->a_label) {
                run_notes_add_heading(view->values, out);
                return;
        }
        buf_add_str(out, "baseline: ");
        text_add_printable(out, view->a_label);
        buf_printf(out, ", %zu run%s", n_a, n_a == 1 ? "" : "s");
        if (n_a != n_b)
                buf_printf(out, ", %zu now", n_b);
        run_notes_add_same(view->values, out);
        buf_add_char(out, '\n');
}

/* The limit that decides: the first with the verdict of all. */
static const struct limit_result *decisive(const struct check_view *view)
{
        enum limit_verdict verdict = limits_verdict(view->results, view->n_results);

        for (size_t i = 0; i < view->n_results; i++) {
                if (view->results[i].verdict == verdict)
                        return &view->results[i];
        }
        return &view->results[0];
}

void check_view_add_result(const struct check_view *view, const struct limit_result *r, struct buf *out)
{
        AUTO_RELEASE(buf) interval = {0};
        AUTO_RELEASE(buf) why = {0};

        diff_columns_add_interval(&r->value, &interval);
        text_add_printable(out, check_view_label(r));
        buf_add_str(out, isfinite(r->change) ? " " : "");
        add_percent(out, r->change);
        if (interval.len)
                buf_printf(out, " (%s)", buf_text(&interval));
        buf_add_str(out, ", allowed ");
        add_allowed(out, r);
        add_why(view, r, &why);
        if (why.len)
                text_printf(out, ": %s", buf_text(&why));
}

void check_view_add_summary(const struct check_view *view, struct buf *out)
{
        const struct limit_result *result = decisive(view);

        for (const char *at = check_view_verdict(result); *at; at++)
                buf_add_char(out, (char)toupper((unsigned char)*at));
        buf_add_str(out, ": ");
        check_view_add_result(view, result, out);
}

/* The function whose growth is the largest part of that of the CPU time. */
static const struct compared_row *cause_of(const struct check_view *view)
{
        const struct compared_total *total = view->causes ? comparison_total(view->causes, "cpu") : NULL;
        const struct compared_row *best = NULL;
        double most = 0;

        if (!total || total->value.b.mean <= total->value.a.mean ||
            limits_verdict(view->results, view->n_results) != LIMIT_EXCEEDED)
                return NULL;
        for (size_t i = 0; i < view->causes->n_rows; i++) {
                const struct compared_row *row = &view->causes->rows[i];
                double more = row->amount.b.mean - row->amount.a.mean;

                if (row->amount.verdict == COMPARED_MORE && more > most) {
                        most = more;
                        best = row;
                }
        }
        for (size_t i = 0; view->causes->n_b > 1 && i < view->causes->n_only_b; i++) {
                const struct compared_row *row = &view->causes->only_b[i];

                if (row->amount.b.mean > most) {
                        most = row->amount.b.mean;
                        best = row;
                }
        }
        return best;
}

/* "because: norm (app.py) +131 of +164 ms" */
static void add_cause(const struct check_view *view, struct buf *out)
{
        const struct compared_row *row = cause_of(view);
        const struct compared_total *total;

        if (!row)
                return;
        total = comparison_total(view->causes, "cpu");
        text_printf(out, "because: %s%s%s%s ", row->name, *row->module ? " (" : "", row->module,
                    *row->module ? ")" : "");
        diff_view_add_difference(out, row->amount.b.mean - row->amount.a.mean, COMPARED_NS);
        buf_add_str(out, " of ");
        diff_view_add_difference(out, total->value.b.mean - total->value.a.mean, COMPARED_NS);
        buf_add_char(out, '\n');
}

static const struct check_column {
        const char *name;
        bool right;
} columns[] = {{"limit", false}, {"allowed", true}, {"before", true},
               {"after", true},  {"change", true},  {"verdict", false}};

enum { N_COLUMNS = N_ELEMENTS(columns) };

/* The cells of a row, in the order of the columns. */
struct check_cells {
        struct buf texts[N_COLUMNS];
};

static void fill_cells(const struct check_view *view, const struct limit_result *r, struct check_cells *ret)
{
        AUTO_RELEASE(buf) why = {0};

        *ret = (struct check_cells){0};
        buf_add_str(&ret->texts[0], check_view_label(r));
        add_allowed(&ret->texts[1], r);
        if (r->value.a.n)
                diff_view_add_amount(&ret->texts[2], r->value.a.mean, r->unit);
        if (r->value.b.n)
                diff_view_add_amount(&ret->texts[3], r->value.b.mean, r->unit);
        add_percent(&ret->texts[4], r->change);
        add_why(view, r, &why);
        buf_printf(&ret->texts[5], "%s%s%s", check_view_verdict(r), why.len ? ": " : "", buf_text(&why));
}

static void release_cells(struct check_cells *cells)
{
        for (size_t i = 0; i < N_COLUMNS; i++)
                buf_release(&cells->texts[i]);
}

/* Calls `add` with the headings and with each row. */
typedef void add_cells_fn(const char *const *texts, void *ctx);

static void add_table(const struct check_view *view, add_cells_fn *add, void *ctx)
{
        const char *texts[N_COLUMNS];

        for (size_t i = 0; i < N_COLUMNS; i++)
                texts[i] = columns[i].name;
        add(texts, ctx);
        for (size_t i = 0; i < view->n_results; i++) {
                struct check_cells cells;

                fill_cells(view, &view->results[i], &cells);
                for (size_t c = 0; c < N_COLUMNS; c++)
                        texts[c] = buf_text(&cells.texts[c]);
                add(texts, ctx);
                release_cells(&cells);
        }
}

static void add_line_of(const char *const *texts, void *ctx)
{
        aligned_lines_add(ctx, texts);
}

void check_view_text(const struct check_view *view, struct buf *out)
{
        AUTO(aligned_lines) lines = aligned_lines_new("nrrrrl");

        check_view_add_summary(view, out);
        buf_add_char(out, '\n');
        buf_add_str(out, view->notes);
        add_table(view, add_line_of, lines);
        aligned_lines_render(lines, view->max_columns, out);
        add_cause(view, out);
        add_sides(view, out);
        buf_printf(out, "exit %d  (0 within, 1 %s, 125 unclear)\n", view->status,
                   decisive(view)->unit == COMPARED_NS ? "slower" : "more");
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

static void add_markdown_line(const char *const *texts, void *ctx)
{
        struct buf *out = ctx;
        bool is_heading = texts[0] == columns[0].name;

        buf_add_char(out, '|');
        for (size_t i = 0; i < N_COLUMNS; i++) {
                buf_add_char(out, ' ');
                add_escaped(texts[i], out);
                buf_add_str(out, " |");
        }
        buf_add_char(out, '\n');
        if (!is_heading)
                return;
        buf_add_char(out, '|');
        for (size_t i = 0; i < N_COLUMNS; i++)
                buf_add_str(out, columns[i].right ? "---:|" : "---|");
        buf_add_char(out, '\n');
}

/* The functions that changed. */
static void add_changed(const struct check_view *view, struct buf *out)
{
        bool is_any = false;

        for (size_t i = 0; view->causes && i < view->causes->n_rows; i++) {
                const struct compared_row *row = &view->causes->rows[i];
                AUTO_RELEASE(buf) text = {0};

                if (row->amount.verdict < COMPARED_MORE)
                        continue;
                if (!is_any)
                        buf_add_str(
                                out,
                                "\n| before | after | change | verdict | function |\n|---:|---:|---:|---|---|\n");
                is_any = true;
                buf_add_str(out, "| ");
                diff_view_add_amount(out, row->amount.a.mean, COMPARED_NS);
                buf_add_str(out, " | ");
                diff_view_add_amount(out, row->amount.b.mean, COMPARED_NS);
                buf_add_str(out, " | ");
                diff_view_add_difference(out, row->amount.b.mean - row->amount.a.mean, COMPARED_NS);
                buf_printf(out, " | %s | ", diff_view_verdict(row->amount.verdict, true));
                buf_printf(&text, "%s%s%s", row->name, *row->module ? " " : "", row->module);
                add_escaped(buf_text(&text), out);
                buf_add_str(out, " |\n");
        }
}

static void add_escaped_lines(const char *lines, const char *begin, struct buf *out)
{
        for (const char *at = lines, *end; *at; at = end + (*end == '\n')) {
                AUTO_RELEASE(buf) line = {0};

                end = at + strcspn(at, "\n");
                buf_add(&line, at, (size_t)(end - at));
                buf_add_str(out, begin);
                add_escaped(buf_text(&line), out);
                buf_add_char(out, '\n');
        }
}

void check_view_markdown(const struct check_view *view, struct buf *out)
{
        AUTO_RELEASE(buf) summary = {0};
        AUTO_RELEASE(buf) sides = {0};
        AUTO_RELEASE(buf) cause = {0};

        check_view_add_summary(view, &summary);
        buf_add_str(out, "### wperf check: ");
        add_escaped(buf_text(&summary), out);
        buf_add_str(out, "\n\n");
        add_table(view, add_markdown_line, out);
        add_changed(view, out);
        buf_add_char(out, '\n');
        add_cause(view, &cause);
        add_escaped_lines(buf_text(&cause), "", out);
        add_sides(view, &sides);
        add_escaped_lines(buf_text(&sides), "", out);
        if (*view->notes)
                buf_add_str(out, "\nDifferences besides the program:\n\n");
        add_escaped_lines(view->notes, "- ", out);
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
        struct diff_more_runs more;
        bool is_known_more, known = r->value.welch.is_known;

        json_begin_object(json);
        json_key_str(json, "limit", r->limit->name);
        add_number(json, "allowed_percent", r->limit->max_change * 100, 3);
        json_key_str(json, "verdict", check_view_verdict(r));
        add_number(json, "a_mean", r->value.a.n ? r->value.a.mean : NAN, 3);
        add_number(json, "b_mean", r->value.b.n ? r->value.b.mean : NAN, 3);
        add_number(json, "change_percent", r->change * 100, 3);
        add_number(json, "change_low_percent", known ? r->value.welch.low * 100 : NAN, 3);
        add_number(json, "change_high_percent", known ? r->value.welch.high * 100 : NAN, 3);
        add_why(view, r, &why);
        json_key_str(json, "why", buf_text(&why));
        is_known_more = count_more_runs(view, r, &more);
        add_number(json, "more_runs", is_known_more ? (double)more.n : NAN, 0);
        add_number(json, "more_seconds", is_known_more && more.seconds > 0 ? more.seconds : NAN, 0);
        json_end_object(json);
}

void check_view_json(const struct check_view *view, struct buf *out)
{
        AUTO_RELEASE(buf) cause = {0};
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key_str(&json, "verdict", verdicts[limits_verdict(view->results, view->n_results)]);
        json_key_u64(&json, "a_runs", run_values_n_runs(view->values, RUN_A));
        json_key_u64(&json, "b_runs", run_values_n_runs(view->values, RUN_B));
        json_key_u64(&json, "status", (uint64_t)view->status);
        add_cause(view, &cause);
        buf_truncate(&cause, cause.len ? cause.len - 1 : 0);
        json_key_str(&json, "because",
                     text_starts(buf_text(&cause), "because: ") ? buf_text(&cause) + strlen("because: ")
                                                                : "");
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
