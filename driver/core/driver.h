/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver of one machine: its counters, samples and SPE data, and who owns them.
 *
 * The shell (the Windows driver, a test) makes one with driver_new, hands requests to request_run, one at a
 * time, and interrupts and timers to the functions below, on the CPU that they belong to. */
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
        uint64_t held; /* counters of others whose interrupts wait */
};

/* A class of a block that this machine has; its sets are together, in the order of units. */
struct driver_class {
        const struct block *block;
        const struct block_class *class;
        struct counter_set *sets;
        uint32_t n_sets;
};

/* PMSIDR_EL1.FnE: PMSNEVFR_EL1 exists. */
#define DRIVER_PMSIDR_EVENTS_NOT (UINT64_C(1) << 6)

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
        bool has_interrupts;
        _Atomic bool others_wait; /* set in an interrupt: somebody else's came */
        bool gave_way;            /* the last run ended for that */
        /* A copy of a request's payload, because the answer may be written over it. */
        _Alignas(8) unsigned char input[8192];
};

/* NULL if there is no memory. `hw` must outlive the driver. */
struct driver *driver_new(const struct hw *hw);
void driver_free(struct driver *driver);

/* Adds what the counters of the CPU counted, and goes on with the next windows; looks after SPE's buffer. */
void driver_tick(struct driver *driver, uint32_t cpu);

/* Handles an interrupt of the core's PMU, and of SPE. False if it is not the driver's; that of somebody
 * else's counter then waits for driver_give_way. */
bool driver_interrupt(struct driver *driver, uint32_t cpu, const struct driver_frame *frame);
bool driver_spe_interrupt(struct driver *driver, uint32_t cpu);

/* If interrupts of others wait: ends the measurement, and gives interrupts back. Called before each
 * request. */
void driver_give_way(struct driver *driver);

/* For driver_start and driver_stop. */
bool driver_take_interrupts(struct driver *driver);
void driver_give_interrupts(struct driver *driver);

/* Starts and stops everything that is assigned. `keep`: add to the counts that there are. False, and
 * nothing runs, if another program samples with counters of its own, or uses SPE. Only a start with sources
 * takes the interrupts. */
bool driver_start(struct driver *driver, bool keep);
void driver_stop(struct driver *driver);

/* Takes the lock for `owner`. With `force` also from another owner, whose measurement ends; false if
 * another has it. */
bool driver_lock(struct driver *driver, const void *owner, bool force);

/* Ends the measurement of `owner`, removes its plans and releases the lock, if it has it. To be called when
 * the owner's handle is closed, too. */
void driver_release(struct driver *driver, const void *owner);

#endif
