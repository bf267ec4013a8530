/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas of metrics: parsed once, evaluated for every CPU and interval. */
#ifndef METRIC_H
#define METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "err.h"

enum {
        METRIC_FORMULA_MAX_BYTES = 4096,
        METRIC_DEPTH_MAX = 64, /* of parentheses */
};

struct metric;

/* `formula`: names ([a-z_][a-z0-9_.]*, any case), decimal numbers of at most 15 digits, + - * / with the usual
 * precedence, unary minus and parentheses.  NULL and ERR_FORMAT or ERR_LIMIT with the column when it is not that. */
struct metric *metric_parse(const char *formula, struct err *err);
void metric_free(struct metric *metric);
AUTO_DEFINE(metric)

/* The different names, in the order of their first use; lower case. */
size_t metric_n_names(const struct metric *metric);
const char *metric_get_name(const struct metric *metric, size_t index);

enum metric_state {
        METRIC_OK,
        METRIC_NOT_COUNTED,      /* a name has no value */
        METRIC_DIVISION_BY_ZERO, /* or a result that no number can hold */
};

/* `values[i]` is the value of name i; NaN: not counted.  *ret is set with METRIC_OK only. */
enum metric_state metric_evaluate(const struct metric *metric, const double *values, double *ret);

#endif
