/* SPDX-License-Identifier: BSD-3-Clause */
#include "limits.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "text.h"
#include "text_match.h"
#include "text_number.h"

static bool parse_one(struct limits *limits, const char *text, size_t len, struct err *err)
{
        char *name = arena_copy(&limits->arena, text, len);
        char *equals = strrchr(name, '=');
        const char *percent = equals ? equals + 1 : name;
        struct limit limit = {.name = equals ? name : "total"};

        if (equals == name || !text_to_percent(percent, &limit.max_change))
                return err_set(err, ERR_USAGE,
                               "'%.80s' is not a limit; write a name, '=' and percent, as in total=3%% or "
                               "json_*=10%%",
                               name);
        if (equals)
                *equals = '\0';
        if (limit.max_change <= -1)
                return err_set(err, ERR_USAGE, "the limit %.80s=%s is not above -100 %%", limit.name,
                               percent);
        ARRAY_PUSH(limits->items, limits->n, limits->cap, limit);
        return true;
}

/* Commas inside parentheses and angle brackets belong to names: f(int,int)=5%. */
static size_t length_of_one(const char *text)
{
        int depth = 0;
        size_t len = 0;

        for (; text[len] && (text[len] != ',' || depth > 0); len++)
                depth += text[len] == '(' || text[len] == '<'   ? 1
                         : text[len] == ')' || text[len] == '>' ? -1
                                                                : 0;
        return len;
}

bool limits_parse(struct limits *limits, const char *text, struct err *err)
{
        for (;;) {
                size_t len = length_of_one(text);

                if (!parse_one(limits, text, len, err))
                        return false;
                if (!text[len])
                        return true;
                text += len + 1;
        }
}

void limits_release(struct limits *limits)
{
        free(limits->items);
        arena_release(&limits->arena);
}

/* --- Judging ---------------------------------------------------------------------------------------- */

static bool matches_name(const void *ctx, const struct run_name *name)
{
        const char *pattern = ctx;

        return text_match_glob(pattern, name->name) || (name->brief && text_match_glob(pattern, name->brief));
}

static bool equals_name(const void *ctx, const struct run_name *name)
{
        return !strcmp(ctx, name->name);
}

static bool take_total(const struct limits_request *request, const char *key, struct limit_result *ret)
{
        const struct compared_total *total = comparison_total(request->comparison, key);

        if (total) {
                ret->value = total->value;
                ret->unit = total->unit;
                return true;
        }
        snprintf(ret->why, sizeof(ret->why), "not every run has the value '%.60s'", key);
        return false;
}

static bool take_sum(const struct limits_request *request, const struct run_values *values,
                     comparison_wanted_fn *is_wanted, const char *pattern, struct limit_result *ret)
{
        double samples;

        ret->value = comparison_sum(&(struct comparison_sum_request){values, request->event,
                                                                     request->comparison->noise,
                                                                     request->measure, is_wanted, pattern},
                                    &samples);
        ret->unit = request->measure == MEASURE_SHARE ? COMPARED_SHARE
                    : request->comparison->is_time    ? COMPARED_NS
                                                      : COMPARED_COUNT;
        if (samples >= COMPARISON_MIN_SAMPLES)
                return true;
        snprintf(ret->why, sizeof(ret->why),
                 samples > 0 ? "only %.1f samples a run in '%.60s'" : "%.0f samples in '%.60s'", samples,
                 pattern);
        return false;
}

static bool is_group(const struct run_values *groups, const char *name)
{
        for (size_t i = 0; groups && i < run_values_n_names(groups); i++) {
                if (!strcmp(run_values_name(groups, i).name, name))
                        return true;
        }
        return false;
}

static bool take_group(const struct limits_request *request, const char *name, struct limit_result *ret)
{
        if (is_group(request->groups, name))
                return take_sum(request, request->groups, equals_name, name, ret);
        snprintf(ret->why, sizeof(ret->why),
                 request->groups ? "no sample is in the group '%.60s'" : "the group '%.60s' needs --group-by",
                 name);
        return false;
}

static bool take_value(const struct limits_request *request, const char *name, struct limit_result *ret)
{
        static const char *const totals[][2] = {
                {"total", "cpu"}, {"elapsed", "elapsed"}, {"user", "user"}, {"kernel", "kernel"}};

        for (size_t i = 0; i < N_ELEMENTS(totals); i++) {
                if (!strcmp(name, totals[i][0]))
                        return take_total(request, totals[i][1], ret);
        }
        if (text_starts(name, "event:"))
                return take_total(request, name + strlen("event:"), ret);
        if (text_starts(name, "group:"))
                return take_group(request, name + strlen("group:"), ret);
        return take_sum(request, request->values, matches_name, name, ret);
}

/* The interval of the change is on one side of the limit, or it is not known. */
static void judge(struct limit_result *ret)
{
        struct compared *c = &ret->value;
        bool is_new;

        ret->change = comparison_change(c);
        if (c->a.n < 2 || c->b.n < 2) {
                snprintf(ret->why, sizeof(ret->why),
                         "run-to-run not measured: %zu run of A and %zu of B, two of each are needed", c->a.n,
                         c->b.n);
                return;
        }
        c->welch = welch_compare(&c->a, &c->b, c->covariance, ret->alpha);
        /* a change from nothing has no interval in percent */
        is_new = c->a.mean <= 0 && c->a.variance <= 0 && c->welch.less > 0;
        if (is_new || c->welch.low > ret->limit->max_change)
                ret->verdict = LIMIT_EXCEEDED;
        else if (c->welch.high <= ret->limit->max_change)
                ret->verdict = LIMIT_KEPT;
        else
                snprintf(ret->why, sizeof(ret->why), "the runs vary too much, or are too few");
}

void limits_judge(const struct limits *limits, const struct limits_request *request, struct limit_result *ret)
{
        for (size_t i = 0; i < limits->n; i++) {
                ret[i] = (struct limit_result){
                        .limit = &limits->items[i],
                        .verdict = LIMIT_UNKNOWN,
                        .change = NAN,
                        .alpha = LIMITS_ERROR / (double)limits->n /
                                 (double)(request->n_looks ? request->n_looks : 1),
                };
                if (take_value(request, limits->items[i].name, &ret[i]))
                        judge(&ret[i]);
                if (request->doubt && ret[i].verdict != LIMIT_UNKNOWN) {
                        ret[i].verdict = LIMIT_UNKNOWN;
                        snprintf(ret[i].why, sizeof(ret[i].why), "%s", request->doubt);
                }
        }
}

enum limit_verdict limits_verdict(const struct limit_result *results, size_t n)
{
        enum limit_verdict verdict = LIMIT_KEPT;

        assert(results || !n);
        for (size_t i = 0; i < n; i++) {
                if (results[i].verdict == LIMIT_EXCEEDED)
                        return LIMIT_EXCEEDED;
                if (results[i].verdict == LIMIT_UNKNOWN)
                        verdict = LIMIT_UNKNOWN;
        }
        return verdict;
}
