/* SPDX-License-Identifier: BSD-3-Clause */
/* What driver/core needs of a machine, as a table of functions. The Windows driver, the bare-metal test and
 * the simulated machine of the unit tests each have their own.
 *
 * Functions that do not name a CPU act on the CPU that calls them. */
#ifndef HW_H
#define HW_H

#include <stddef.h>

#include "block.h"

/* One instance of a block: the PMU of a core, of a cluster, a memory controller. */
struct hw_unit {
        const struct block *block;
        uint32_t number; /* among the units of its block; of a core its CPU */
        uint32_t cpu;    /* the CPU that programs and reads it */
        /* Counters that nobody else uses, one bit each. */
        uint32_t free_counters;
        volatile void *memory; /* the block's registers in memory; NULL for none */
        const uint64_t *cpus;  /* a bit for each CPU that shares it, as in struct abi_set; NULL if unknown */
};

enum hw_id { HW_MIDR, HW_DFR0, HW_PMSIDR };

enum hw_spe_register {
        HW_PMSCR,
        HW_PMSICR,
        HW_PMSIRR,
        HW_PMSFCR,
        HW_PMSEVFR,
        HW_PMSNEVFR,
        HW_PMSLATFR,
        HW_PMBLIMITR,
        HW_PMBPTR,
        HW_PMBSR,
        HW_SPE_REGISTERS,
};

struct driver;

struct hw {
        void *ctx; /* the first argument of each function */
        uint32_t n_cpus;
        /* The first n_cpus units are the core PMUs, in the order of CPUs. */
        const struct hw_unit *units;
        uint32_t n_units;

        /* Registers of a unit, called on its CPU. `index` is the number of a counter, for registers that
         * each counter has. */
        uint64_t (*read)(void *ctx, const struct hw_unit *unit, const struct block_class *class,
                         enum block_role role, uint32_t index);
        void (*write)(void *ctx, const struct hw_unit *unit, const struct block_class *class,
                      enum block_role role, uint32_t index, uint64_t value);
        uint64_t (*read_id)(void *ctx, enum hw_id id);

        /* SPE; NULL if no CPU has it. spe_drain waits until all samples are in memory (PSB CSYNC, DSB). */
        uint64_t (*spe_read)(void *ctx, enum hw_spe_register which);
        void (*spe_write)(void *ctx, enum hw_spe_register which, uint64_t value);
        void (*spe_drain)(void *ctx);

        /* Runs a function on a CPU, without interrupts of its PMU, and returns when it has ended. */
        void (*run_on_cpu)(void *ctx, uint32_t cpu, void (*run)(void *arg), void *arg);

        /* Calls driver_tick for the CPU, on that CPU and without interrupts of its PMU, every period_ms. 0
         * ends this; no call is under way then. */
        void (*set_timer)(void *ctx, uint32_t cpu, uint32_t period_ms);

        /* From now on the overflow interrupts of all CPUs call driver_interrupt, until give_interrupts,
         * after which no call is under way. False if they cannot be had. */
        bool (*take_interrupts)(void *ctx, struct driver *driver);
        void (*give_interrupts)(void *ctx);

        uint64_t (*time_ns)(void *ctx);

        /* Reads two words of the interrupted program's or kernel's stack, in an interrupt; false if they
         * cannot be read without waiting. */
        bool (*read_stack)(void *ctx, uint64_t address, bool user, uint64_t ret[2]);

        /* Memory that is always present, filled with 0 and aligned to a page; NULL if there is none. */
        void *(*allocate)(void *ctx, size_t bytes);
        void (*release)(void *ctx, void *memory);
};

#endif
