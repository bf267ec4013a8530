/* SPDX-License-Identifier: BSD-3-Clause */
/* Metric formulas: parsed once, evaluated for each CPU and interval. */
#ifndef METRIC_H
#define METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "err.h"

enum {
        METRIC_FORMULA_MAX_BYTES = 4096,
        METRIC_DEPTH_MAX = 64, /* of nested parentheses */
};

struct metric;

/* `formula` consists of names ([a-z_][a-z0-9_.]*, case-insensitive), decimal numbers of at most 15 digits, +
 * - * / with the usual precedence, unary minus, and parentheses. NULL on error, with ERR_FORMAT or ERR_LIMIT
 * and a message that names the column. */
struct metric *metric_parse(const char *formula, struct err *err);
void metric_free(struct metric *metric);
AUTO_DEFINE(metric)

/* The distinct names in lower case, in the order of first use. */
size_t metric_n_names(const struct metric *metric);
const char *metric_get_name(const struct metric *metric, size_t index);

enum metric_state {
        METRIC_OK,
        METRIC_NOT_COUNTED,      /* a name has no value */
        METRIC_DIVISION_BY_ZERO, /* or the result is not a finite number */
};

/* `values[i]` is the value of name i, NaN if it was not counted. Sets *ret only if it returns METRIC_OK. */
enum metric_state metric_evaluate(const struct metric *metric, const double *values, double *ret);

#endif
