/* SPDX-License-Identifier: BSD-3-Clause */
/* When threads ran on CPUs, from the records of switches. */
#ifndef RUN_SPANS_H
#define RUN_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "budget.h"

/* A thread ran on a CPU from one time to another, by the session's clock. */
struct run_span {
        uint64_t from_ns; /* 0: since before the recording */
        uint64_t to_ns;   /* UINT64_MAX: until it ended */
        int32_t pid, tid;
        uint32_t cpu; /* UINT32_MAX: not recorded */
};

struct run_spans;

/* Memory is taken from `budget`, which may be NULL; if there is no more, later switches are ignored. */
struct run_spans *run_spans_new(struct budget *budget);
void run_spans_free(struct run_spans *spans);
AUTO_DEFINE(run_spans)

struct run_turn {
        uint64_t time_ns;
        uint32_t cpu;     /* UINT32_MAX: not recorded */
        int32_t pid, tid; /* 0: the CPU is idle */
        bool is_out;      /* the CPU turns away from the thread, not to it */
};

/* Call both in the order of time.  A thread that ends may have no turn after its last one. */
void run_spans_exit(struct run_spans *spans, const struct run_turn *last);
void run_spans_add(struct run_spans *spans, const struct run_turn *turn);

size_t run_spans_n(const struct run_spans *spans);
const struct run_span *run_spans_get(const struct run_spans *spans, size_t index);

#endif
