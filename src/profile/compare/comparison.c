/* SPDX-License-Identifier: BSD-3-Clause */
#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison_totals.h"
#include "discoveries.h"
#include "mem.h"

/* Values of one name in the runs of one group. */
struct name_values {
        double *amounts, *shares; /* of the runs that have the event */
        size_t n;
        double samples;                         /* mean number */
        double amount_variance, share_variance; /* that sampling alone gives */
};

double comparison_change(const struct compared *c)
{
        return c->a.mean > 0 ? c->b.mean / c->a.mean - 1 : NAN;
}

static bool is_of_side(const struct run_values *v, size_t run, enum run_side side)
{
        return (run < run_values_n_runs(v, RUN_A)) == (side == RUN_A);
}

/* A share of n samples varies by chance as if the samples were drawn one by one.  Real samples may vary
 * less, and never count as if they did: a name with the same few samples in each run would seem to have no
 * variance at all. */
static void add_run(struct name_values *ret, const struct run_event *event, double count, double weight)
{
        double n = (double)event->n_samples, share = weight / (double)event->weight;
        double sampled = share * (1 - share) / n;

        if (sampled < 0)
                sampled = 0;
        ret->shares[ret->n] = share;
        ret->amounts[ret->n] = share * event->amount;
        ret->share_variance += sampled;
        ret->amount_variance += sampled * event->amount * event->amount;
        ret->samples += count;
        ret->n++;
}

static void end_runs(struct name_values *ret)
{
        double n = ret->n ? (double)ret->n : 1;

        ret->share_variance /= n;
        ret->amount_variance /= n;
        ret->samples /= n;
}

static void read_row(const struct run_values *v, uint32_t event, const struct run_cell *cells,
                     enum run_side side, struct name_values *ret)
{
        ret->n = 0;
        ret->samples = ret->amount_variance = ret->share_variance = 0;
        for (size_t r = 0; r < run_values_n_all_runs(v); r++) {
                const struct run_event *e = run_values_event(v, r, event);

                if (is_of_side(v, r, side) && e && e->n_samples && e->weight)
                        add_run(ret, e, (double)cells[r].count, (double)cells[r].weight);
        }
        end_runs(ret);
}

static void init_values(struct name_values *ret, size_t n_runs)
{
        ret->amounts = mem_new(n_runs, sizeof(*ret->amounts));
        ret->shares = mem_new(n_runs, sizeof(*ret->shares));
}

static void release_values(struct name_values *values)
{
        free(values->amounts);
        free(values->shares);
}

static struct compared compare(const double *a, size_t n_a, double floor_a, const double *b, size_t n_b,
                               double floor_b)
{
        struct compared c = {
                .a = welch_group_of(a, n_a, floor_a),
                .b = welch_group_of(b, n_b, floor_b),
                .q = 1,
                .smallest = INFINITY,
        };

        c.welch = welch_compare(&c.a, &c.b, COMPARISON_LEVEL);
        return c;
}

static struct compared_row compare_name(const struct run_values *v, size_t name, const struct name_values *a,
                                        const struct name_values *b)
{
        struct run_name text = run_values_name(v, name);

        return (struct compared_row){
                .name = text.brief ? text.brief : text.name,
                .full_name = text.name,
                .module = text.module,
                .samples_a = a->samples,
                .samples_b = b->samples,
                .amount = compare(a->amounts, a->n, a->amount_variance, b->amounts, b->n, b->amount_variance),
                .share = compare(a->shares, a->n, a->share_variance, b->shares, b->n, b->share_variance),
        };
}

/* A name that one group has in each run, and the other in none, has come or vanished.  One that is rare may
 * be missing by chance. */
static void add_row(struct comparison *c, const struct run_values *v, const struct compared_row *row)
{
        struct compared_row lone = *row;

        lone.amount.verdict = lone.share.verdict = COMPARED_ONE_SIDE;
        if (row->samples_a > 0 && row->samples_b > 0) {
                ARRAY_PUSH(c->rows, c->n_rows, c->cap_rows, *row);
        } else if (row->samples_a >= COMPARISON_MIN_SAMPLES) {
                lone.is_inlined = run_values_is_inlined(v, RUN_B, row->full_name);
                ARRAY_PUSH(c->only_a, c->n_only_a, c->cap_only_a, lone);
        } else if (row->samples_b >= COMPARISON_MIN_SAMPLES) {
                lone.is_inlined = run_values_is_inlined(v, RUN_A, row->full_name);
                ARRAY_PUSH(c->only_b, c->n_only_b, c->cap_only_b, lone);
        }
}

static void add_rows(struct comparison *c, const struct comparison_request *request)
{
        const struct run_values *v = request->values;
        size_t n_runs = run_values_n_all_runs(v);
        struct name_values a, b;

        init_values(&a, n_runs);
        init_values(&b, n_runs);
        for (size_t i = 0; i < run_values_n_names(v); i++) {
                const struct run_cell *cells = run_values_row(v, request->event, i);
                struct compared_row row;

                read_row(v, request->event, cells, RUN_A, &a);
                read_row(v, request->event, cells, RUN_B, &b);
                c->n_a = a.n;
                c->n_b = b.n;
                if (a.samples <= 0 && b.samples <= 0)
                        continue;
                row = compare_name(v, i, &a, &b);
                add_row(c, v, &row);
        }
        release_values(&a);
        release_values(&b);
}

/* --- Verdicts --------------------------------------------------------------------------------------- */

/* Which rows are tested depends on the samples of both groups together, not on their difference, so that
 * the choice does not favour rows that differ. */
static bool is_tested(const struct compared_row *row)
{
        return row->amount.welch.is_known && (row->samples_a + row->samples_b) / 2 >= COMPARISON_MIN_SAMPLES;
}

static struct compared *value_of(struct compared_row *row, enum comparison_measure measure)
{
        return measure == MEASURE_SHARE ? &row->share : &row->amount;
}

const struct compared *comparison_value(const struct comparison *c, const struct compared_row *row)
{
        return c->measure == MEASURE_SHARE ? &row->share : &row->amount;
}

static enum compared_verdict judge(const struct compared *c)
{
        if (!c->welch.is_known)
                return COMPARED_NOT_MEASURED;
        if (c->q > COMPARISON_DISCOVERIES)
                return COMPARED_NOT_SHOWN;
        return c->b.mean > c->a.mean ? COMPARED_MORE : COMPARED_LESS;
}

static double row_alpha(size_t n_tested)
{
        return COMPARISON_DISCOVERIES / (double)(n_tested ? n_tested : 1);
}

double comparison_row_alpha(const struct comparison *c)
{
        return row_alpha(c->n_tested);
}

static void judge_value(struct compared *c, size_t n_tested, bool is_tested)
{
        c->smallest = is_tested ? welch_smallest_change(&c->a, &c->b, c->a.n, c->b.n, row_alpha(n_tested),
                                                        COMPARISON_POWER)
                                : INFINITY;
        c->verdict = judge(c);
        if (c->welch.is_known && !is_tested)
                c->verdict = COMPARED_FEW_SAMPLES;
}

static void judge_rows(struct comparison *c, enum comparison_measure measure)
{
        double *p = mem_new(c->n_rows, sizeof(*p)), *q = mem_new(c->n_rows, sizeof(*q));
        size_t n = 0;

        for (size_t i = 0; i < c->n_rows; i++) {
                if (is_tested(&c->rows[i]))
                        p[n++] = value_of(&c->rows[i], measure)->welch.p;
        }
        discoveries_adjust(p, n, q);
        c->n_tested = n;
        n = 0;
        for (size_t i = 0; i < c->n_rows; i++) {
                struct compared *value = value_of(&c->rows[i], measure);
                bool tested = is_tested(&c->rows[i]);

                if (tested)
                        value->q = q[n++];
                judge_value(value, c->n_tested, tested);
        }
        free(p);
        free(q);
}

static void judge_totals(struct comparison *c)
{
        double *p = mem_new(c->n_totals, sizeof(*p)), *q = mem_new(c->n_totals, sizeof(*q));

        for (size_t i = 0; i < c->n_totals; i++)
                p[i] = c->totals[i].value.welch.p;
        discoveries_adjust(p, c->n_totals, q);
        for (size_t i = 0; i < c->n_totals; i++) {
                c->totals[i].value.q = q[i];
                judge_value(&c->totals[i].value, c->n_totals, c->totals[i].value.welch.is_known);
        }
        free(p);
        free(q);
}

/* --- Order ------------------------------------------------------------------------------------------ */

static double difference(const struct compared_row *row)
{
        return fabs(row->amount.b.mean - row->amount.a.mean);
}

static int by_name(const struct compared_row *x, const struct compared_row *y)
{
        int names = strcmp(x->full_name, y->full_name);

        return names ? names : strcmp(x->module, y->module);
}

static bool is_shown(const struct compared_row *row)
{
        return row->amount.verdict >= COMPARED_MORE;
}

static int by_difference(const void *x, const void *y)
{
        const struct compared_row *a = x, *b = y;

        if (is_shown(a) != is_shown(b))
                return is_shown(a) ? -1 : 1;
        if (difference(a) != difference(b))
                return difference(a) > difference(b) ? -1 : 1;
        return by_name(a, b);
}

/* The verdicts of shares order the rows if they were asked for. */
static int by_share(const void *x, const void *y)
{
        const struct compared_row *a = x, *b = y;
        bool shown_a = a->share.verdict >= COMPARED_MORE, shown_b = b->share.verdict >= COMPARED_MORE;
        double one = fabs(a->share.b.mean - a->share.a.mean), two = fabs(b->share.b.mean - b->share.a.mean);

        if (shown_a != shown_b)
                return shown_a ? -1 : 1;
        if (one != two)
                return one > two ? -1 : 1;
        return by_name(a, b);
}

static int by_amount(const void *x, const void *y)
{
        const struct compared_row *a = x, *b = y;
        double one = a->amount.a.mean + a->amount.b.mean, two = b->amount.a.mean + b->amount.b.mean;

        if (one != two)
                return one > two ? -1 : 1;
        return by_name(a, b);
}

static void sort(struct compared_row *rows, size_t n, int (*compare_rows)(const void *, const void *))
{
        if (n)
                qsort(rows, n, sizeof(*rows), compare_rows);
}

struct comparison *comparison_new(const struct comparison_request *request)
{
        struct comparison *c = mem_new(1, sizeof(*c));

        c->measure = request->measure;
        c->event = run_values_event_name(request->values, request->event);
        c->is_time = run_values_event_is_time(request->values, request->event);
        add_rows(c, request);
        judge_rows(c, MEASURE_TIME);
        judge_rows(c, MEASURE_SHARE);
        comparison_add_totals(c, request->values);
        judge_totals(c);
        sort(c->rows, c->n_rows, c->measure == MEASURE_SHARE ? by_share : by_difference);
        sort(c->only_a, c->n_only_a, by_amount);
        sort(c->only_b, c->n_only_b, by_amount);
        return c;
}

void comparison_free(struct comparison *c)
{
        if (!c)
                return;
        free(c->rows);
        free(c->only_a);
        free(c->only_b);
        free(c->totals);
        free(c);
}

const struct compared_total *comparison_total(const struct comparison *c, const char *key)
{
        for (size_t i = 0; i < c->n_totals; i++) {
                if (!strcmp(c->totals[i].key, key))
                        return &c->totals[i];
        }
        return NULL;
}

/* --- Sums ------------------------------------------------------------------------------------------- */

struct compared comparison_sum(const struct run_values *v, uint32_t event, comparison_wanted_fn *is_wanted,
                               const void *ctx, double *ret_samples)
{
        size_t n_runs = run_values_n_all_runs(v);
        struct run_cell *sums = mem_new(n_runs, sizeof(*sums));
        struct name_values a, b;
        struct compared c;

        for (size_t i = 0; i < run_values_n_names(v); i++) {
                const struct run_cell *cells = run_values_row(v, event, i);
                struct run_name name = run_values_name(v, i);

                if (!is_wanted(ctx, &name))
                        continue;
                for (size_t r = 0; r < n_runs; r++) {
                        sums[r].count += cells[r].count;
                        sums[r].weight += cells[r].weight;
                }
        }
        init_values(&a, n_runs);
        init_values(&b, n_runs);
        read_row(v, event, sums, RUN_A, &a);
        read_row(v, event, sums, RUN_B, &b);
        c = compare(a.amounts, a.n, a.amount_variance, b.amounts, b.n, b.amount_variance);
        *ret_samples = (a.samples + b.samples) / 2;
        release_values(&a);
        release_values(&b);
        free(sums);
        return c;
}
