/* SPDX-License-Identifier: BSD-3-Clause */
/* What a machine and this program support, as the rows of `test`: WindowsPerf's rows that apply to Linux,
 * because editors read them, then rows that begin with "linux.". */
#ifndef MACHINE_SUPPORT_H
#define MACHINE_SUPPORT_H

#include <stdbool.h>

#include "err.h"
#include "event_facts.h"

struct machine_support_request {
        const struct event_facts *facts;
        const char *events;  /* events to plan; NULL for none */
        const char *metrics; /* metrics to plan; NULL for none */
        const char *config;  /* KEY=VALUE,...; NULL for none */
        bool kernel;         /* -k */
        bool verbose;        /* also list the machine's PMUs */
};

typedef void machine_support_row_fn(void *ctx, const char *name, const char *result);

/* Calls `row` for each row in order, and appends one sentence per line to `warnings`. False, before any row,
 * if the events or metrics cannot be planned. */
bool machine_support(const struct machine_support_request *request, machine_support_row_fn *row, void *ctx,
                     struct buf *warnings, struct err *err);

#endif
