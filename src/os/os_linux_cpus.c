/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>

#include "os.h"

unsigned os_usable_cpus(void)
{
        cpu_set_t set;
        int n;

        /* Fails on machines with more CPUs than a set has room for. */
        if (sched_getaffinity(0, sizeof(set), &set))
                return OS_MAX_PARALLEL;
        n = CPU_COUNT(&set);
        return n > 0 ? (unsigned)n : 1;
}
