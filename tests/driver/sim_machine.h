/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulated machine for driver/core: CPUs with PMUs, and units of the other blocks, whose registers
 * behave as driver/blocks/ describes them. A test dictates what happens; counters count it, wrap and
 * interrupt.
 *
 * Each CPU has a lock, which whoever acts on the CPU holds: a test may have a thread for each CPU. */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "request.h"
#include "sim_host.h"
#include "sim_spe.h"

enum { SIM_CPUS_MAX = 128, SIM_UNITS_MAX = SIM_CPUS_MAX + 16, SIM_CLASSES_MAX = 4, SIM_STACK_WORDS = 256 };

struct sim_class {
        uint64_t control, select, enabled, interrupts, overflow, cycles, cycles_filter;
        uint64_t events[BLOCK_COUNTERS_MAX], values[BLOCK_COUNTERS_MAX];
        uint64_t counted[BLOCK_COUNTERS_MAX]; /* by each counter, whatever was written to it; a test sets it
                                                 to 0 */
};

struct sim_cpu {
        struct sim_lock *lock;
        struct driver_frame frame; /* what the CPU is doing */
        uint32_t timer_ms;         /* 0: off */
        uint64_t midr, dfr0, pmsidr;
        uint64_t spe[HW_SPE_REGISTERS];
        uint64_t n_interrupts, n_foreign;
        uint64_t n_cycles_writes,
                n_filter_writes; /* of the counter that counts cycles only, and its filter */
        uint64_t n_operations;   /* that SPE sampled so far, whether or not a filter let them pass */
        /* Events that happen just before the next read of a counter, after that of the overflow bits. */
        uint64_t late;
        bool hold; /* no interrupt is delivered until it is false again */
};

struct sim_machine {
        struct hw hw;
        struct hw_unit units[SIM_UNITS_MAX];
        uint32_t n_added; /* units so far: the CPUs of a unit stay where they are */
        uint64_t unit_cpus[2 * SIM_UNITS_MAX]
                          [ABI_CPUS_MAX / 64]; /* that share each: every n-th, of n units of a block */
        struct sim_class classes[SIM_UNITS_MAX][SIM_CLASSES_MAX];
        struct sim_cpu cpus[SIM_CPUS_MAX];
        struct driver *driver;
        struct driver *handler; /* who has taken the PMU's interrupts; NULL: they go to `others` */
        void (*others)(struct sim_machine *machine, uint32_t cpu); /* NULL for nobody */
        uint32_t n_taken, n_given;
        _Atomic uint32_t n_storms; /* interrupts that their handler left pending */
        bool refuses_interrupts;
        void (*after_visit)(struct sim_machine *machine,
                            uint32_t cpu); /* after each run_on_cpu; NULL for none */
        _Atomic uint64_t now_ns;
        uint64_t stack[SIM_STACK_WORDS];         /* at address 8 * SIM_STACK_WORDS */
        uint32_t n_allocations, fail_allocation; /* the number of the allocation that fails; 0 for none */
        uint32_t n_core_counters;
};

/* Makes a machine with `n_cpus` CPUs, each with the core PMU, and `n_each` units of every other block, and
 * its driver. The registers are as another program may have left them. */
void sim_machine_init(struct sim_machine *machine, uint32_t n_cpus, uint32_t n_each, bool with_spe);
/* The same without a driver: interrupts are lost until `driver` is set. */
void sim_machine_make(struct sim_machine *machine, uint32_t n_cpus, uint32_t n_each, bool with_spe);
/* Replaces the units of a block by `n` others; before there is a driver. */
void sim_machine_set_units(struct sim_machine *machine, const struct block *block, uint32_t n);
void sim_machine_release(struct sim_machine *machine);

/* The unit `number` of a block; the core PMU of a CPU if the block is "core-pmuv3". */
uint32_t sim_machine_find_unit(const struct sim_machine *machine, const char *block, uint32_t number);

/* `n` events happen in a unit, for each of its counters that counts them; a counter that wraps interrupts
 * its CPU. The caller is on the unit's CPU, and holds its lock if there are threads. */
void sim_machine_count(struct sim_machine *machine, uint32_t unit, uint32_t class, uint32_t code, uint64_t n);
void sim_machine_cycle(struct sim_machine *machine, uint32_t unit, uint32_t class, uint64_t n);

/* The PMU of a core loses its registers, as when its CPU idles without power. */
void sim_machine_lose_power(struct sim_machine *machine, uint32_t cpu);

/* Delivers an interrupt that was held. */
void sim_machine_deliver(struct sim_machine *machine, uint32_t cpu);

/* Time passes, and timers whose period has passed since the last call with that CPU tick. */
void sim_machine_pass(struct sim_machine *machine, uint64_t ns);
void sim_machine_tick(struct sim_machine *machine, uint32_t cpu);

/* sim_spe.c: SPE of a CPU samples the next `n` operations (sim_spe.h), and writes records of those that the
 * filters let pass. Returns how many records were written: 0 while the buffer or the mode is off. */
uint32_t sim_machine_sample(struct sim_machine *machine, uint32_t cpu, uint32_t n);
void sim_spe_connect(struct hw *hw);

/* Runs a request on the machine's driver, on a payload of `in_bytes`; the answer goes to `out`. */
enum request_status sim_machine_request(struct sim_machine *machine, const void *owner,
                                        enum abi_request number, const void *in, size_t in_bytes, void *out,
                                        size_t out_bytes);

#endif
