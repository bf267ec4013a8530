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

double comparison_smallest_change(const struct compared *c)
{
        return c->a.mean > 0 ? c->smallest / c->a.mean : INFINITY;
}

bool comparison_is_lost_among_many(const struct compared *c)
{
        return c->verdict == COMPARED_UNCLEAR && c->welch.p < COMPARISON_DISCOVERIES;
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

static struct compared groups_of(const double *a, size_t n_a, double sampled_a, const double *b, size_t n_b,
                                 double sampled_b)
{
        return (struct compared){
                .a = welch_group_of(a, n_a, sampled_a),
                .b = welch_group_of(b, n_b, sampled_b),
                .q = 1,
                .smallest = INFINITY,
        };
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
                .amount =
                        groups_of(a->amounts, a->n, a->amount_variance, b->amounts, b->n, b->amount_variance),
                .share = groups_of(a->shares, a->n, a->share_variance, b->shares, b->n, b->share_variance),
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

static struct compared *value_of(struct compared_row *row, enum comparison_measure measure)
{
        return measure == MEASURE_SHARE ? &row->share : &row->amount;
}

const struct compared *comparison_value(const struct comparison *c, const struct compared_row *row)
{
        return c->measure == MEASURE_SHARE ? &row->share : &row->amount;
}

/* Quantities that are tested together, and how much each may use of the false alarms that are allowed. */
struct family {
        struct compared **values;
        double *weights; /* their mean is 1 */
        size_t n;
};

static struct family family_new(size_t n_most)
{
        return (struct family){
                .values = mem_new(n_most, sizeof(struct compared *)),
                .weights = mem_new(n_most, sizeof(double)),
        };
}

static void family_release(struct family *family)
{
        free(family->values);
        free(family->weights);
}

static void add_member(struct family *family, struct compared *value, double weight)
{
        family->weights[family->n] = weight;
        family->values[family->n++] = value;
}

static enum compared_verdict judge(const struct compared *c)
{
        if (c->q > COMPARISON_DISCOVERIES)
                return COMPARED_UNCLEAR;
        return c->b.mean > c->a.mean ? COMPARED_MORE : COMPARED_LESS;
}

static void judge_family(const struct family *family)
{
        double *p = mem_new(family->n, sizeof(*p)), *q = mem_new(family->n, sizeof(*q));

        for (size_t i = 0; i < family->n; i++) {
                struct compared *c = family->values[i];

                p[i] = welch_compare(&c->a, &c->b, c->covariance, COMPARISON_DISCOVERIES).p;
        }
        discoveries_adjust(p, family->weights, family->n, q);
        for (size_t i = 0; i < family->n; i++) {
                struct compared *c = family->values[i];

                c->n_together = family->n;
                c->q = q[i];
                c->alpha = family->weights[i] * COMPARISON_DISCOVERIES / (double)family->n;
                c->welch = welch_compare(
                        &c->a, &c->b, c->covariance,
                        discoveries_alpha(q, family->n, family->weights[i], COMPARISON_DISCOVERIES));
                c->smallest = welch_smallest(&c->a, &c->b, c->covariance, c->alpha);
                c->verdict = judge(c);
        }
        free(p);
        free(q);
}

static double samples_of(const struct compared_row *row)
{
        return (row->samples_a + row->samples_b) / 2;
}

/* Which rows are tested depends on the samples of both groups together, not on their difference, so that
 * the choice does not favour rows that differ. */
static bool is_tested(const struct compared_row *row)
{
        return row->amount.a.n > 1 && row->amount.b.n > 1 && samples_of(row) >= COMPARISON_MIN_SAMPLES;
}

static void settle_noise(struct comparison *c, enum comparison_measure measure)
{
        const struct run_group **groups = mem_new(2 * c->n_rows, sizeof(*groups));
        size_t n = 0;

        for (size_t i = 0; i < c->n_rows; i++) {
                const struct compared *value = value_of(&c->rows[i], measure);

                if (!is_tested(&c->rows[i]))
                        continue;
                groups[n++] = &value->a;
                groups[n++] = &value->b;
        }
        c->noise[measure] = row_noise_fit(groups, n);
        for (size_t i = 0; i < c->n_rows; i++) {
                struct compared *value = value_of(&c->rows[i], measure);

                row_noise_settle(&c->noise[measure], &value->a);
                row_noise_settle(&c->noise[measure], &value->b);
        }
        free(groups);
}

/* Half of the false alarms that are allowed belongs to all rows alike, the other half to each by its
 * samples: what has much time matters more, and can be told better. */
static void judge_rows(struct comparison *c, enum comparison_measure measure)
{
        struct family family = family_new(c->n_rows);
        double samples = 0;

        c->n_tested = 0;
        for (size_t i = 0; i < c->n_rows; i++) {
                struct compared_row *row = &c->rows[i];
                bool is_known = row->amount.a.n > 1 && row->amount.b.n > 1;

                value_of(row, measure)->verdict = is_known ? COMPARED_FEW_SAMPLES : COMPARED_NOT_MEASURED;
                if (!is_tested(row))
                        continue;
                samples += samples_of(row);
                c->n_tested++;
        }
        settle_noise(c, measure);
        for (size_t i = 0; i < c->n_rows; i++) {
                struct compared_row *row = &c->rows[i];

                if (is_tested(row))
                        add_member(&family, value_of(row, measure),
                                   0.5 + 0.5 * samples_of(row) / samples * (double)c->n_tested);
        }
        judge_family(&family);
        family_release(&family);
}

static void keep_total(struct comparison *c, const char *key)
{
        size_t n = 0;

        for (size_t i = 0; i < c->n_totals; i++) {
                if (!strcmp(c->totals[i].key, key))
                        c->totals[n++] = c->totals[i];
        }
        c->n_totals = n;
}

static void judge_totals(struct comparison *c)
{
        struct family family = family_new(c->n_totals);

        for (size_t i = 0; i < c->n_totals; i++) {
                struct compared *value = &c->totals[i].value;

                if (value->a.n > 1 && value->b.n > 1)
                        add_member(&family, value, 1);
        }
        judge_family(&family);
        family_release(&family);
}

/* --- Order ------------------------------------------------------------------------------------------ */

static int by_name(const struct compared_row *x, const struct compared_row *y)
{
        int names = strcmp(x->full_name, y->full_name);

        return names ? names : strcmp(x->module, y->module);
}

/* What differs comes first, then what was tested. */
static int rank_of(const struct compared *value)
{
        return value->verdict >= COMPARED_MORE ? 0 : value->verdict == COMPARED_UNCLEAR ? 1 : 2;
}

static int by_value(const struct compared_row *a, const struct compared *of_a, const struct compared_row *b,
                    const struct compared *of_b)
{
        double one = fabs(of_a->b.mean - of_a->a.mean), two = fabs(of_b->b.mean - of_b->a.mean);

        if (rank_of(of_a) != rank_of(of_b))
                return rank_of(of_a) - rank_of(of_b);
        if (one != two)
                return one > two ? -1 : 1;
        return by_name(a, b);
}

static int by_difference(const void *x, const void *y)
{
        const struct compared_row *a = x, *b = y;

        return by_value(a, &a->amount, b, &b->amount);
}

/* The verdicts of shares order the rows if they were asked for. */
static int by_share(const void *x, const void *y)
{
        const struct compared_row *a = x, *b = y;

        return by_value(a, &a->share, b, &b->share);
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
        if (request->total)
                keep_total(c, request->total);
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
        free(c->partners);
        free(c);
}

static void doubt_value(struct compared *value, const char *reason)
{
        if (value->verdict < COMPARED_MORE)
                return;
        value->verdict = COMPARED_UNCLEAR;
        value->doubt = reason;
}

void comparison_doubt(struct comparison *c, const char *reason)
{
        for (size_t i = 0; i < c->n_rows; i++) {
                doubt_value(&c->rows[i].amount, reason);
                doubt_value(&c->rows[i].share, reason);
        }
        for (size_t i = 0; i < c->n_totals; i++)
                doubt_value(&c->totals[i].value, reason);
}

double comparison_common_share(const struct comparison *c)
{
        double common = 0, all = 0;

        for (size_t i = 0; i < c->n_rows; i++)
                common += c->rows[i].share.a.mean + c->rows[i].share.b.mean;
        for (size_t i = 0; i < c->n_only_a; i++)
                all += c->only_a[i].share.a.mean;
        for (size_t i = 0; i < c->n_only_b; i++)
                all += c->only_b[i].share.b.mean;
        all += common;
        return all > 0 ? common / all : 1;
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

/* The names to add up.  A function that was renamed is wanted by either name, and counted once. */
static bool *wanted_names(const struct comparison_sum_request *request)
{
        size_t n = run_values_n_names(request->values);
        bool *wanted = mem_new(n + 1, sizeof(*wanted));

        for (size_t i = 0; i < n; i++) {
                struct run_name name = run_values_name(request->values, i);
                size_t counted_as = run_values_renamed(request->values, i);

                if (request->is_wanted(request->ctx, &name))
                        wanted[counted_as == SIZE_MAX ? i : counted_as] = true;
        }
        return wanted;
}

struct compared comparison_sum(const struct comparison_sum_request *request, double *ret_samples)
{
        const struct run_values *v = request->values;
        size_t n_runs = run_values_n_all_runs(v);
        struct run_cell *sums = mem_new(n_runs, sizeof(*sums));
        bool *wanted = wanted_names(request);
        struct name_values a, b;
        struct compared c;

        for (size_t i = 0; i < run_values_n_names(v); i++) {
                const struct run_cell *cells = run_values_row(v, request->event, i);

                for (size_t r = 0; wanted[i] && r < n_runs; r++) {
                        sums[r].count += cells[r].count;
                        sums[r].weight += cells[r].weight;
                }
        }
        init_values(&a, n_runs);
        init_values(&b, n_runs);
        read_row(v, request->event, sums, RUN_A, &a);
        read_row(v, request->event, sums, RUN_B, &b);
        c = request->measure == MEASURE_SHARE
                    ? groups_of(a.shares, a.n, a.share_variance, b.shares, b.n, b.share_variance)
                    : groups_of(a.amounts, a.n, a.amount_variance, b.amounts, b.n, b.amount_variance);
        row_noise_settle(&request->noise[request->measure], &c.a);
        row_noise_settle(&request->noise[request->measure], &c.b);
        *ret_samples = (a.samples + b.samples) / 2;
        release_values(&a);
        release_values(&b);
        free(wanted);
        free(sums);
        return c;
}
