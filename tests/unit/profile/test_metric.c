/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "buf.h"
#include "catalogue.h"
#include "err.h"
#include "mem.h"
#include "metric.h"
#include "metric_formulas.h"
#include "tap.h"
#include "text_match.h"

/* The values of a, b, c and so on. */
static const double letters[] = {2, 3, 5, 7, 11, 0};

static double letter_value(const char *name)
{
        return letters[name[0] - 'a'];
}

static double event_value(const char *name)
{
        for (size_t i = 0; i < N_ELEMENTS(event_values); i++) {
                if (!strcmp(event_values[i].name, name))
                        return event_values[i].value;
        }
        TAP_FAIL("no value for '%s'", name);
        return NAN;
}

static enum metric_state evaluate(const struct metric *metric, double (*value)(const char *name), double *ret)
{
        double *values = mem_new(metric_n_names(metric), sizeof(*values));
        enum metric_state state;

        for (size_t i = 0; i < metric_n_names(metric); i++)
                values[i] = value(metric_get_name(metric, i));
        state = metric_evaluate(metric, values, ret);
        free(values);
        return state;
}

static void expect_value(const char *formula, double want)
{
        struct err err = {0};
        AUTO(metric) metric = metric_parse(formula, &err);
        double got = -12345;

        if (!metric)
                TAP_FAIL("%s: %s", formula, err.text);
        else if (evaluate(metric, letter_value, &got) != METRIC_OK || got < want || got > want)
                TAP_FAIL("%s is %.17g, want %.17g", formula, got, want);
}

TEST(precedence_and_association)
{
        static const struct {
                const char *formula;
                double value;
        } cases[] = {
                {"a", 2},
                {"42", 42},
                {"0.5", 0.5},
                {"007.250", 7.25},
                {"0.1", 0.1},
                {"123456789012345", 123456789012345},
                {"a+b*c", 17},
                {"(a+b)*c", 25},
                {"a*b+c", 11},
                {"c-b-a", 0},
                {"c-(b-a)", 4},
                {"16/4/2", 2},
                {"16/(4/2)", 8},
                {"d/a*b", 10.5},
                {"d*a/b", 14.0 / 3},
                {"a-b+c", 4},
                {"a+b*c-d/a", 13.5},
                {"-a", -2},
                {"--a", 2},
                {"- - -a", -2},
                {"-a*b", -6},
                {"a*-b", -6},
                {"a--b", 5},
                {"-a-b", -5},
                {"-(a+b)*c", -25},
                {"6/-a", -3},
                {"-a+b", 1},
                {" ( a\t+ b ) ", 5},
                {"((((a))))", 2},
                {"100*((a-b)/(5*c)-d/c)", -144},
                {"A*B", 6},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++)
                expect_value(cases[i].formula, cases[i].value);
}

TEST(names_are_lower_case_and_once)
{
        struct err err = {0};
        AUTO(metric) metric = metric_parse("L1D_Cache/inst_retired + l1d_cache*_x.Y9 - INST_RETIRED", &err);

        ASSERT_TRUE(metric);
        EXPECT_INT(metric_n_names(metric), 3);
        EXPECT_STR(metric_get_name(metric, 0), "l1d_cache");
        EXPECT_STR(metric_get_name(metric, 1), "inst_retired");
        EXPECT_STR(metric_get_name(metric, 2), "_x.y9");
}

TEST(errors_name_the_column)
{
        static const struct {
                const char *formula, *message;
        } cases[] = {
                {"", "formula ends at column 1; expected a name, a number or '('"},
                {"   ", "formula ends at column 4; expected a name, a number or '('"},
                {"a+", "formula ends at column 3; expected a name, a number or '('"},
                {"a b", "formula: 'b' in column 3, where + - * / or the end is expected"},
                {"2a", "formula: 'a' in column 2, where + - * / or the end is expected"},
                {"1e3", "formula: 'e' in column 2, where + - * / or the end is expected"},
                {"1.2.3", "formula: '.' in column 4, where + - * / or the end is expected"},
                {"1.", "formula: '.' in column 2, where + - * / or the end is expected"},
                {".5", "formula: '.' in column 1, where a name, a number or '(' is expected"},
                {"+a", "formula: '+' in column 1, where a name, a number or '(' is expected"},
                {"a**b", "formula: '*' in column 3, where a name, a number or '(' is expected"},
                {"a%b", "formula: '%' in column 2, where + - * / or the end is expected"},
                {"a,b", "formula: ',' in column 2, where + - * / or the end is expected"},
                {"a\nb", "formula: '\\x0a' in column 2, where + - * / or the end is expected"},
                {"\xc3\xa9+", "formula: '\xc3\xa9' in column 1, where a name, a number or '(' is expected"},
                {"(a+\xc3\xa9)",
                 "formula: '\xc3\xa9' in column 4, where a name, a number or '(' is expected"},
                {"(a b)", "formula: 'b' in column 4, where + - * / or ')' is expected"},
                {"()", "formula: ')' in column 2, where a name, a number or '(' is expected"},
                {"a*(b+(c)", "formula: the '(' in column 3 is not closed"},
                {"(a", "formula: the '(' in column 1 is not closed"},
                {"a)", "formula: the ')' in column 2 has no '('"},
                {"(a))+b", "formula: the ')' in column 4 has no '('"},
                {"a(b)", "formula: '(' in column 2, where + - * / or the end is expected"},
                {"(a)(b)", "formula: '(' in column 4, where + - * / or the end is expected"},
                {"-", "formula ends at column 2; expected a name, a number or '('"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct err err = {0};
                AUTO(metric) metric = metric_parse(cases[i].formula, &err);

                EXPECT_TRUE(!metric);
                EXPECT_INT(err.code, ERR_FORMAT);
                EXPECT_STR(err.text, cases[i].message);
        }
        EXPECT_TRUE(!metric_parse("a+", NULL));
}

static void add_times(struct buf *out, const char *text, size_t n)
{
        while (n--)
                buf_add_str(out, text);
}

TEST(limits)
{
        AUTO_RELEASE(buf) text = {0};
        struct err err = {0};

        /* The maximum that can wait on the stack: a sum and a product at each depth. */
        add_times(&text, "a+b*(", METRIC_DEPTH_MAX);
        buf_add_str(&text, "a+b*c");
        add_times(&text, ")", METRIC_DEPTH_MAX);
        {
                AUTO(metric) metric = metric_parse(text.data, &err);
                double value = 0, want = 17;

                ASSERT_TRUE(metric);
                for (int i = 0; i < METRIC_DEPTH_MAX; i++)
                        want = 2 + 3 * want;
                EXPECT_INT(evaluate(metric, letter_value, &value), METRIC_OK);
                EXPECT_CMP(fabs(value - want), <=, 1e-12 * want);
        }
        buf_clear(&text);
        add_times(&text, "(", METRIC_DEPTH_MAX + 1);
        EXPECT_TRUE(!metric_parse(text.data, &err));
        EXPECT_INT(err.code, ERR_LIMIT);
        EXPECT_STR(err.text, "formula: the '(' in column 65 is nested deeper than 64");

        /* One behind another is not deep. */
        buf_clear(&text);
        add_times(&text, "(a)+", 1000);
        buf_add_str(&text, "a");
        expect_value(text.data, 2002);

        buf_clear(&text);
        add_times(&text, "-", METRIC_FORMULA_MAX_BYTES - 1);
        buf_add_str(&text, "a");
        expect_value(text.data, -2);
        buf_add_str(&text, " ");
        EXPECT_TRUE(!metric_parse(text.data, &err));
        EXPECT_INT(err.code, ERR_LIMIT);
        EXPECT_STR(err.text, "formula: longer than 4096 bytes (column 4097)");

        EXPECT_TRUE(!metric_parse("a*1234567890.123456", &err));
        EXPECT_INT(err.code, ERR_LIMIT);
        EXPECT_STR(err.text, "formula: the number in column 3 has more than 15 digits");
}

static void expect_state(const char *formula, enum metric_state want)
{
        AUTO(metric) metric = metric_parse(formula, NULL);
        double value = -12345;
        enum metric_state state;

        if (!metric) {
                TAP_FAIL("%s: not parsed", formula);
                return;
        }
        state = evaluate(metric, letter_value, &value);
        if (state != want || (state != METRIC_OK && (value < -12345 || value > -12345)))
                TAP_FAIL("%s: state %d, value %g", formula, state, value);
}

TEST(division_by_zero_is_no_value)
{
        expect_state("a/f", METRIC_DIVISION_BY_ZERO);
        expect_state("f/f", METRIC_DIVISION_BY_ZERO);
        expect_state("-a/f", METRIC_DIVISION_BY_ZERO);
        expect_state("a/-f", METRIC_DIVISION_BY_ZERO);
        expect_state("1/(1/f)", METRIC_DIVISION_BY_ZERO);
        expect_state("f*(a/f)", METRIC_DIVISION_BY_ZERO);
        expect_state("a/(b-b)+c", METRIC_DIVISION_BY_ZERO);
        expect_state("f/a", METRIC_OK);
        expect_value("f/a", 0);
}

TEST(values_that_are_none)
{
        AUTO(metric) metric = metric_parse("a / b * a - b", NULL);
        AUTO(metric) plain = metric_parse("a", NULL);
        AUTO(metric) big = metric_parse("a * a / b", NULL);
        AUTO(metric) small = metric_parse("1 / (a * a)", NULL);
        AUTO(metric) negative = metric_parse("-a", NULL);
        double value = 77;

        ASSERT_TRUE(metric && plain && big && small && negative);
        EXPECT_INT(metric_evaluate(metric, (const double[]){NAN, 1}, &value), METRIC_NOT_COUNTED);
        EXPECT_INT(metric_evaluate(metric, (const double[]){1, NAN}, &value), METRIC_NOT_COUNTED);
        EXPECT_INT(metric_evaluate(metric, (const double[]){NAN, 0}, &value), METRIC_NOT_COUNTED);
        EXPECT_INT(metric_evaluate(plain, (const double[]){INFINITY}, &value), METRIC_DIVISION_BY_ZERO);
        EXPECT_INT(metric_evaluate(big, (const double[]){1e300, 1e300}, &value), METRIC_DIVISION_BY_ZERO);
        EXPECT_INT(metric_evaluate(small, (const double[]){1e300}, &value), METRIC_DIVISION_BY_ZERO);
        EXPECT_INT(metric_evaluate(big, (const double[]){1, 1e300}, &value), METRIC_OK);
        EXPECT_TRUE(value > 0.9e-300 && value < 1.1e-300);
        EXPECT_INT(metric_evaluate(negative, (const double[]){0}, &value), METRIC_OK);
        EXPECT_TRUE(!signbit(value));
}

static bool is_near(double got, double want)
{
        return fabs(got - want) <= 1e-12 * fabs(want);
}

TEST(formulas_of_the_documentation)
{
        size_t n_names = 0;

        for (size_t i = 0; i < N_ELEMENTS(metric_formulas); i++) {
                struct err err = {0};
                AUTO(metric) metric = metric_parse(metric_formulas[i].formula, &err);
                double value = 0;
                bool seen = false;

                if (!metric)
                        TAP_FAIL("%s: %s", metric_formulas[i].formula, err.text);
                else if (evaluate(metric, event_value, &value) != METRIC_OK ||
                         !is_near(value, metric_formulas[i].value))
                        TAP_FAIL("%s of %s is %.17g, want %.17g", metric_formulas[i].name,
                                 metric_formulas[i].cpus, value, metric_formulas[i].value);
                for (size_t k = 0; k < i; k++)
                        seen |= !strcmp(metric_formulas[k].name, metric_formulas[i].name);
                n_names += !seen;
        }
        EXPECT_INT(n_names, 67);
}

/* An event with count 0 as a divisor gives no value, not 0. */
static const char *zero_event;

static double value_with_zero(const char *name)
{
        return strcmp(name, zero_event) ? event_value(name) : 0;
}

TEST(formulas_with_a_divisor_of_zero)
{
        static const char *const divisors[] = {"inst_retired", "cpu_cycles", "inst_spec",     "br_retired",
                                               "l1d_tlb",      "op_spec",    "sve_pred_spec", "ll_cache_rd"};
        size_t n = 0;

        for (size_t i = 0; i < N_ELEMENTS(metric_formulas); i++) {
                AUTO(metric) metric = metric_parse(metric_formulas[i].formula, NULL);

                ASSERT_TRUE(metric);
                for (size_t k = 0; k < N_ELEMENTS(divisors); k++) {
                        char text[40];
                        double value = 77;

                        zero_event = divisors[k];
                        snprintf(text, sizeof(text), "/ %s", zero_event);
                        if (!strstr(metric_formulas[i].formula, text))
                                continue;
                        n++;
                        EXPECT_INT(evaluate(metric, value_with_zero, &value), METRIC_DIVISION_BY_ZERO);
                        EXPECT_CMP(value, >, 76);
                }
        }
        EXPECT_CMP(n, >, 50);
}

/* --- The catalogue's own formulas against the same values --- */

static const struct catalogue_cpu *neoverse(const char *model)
{
        char id[40];

        snprintf(id, sizeof(id), "neoverse-%s", model);
        return catalogue_find_cpu(id);
}

static void expect_in_catalogue(const char *model, size_t formula)
{
        const char *name = metric_formulas[formula].name;
        const struct catalogue_cpu *cpu = neoverse(model);
        const struct catalogue_metric *known = cpu ? catalogue_find_metric(cpu, name, strlen(name)) : NULL;
        AUTO(metric) metric = known && known->formula ? metric_parse(known->formula, NULL) : NULL;
        double value = 0;

        if (!metric)
                TAP_FAIL("%s has no formula for %s", model, name);
        else if (evaluate(metric, event_value, &value) != METRIC_OK ||
                 !is_near(value, metric_formulas[formula].value))
                TAP_FAIL("%s of %s (%s) is %.17g, want %.17g", name, model, known->formula, value,
                         metric_formulas[formula].value);
}

TEST(formulas_of_the_catalogue)
{
        static const struct {
                const char *model;
                size_t n_metrics;
        } models[] = {{"n1", 31}, {"n2", 35}, {"n2-r0p3", 36}, {"n3", 67},
                      {"v1", 36}, {"v2", 36}, {"v3", 67}};

        for (size_t i = 0; i < N_ELEMENTS(models); i++) {
                size_t n = 0;

                for (size_t k = 0; k < N_ELEMENTS(metric_formulas); k++) {
                        if (!text_in_list(metric_formulas[k].cpus, models[i].model))
                                continue;
                        n++;
                        expect_in_catalogue(models[i].model, k);
                }
                EXPECT_INT(n, models[i].n_metrics);
        }
}

/* Models have metrics that the documentation lists only for others: the formula must be one of those with
 * this name. */
static void expect_documented(const struct catalogue_cpu *cpu, const struct catalogue_metric *known)
{
        AUTO(metric) metric = metric_parse(known->formula, NULL);
        double value = NAN;
        bool same = false;

        for (size_t i = 0; metric && i < N_ELEMENTS(metric_formulas); i++) {
                if (!strcmp(metric_formulas[i].name, known->name))
                        same |= evaluate(metric, event_value, &value) == METRIC_OK &&
                                is_near(value, metric_formulas[i].value);
        }
        if (!same)
                TAP_FAIL("%s of %s: '%s' is not documented", known->name, cpu->id, known->formula);
}

/* A formula can be computed from the events that its metric counts, on every CPU. */
static void expect_complete(const struct catalogue_cpu *cpu, const struct catalogue_metric *known)
{
        struct err err = {0};
        AUTO(metric) metric = metric_parse(known->formula, &err);

        if (!metric)
                TAP_FAIL("%s of %s: %s", known->name, cpu->id, err.text);
        for (size_t i = 0; metric && i < metric_n_names(metric); i++) {
                const char *name = metric_get_name(metric, i);

                if (!text_in_list(known->events, name))
                        TAP_FAIL("%s of %s does not count '%s'", known->name, cpu->id, name);
                if (cpu->implementer && !catalogue_find_event(cpu, name, strlen(name)))
                        TAP_FAIL("%s of %s: '%s' is no event there", known->name, cpu->id, name);
        }
}

TEST(formulas_name_what_is_counted)
{
        enum {
                ARM = 0x41,
                MICROSOFT = 0x6d
        }; /* models whose cores are Neoverse; others have their own metrics */
        size_t n = 0;

        for (size_t i = 0; i < catalogue_n_cpus(); i++) {
                const struct catalogue_cpu *cpu = catalogue_get_cpu(i);

                for (size_t k = 0; k < cpu->n_metrics; k++) {
                        if (!cpu->metrics[k].formula)
                                continue;
                        expect_complete(cpu, &cpu->metrics[k]);
                        if (cpu->implementer == ARM || cpu->implementer == MICROSOFT)
                                expect_documented(cpu, &cpu->metrics[k]);
                        n++;
                }
        }
        EXPECT_CMP(n, >=, 31 + 35 + 3 * 36 + 2 * 67);
}

TAP_MAIN
