/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles a formula into steps of a stack machine. Steps contain numbers, and indexes into the caller's
 * values for names. */
#include "metric.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "event_grammar.h"
#include "mem.h"

enum {
        DIGITS_MAX = 15, /* of a number; a double represents that many digits exactly */

        /* In each pair of parentheses, at most one sum and one product wait for their right operands. */
        STACK_MAX = 2 * (METRIC_DEPTH_MAX + 1) + 1,
};

enum step_kind { STEP_NUMBER, STEP_NAME, STEP_NEGATE, STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY, STEP_DIVIDE };

struct step {
        enum step_kind kind;
        uint32_t name;
        double number;
};

struct metric {
        struct step *steps;
        size_t n_steps, cap_steps;
        const char **names;
        size_t n_names, cap_names;
        struct arena texts;
};

struct metric_parser {
        const char *whole, *at;
        struct metric *metric;
        unsigned depth;
        struct err *err;
};

static bool parse_sum(struct metric_parser *p);

static size_t column(const struct metric_parser *p)
{
        return event_column(p->whole, p->at);
}

static void skip_spaces(struct metric_parser *p)
{
        while (*p->at == ' ' || *p->at == '\t')
                p->at++;
}

static bool is_digit(char c)
{
        return c >= '0' && c <= '9';
}

static bool begins_name(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void add_step(struct metric_parser *p, struct step step)
{
        struct metric *metric = p->metric;

        ARRAY_PUSH(metric->steps, metric->n_steps, metric->cap_steps, step);
}

/* Reports the UTF-8 character at the present position, and what was expected. */
static bool fail_here(const struct metric_parser *p, const char *wanted)
{
        size_t len = 1;

        if (!*p->at)
                return err_set(p->err, ERR_FORMAT, "formula ends at column %zu; expected %s", column(p),
                               wanted);
        while ((p->at[len] & 0xc0) == 0x80)
                len++;
        return err_set(p->err, ERR_FORMAT, "formula: '%s' in column %zu, where %s is expected",
                       span_quote((struct span){p->at, len}).text, column(p), wanted);
}

static bool parse_number(struct metric_parser *p)
{
        const char *start = p->at;
        double number = 0, scale = 1;
        unsigned n_digits = 0;
        bool fraction = false;

        for (; is_digit(*p->at) || (*p->at == '.' && !fraction && is_digit(p->at[1])); p->at++) {
                if (*p->at == '.') {
                        fraction = true;
                        continue;
                }
                n_digits++;
                number = number * 10 + (*p->at - '0');
                scale *= fraction ? 10 : 1;
        }
        if (n_digits > DIGITS_MAX) {
                p->at = start;
                return err_set(p->err, ERR_LIMIT, "formula: the number in column %zu has more than %d digits",
                               column(p), DIGITS_MAX);
        }
        add_step(p, (struct step){.kind = STEP_NUMBER, .number = number / scale});
        return true;
}

static uint32_t intern_name(struct metric *metric, const char *text, size_t len)
{
        char *name;

        for (size_t i = 0; i < metric->n_names; i++) {
                if (span_equal_nocase((struct span){text, len}, metric->names[i]))
                        return (uint32_t)i;
        }
        name = arena_copy(&metric->texts, text, len);
        for (char *c = name; *c; c++)
                *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
        ARRAY_PUSH(metric->names, metric->n_names, metric->cap_names, name);
        return (uint32_t)(metric->n_names - 1);
}

static void parse_name(struct metric_parser *p)
{
        const char *start = p->at;

        while (begins_name(*p->at) || is_digit(*p->at) || *p->at == '.')
                p->at++;
        add_step(p, (struct step){.kind = STEP_NAME,
                                  .name = intern_name(p->metric, start, (size_t)(p->at - start))});
}

static bool parse_parentheses(struct metric_parser *p)
{
        size_t open = column(p);

        if (p->depth == METRIC_DEPTH_MAX)
                return err_set(p->err, ERR_LIMIT, "formula: the '(' in column %zu is nested deeper than %d",
                               open, METRIC_DEPTH_MAX);
        p->depth++;
        p->at++;
        if (!parse_sum(p))
                return false;
        if (!*p->at)
                return err_set(p->err, ERR_FORMAT, "formula: the '(' in column %zu is not closed", open);
        p->at++;
        p->depth--;
        return true;
}

static bool parse_operand(struct metric_parser *p)
{
        bool negative = false;

        for (skip_spaces(p); *p->at == '-'; skip_spaces(p)) {
                negative = !negative;
                p->at++;
        }
        if (is_digit(*p->at)) {
                if (!parse_number(p))
                        return false;
        } else if (begins_name(*p->at)) {
                parse_name(p);
        } else if (*p->at == '(') {
                if (!parse_parentheses(p))
                        return false;
        } else {
                return fail_here(p, "a name, a number or '('");
        }
        if (negative)
                add_step(p, (struct step){.kind = STEP_NEGATE});
        skip_spaces(p);
        return true;
}

static bool parse_product(struct metric_parser *p)
{
        if (!parse_operand(p))
                return false;
        while (*p->at == '*' || *p->at == '/') {
                enum step_kind kind = *p->at == '*' ? STEP_MULTIPLY : STEP_DIVIDE;

                p->at++;
                if (!parse_operand(p))
                        return false;
                add_step(p, (struct step){.kind = kind});
        }
        return true;
}

/* Parses up to the end, or up to the ')' of the enclosing parentheses. */
static bool parse_sum(struct metric_parser *p)
{
        if (!parse_product(p))
                return false;
        while (*p->at == '+' || *p->at == '-') {
                enum step_kind kind = *p->at == '+' ? STEP_ADD : STEP_SUBTRACT;

                p->at++;
                if (!parse_product(p))
                        return false;
                add_step(p, (struct step){.kind = kind});
        }
        if (!*p->at || (*p->at == ')' && p->depth))
                return true;
        if (*p->at == ')')
                return err_set(p->err, ERR_FORMAT, "formula: the ')' in column %zu has no '('", column(p));
        return fail_here(p, p->depth ? "+ - * / or ')'" : "+ - * / or the end");
}

struct metric *metric_parse(const char *formula, struct err *err)
{
        AUTO(metric) metric = mem_new(1, sizeof(*metric));
        struct metric_parser p = {.whole = formula, .at = formula, .metric = metric, .err = err};

        if (strlen(formula) > METRIC_FORMULA_MAX_BYTES) {
                err_set(err, ERR_LIMIT, "formula: longer than %d bytes (column %d)", METRIC_FORMULA_MAX_BYTES,
                        METRIC_FORMULA_MAX_BYTES + 1);
                return NULL;
        }
        return parse_sum(&p) ? TAKE(metric) : NULL;
}

void metric_free(struct metric *metric)
{
        if (!metric)
                return;
        free(metric->steps);
        free(metric->names);
        arena_release(&metric->texts);
        free(metric);
}

size_t metric_n_names(const struct metric *metric)
{
        return metric->n_names;
}

const char *metric_get_name(const struct metric *metric, size_t index)
{
        assert(index < metric->n_names);
        return metric->names[index];
}

static double combine(enum step_kind kind, double a, double b)
{
        switch (kind) {
        case STEP_ADD: return a + b;
        case STEP_SUBTRACT: return a - b;
        case STEP_MULTIPLY: return a * b;
        default: break;
        }
        assert(kind == STEP_DIVIDE);
        return b < 0 || b > 0 ? a / b : (double)NAN;
}

enum metric_state metric_evaluate(const struct metric *metric, const double *values, double *ret)
{
        double stack[STACK_MAX];
        size_t n = 0;

        for (size_t i = 0; i < metric->n_names; i++) {
                if (isnan(values[i]))
                        return METRIC_NOT_COUNTED;
        }
        for (size_t i = 0; i < metric->n_steps; i++) {
                const struct step *step = &metric->steps[i];

                if (step->kind == STEP_NUMBER || step->kind == STEP_NAME) {
                        assert(n < STACK_MAX);
                        stack[n++] = step->kind == STEP_NUMBER ? step->number : values[step->name];
                } else if (step->kind == STEP_NEGATE) {
                        stack[n - 1] = -stack[n - 1];
                } else {
                        n--;
                        stack[n - 1] = combine(step->kind, stack[n - 1], stack[n]);
                }
                /* Check each step, because 1 / infinity would give 0. */
                if (!isfinite(stack[n - 1]))
                        return METRIC_DIVISION_BY_ZERO;
        }
        assert(n == 1);
        *ret = stack[0] + 0.0; /* turns -0 into 0 */
        return METRIC_OK;
}
