/* SPDX-License-Identifier: BSD-3-Clause */
/* When threads ran on CPUs, from the records of switches. */
#ifndef CPU_SPANS_H
#define CPU_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "budget.h"

/* A thread ran on a CPU from one time to another, by the session's clock. */
struct cpu_span {
        uint64_t from_ns;  /* 0: since before the recording */
        uint64_t to_ns;    /* UINT64_MAX: until it ended */
        int32_t pid, tid;  /* tid 0: it was taken back */
        uint32_t cpu;      /* UINT32_MAX: not recorded */
        bool is_preempted; /* at its end the thread would have run on */
        bool is_first;     /* the thread began in it; an earlier one may have had its number */
        bool is_last;      /* the thread ended in it */
        char state;        /* of the thread at its end, as in /proc/PID/stat; 0: not recorded */
};

struct cpu_spans;

/* Memory is taken from `budget`, which may be NULL; if there is no more, later switches are ignored. */
struct cpu_spans *cpu_spans_new(struct budget *budget);
void cpu_spans_free(struct cpu_spans *spans);
AUTO_DEFINE(cpu_spans)

struct cpu_change {
        uint64_t time_ns;
        uint32_t cpu;      /* UINT32_MAX: not recorded */
        int32_t pid, tid;  /* 0: the CPU is idle */
        bool is_of_thread; /* other changes of this CPU may be missing, but none of the thread's */
        bool is_first;     /* the thread has just begun */
        bool is_out;       /* the thread leaves the CPU, */
        bool is_preempted; /* although it would have run on */
        bool is_last;      /* because it ends; or the thread has ended already */
        char state;        /* as in struct cpu_span */
};

/* Call both in the order of time.  A thread that ends may have no switch after its last one. */
void cpu_spans_exit(struct cpu_spans *spans, const struct cpu_change *last);
void cpu_spans_add(struct cpu_spans *spans, const struct cpu_change *change);

/* Takes back the thread's last change, by which it came to a CPU; `change->is_of_thread` as then. */
void cpu_spans_take_back(struct cpu_spans *spans, const struct cpu_change *change);

/* Puts the spans of each thread together, in the order of time, and drops those that were taken back. Nothing
 * can be added after that. */
void cpu_spans_group(struct cpu_spans *spans);

/* A copy of the spans so far, as cpu_spans_group() would leave them; more may be added. free() it. */
struct cpu_span *cpu_spans_copy(const struct cpu_spans *spans, size_t *ret_n);

/* Forgets what was before `now_ns`: of each thread that has not ended there is only the span in which it is,
 * from then on; or one without length, if it is on no CPU. */
void cpu_spans_begin_anew(struct cpu_spans *spans, uint64_t now_ns);

size_t cpu_spans_n(const struct cpu_spans *spans);
const struct cpu_span *cpu_spans_get(const struct cpu_spans *spans, size_t index);

#endif
