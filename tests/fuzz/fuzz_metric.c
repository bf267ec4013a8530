/* SPDX-License-Identifier: BSD-3-Clause */
/* A formula: the result is a metric that can be computed for any values, or one error message, never both.
 * The values of the names are taken from the bytes of the formula. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_names(const struct metric *metric)
{
        for (size_t i = 0; i < metric_n_names(metric); i++) {
                const char *name = metric_get_name(metric, i);

                if (!*name || strpbrk(name, " ()+-*/ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
                        abort();
                for (size_t k = 0; k < i; k++) {
                        if (!strcmp(metric_get_name(metric, k), name))
                                abort();
                }
        }
}

static void check_depth(const char *text)
{
        int depth = 0;

        for (; *text; text++) {
                depth += (*text == '(') - (*text == ')');
                if (depth < 0 || depth > METRIC_DEPTH_MAX)
                        abort();
        }
        if (depth)
                abort();
}

static void check_values(const struct metric *metric, const uint8_t *data, size_t size)
{
        static const double some[] = {0, 1, -1, 2.5, 1e300, -1e-300, 5e8, NAN, INFINITY};
        size_t n = metric_n_names(metric);
        double *values = calloc(n ? n : 1, sizeof(*values)), value = 12345;
        bool counted = true;
        enum metric_state state;

        if (!values)
                return;
        for (size_t i = 0; i < n; i++) {
                values[i] = some[(data[i % size] + i) % (sizeof(some) / sizeof(some[0]))];
                counted &= !isnan(values[i]);
        }
        state = metric_evaluate(metric, values, &value);
        if (counted != (state != METRIC_NOT_COUNTED) || (state == METRIC_OK && !isfinite(value)))
                abort();
        if (state != METRIC_OK && (value < 12345 || value > 12345))
                abort();
        free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct metric *metric;
        struct err err = {0};
        char *text = malloc(size + 1);

        if (!text)
                return 0;
        memcpy(text, data, size);
        text[size] = '\0';
        metric = metric_parse(text, &err);
        if (!metric != (err.code && err.text[0]))
                abort();
        if (metric) {
                check_depth(text);
                check_names(metric);
                check_values(metric, data, size);
        }
        metric_free(metric);
        free(text);
        return 0;
}
