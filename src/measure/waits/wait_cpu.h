/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a thread that is ready to run has a CPU or waits for one. /proc shows both as state R, but the
 * kernel counts how long a thread ran, how long it waited for a CPU, and how often it got one; two looks
 * tell. */
#ifndef WAIT_CPU_H
#define WAIT_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wait_thread.h"

struct wait_cpu {
        struct wait_times times;
        uint64_t own_ns; /* CPU time of wperf */
        bool is_known;   /* false: the thread has ended, or the kernel does not count */
};

/* Looks at a thread. Call wait_cpu_give_way before the first look. */
struct wait_cpu wait_cpu_look(int32_t pid, int32_t tid);

/* Sleeps for a moment: a thread that waits for a CPU only because wperf has it gets it. */
void wait_cpu_give_way(void);

enum wait_cpu_answer {
        WAIT_CPU_UNCHANGED, /* it waits, or it runs and the kernel has not counted since (10 ms at most) */
        WAIT_CPU_HAD,
        WAIT_CPU_AWAITED, /* it got a CPU only after the first look, and not because wperf ended */
};

enum wait_cpu_answer wait_cpu_compare(const struct wait_cpu *first, const struct wait_cpu *second);

/* Sets WAIT_HOW_READY in those of a process's readings that have WAIT_HOW_ON_CPU and whose threads wait for a
 * CPU. Looks at them for 100 ms at most, until the kernel has counted something for each. */
void wait_cpu_judge(int32_t pid, struct wait_reading *readings, size_t n);

#endif
