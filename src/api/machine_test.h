/* SPDX-License-Identifier: BSD-3-Clause */
/* What this machine and this program can do, as the rows of `test`: WindowsPerf's names where they mean something
 * here, since editors read them, then those that begin with "linux.". */
#ifndef MACHINE_TEST_H
#define MACHINE_TEST_H

#include <stdbool.h>

#include "err.h"
#include "event.h"

struct machine_test_request {
        struct pmu_source source; /* of /sys and /proc */
        const char *events;       /* to be planned, a row each; NULL: none */
        bool kernel;              /* -k */
        bool verbose;             /* the machine's PMUs as well */
};

typedef void machine_test_row_fn(void *ctx, const char *name, const char *result);

/* Calls `row` for each row in order.  False, before any row, when the events can't be parsed. */
bool machine_test(const struct machine_test_request *request, machine_test_row_fn *row, void *ctx,
                  struct err *err);

#endif
