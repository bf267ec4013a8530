/* SPDX-License-Identifier: BSD-3-Clause */
/* What sim_kernel.c, the simulated machine in the test build of the driver, shares with a test, in a
 * section that the test makes before it opens the device. Without one the machine has the values of
 * SIM_DEFAULTS.
 *
 * In each simulated millisecond, on each CPU or unit: 1,000,000 cycles; an event happens SIM_RATE times;
 * SPE samples spe_per_ms operations (tests/driver/sim_spe.h). */
#ifndef SIM_SHARED_H
#define SIM_SHARED_H

#include <stdint.h>

#define SIM_SECTION "wperf-simulated-machine" /* in Global\ of programs */

enum {
        SIM_CYCLES_PER_MS = 1000000,
        SIM_N_COUNTERS = 6,
        SIM_MIDR = 0x410fd0c1,
        SIM_OTHERS_PMU = 1,
        SIM_OTHERS_SPE = 2,
        SIM_OTHERS_BEGIN = 4 /* at any time: one begins to sample, and interrupts */
};

#define SIM_RATE(code, unit) (UINT64_C(1000) * (code) + (unit) + 1)

struct sim_shared {
        uint32_t n_cpus;      /* of the machine */
        uint32_t n_each;      /* units of each other block */
        uint32_t runs_freely; /* 1: a simulated millisecond in each real one; 0: up to wanted_ms, as fast as
                                 it can */
        uint32_t kernel;      /* 1: all CPUs are in the kernel */
        uint64_t wanted_ms, done_ms;
        uint64_t pmsidr_lacks; /* bits of PMSIDR_EL1 that the machine does not have; read when it is opened */
        uint64_t others;       /* what other drivers use: SIM_OTHERS_*; read when it is opened */
        uint64_t spe_per_ms;
        uint64_t spe_left;   /* operations that SPE still samples, of all CPUs */
        uint64_t spe_losses; /* how often SPE will say that it lost records */
        uint64_t pc, lr;     /* what all CPUs do; CPU n is at pc + 4 * n */
        uint32_t pid, tid;
        uint32_t n_counting; /* CPUs that count or sample something; set by the driver */
        /* PMSCR_EL1 and PMSIRR_EL1 of the CPU on which SPE sampled last; set by the driver */
        uint64_t spe_control, spe_interval;
        uint32_t is_open; /* the driver has opened the machine, and not closed it; set by it */
};

#define SIM_DEFAULTS                                                                                         \
        {                                                                                                    \
                .n_cpus = 4, .n_each = 1, .runs_freely = 1, .spe_per_ms = 100, .spe_left = UINT64_MAX,       \
                .pc = 0x140001000, .lr = 0x140002000, .pid = 1234, .tid = 5678,                              \
        }

#endif
