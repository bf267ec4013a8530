/* SPDX-License-Identifier: BSD-3-Clause */
/* What a machine and this program can do, as the rows of `test`: WindowsPerf's names where they mean something here,
 * since editors read them, then those that begin with "linux.". */
#ifndef MACHINE_TEST_H
#define MACHINE_TEST_H

#include <stdbool.h>

#include "err.h"
#include "event_facts.h"

struct machine_test_request {
        const struct event_facts *facts;
        const char *events;  /* to be planned; NULL: none */
        const char *metrics; /* the same */
        const char *config;  /* KEY=VALUE,...; NULL: none */
        bool kernel;         /* -k */
        bool verbose;        /* the machine's PMUs as well */
};

typedef void machine_test_row_fn(void *ctx, const char *name, const char *result);

/* Calls `row` for each row in order, and appends sentences to `warnings`, one a line.  False, before any row, when the
 * events or metrics can't be planned. */
bool machine_test(const struct machine_test_request *request, machine_test_row_fn *row, void *ctx,
                  struct buf *warnings, struct err *err);

#endif
