/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a baseline and compares its runs with themselves.  A baseline that was read can be written, and is
 * then read again. */
#include <stdint.h>
#include <stdlib.h>

#include "baseline.h"
#include "comparison.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(const struct run_values *values)
{
        AUTO(run_values) again = run_values_new();
        AUTO_RELEASE(buf) document = {0};
        struct err err = {0};

        baseline_write(values, &document);
        if (!baseline_read(again, document.data, document.len, &err))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO(run_values) values = run_values_new();
        struct err err = {0};

        if (!baseline_read(values, data, size, &err)) {
                if (!err.code || !err.text[0])
                        abort();
                return 0;
        }
        run_values_finish(values);
        for (uint32_t i = 0; i < run_values_n_events(values) && i < 4; i++)
                comparison_free(comparison_new(&(struct comparison_request){values, i, MEASURE_TIME}));
        write_again(values);
        return 0;
}
