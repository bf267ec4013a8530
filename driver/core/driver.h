/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver of one machine: its counters, samples and SPE data, and who owns them.
 *
 * The shell (the Windows driver, a test) makes one with driver_new, hands requests to request_run, one at a time, and
 * interrupts and timers to the functions below, on the CPU that they belong to. */
#ifndef DRIVER_H
#define DRIVER_H

#include "counter_set.h"
#include "sample_ring.h"
#include "spe_buffer.h"

/* What a CPU was doing when it was interrupted. */
struct driver_frame {
        uint64_t pc, lr, fp;
        uint32_t pid, tid;
        bool user; /* it ran a program, not the kernel */
};

struct driver_cpu {
        struct counter_set *core; /* the PMU of the core */
        struct sample_ring ring;
        struct spe_buffer spe;
        uint32_t chain_max;
        uint64_t midr, dfr0, pmsidr;
};

/* A class of a block that this machine has; its sets are together, in the order of units. */
struct driver_class {
        const struct block *block;
        const struct block_class *class;
        struct counter_set *sets;
        uint32_t n_sets;
};

enum { DRIVER_CLASSES_MAX = 64, DRIVER_READ_MS = 20 };

struct driver {
        const struct hw *hw;
        struct counter_set *sets;
        uint32_t n_sets;
        struct driver_class classes[DRIVER_CLASSES_MAX];
        uint32_t n_classes;
        struct driver_cpu *cpus;
        const void *owner; /* who may measure; NULL for nobody */
        bool running;
        /* A copy of a request's payload, because the answer may be written over it. */
        _Alignas(8) unsigned char input[8192];
};

/* NULL if there is no memory. `hw` must outlive the driver. */
struct driver *driver_new(const struct hw *hw);
void driver_free(struct driver *driver);

/* Adds what the counters of the CPU counted, and goes on with the next windows; does what driver_spe_interrupt does, too. */
void driver_tick(struct driver *driver, uint32_t cpu);

/* Handles an interrupt of the core's PMU, and of SPE. False if it is not the driver's. */
bool driver_interrupt(struct driver *driver, uint32_t cpu, const struct driver_frame *frame);
bool driver_spe_interrupt(struct driver *driver, uint32_t cpu);

/* Starts and stops everything that is assigned. `keep`: add to the counts that there are. */
void driver_start(struct driver *driver, bool keep);
void driver_stop(struct driver *driver);

/* Takes the lock for `owner`. With `force` also from another owner, whose measurement ends; false if another has it. */
bool driver_lock(struct driver *driver, const void *owner, bool force);

/* Ends the measurement of `owner`, removes its plans and releases the lock, if it has it. To be called when the owner's handle
 * is closed, too. */
void driver_release(struct driver *driver, const void *owner);

#endif
