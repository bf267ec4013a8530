/* SPDX-License-Identifier: BSD-3-Clause */
/* What the driver needs of the machine and of Windows beyond the functions that every driver uses:
 * counters, their interrupt, and a way to act on a CPU. platform_arm64.c is for Windows on Arm; the tests
 * have one with a simulated machine, for wine.
 *
 * CPUs are numbered from 0 over all processor groups. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <ntddk.h>

#include "driver.h"

/* Fills in the CPUs, units and registers of `hw`, and may replace other functions of it; reserves the
 * counters that nobody else has. Memory is hw->allocate's. Called at PASSIVE_LEVEL, once before
 * platform_close. */
NTSTATUS platform_open(struct hw *hw);
void platform_close(struct hw *hw);

/* For hw->take_interrupts and hw->give_interrupts: from platform_begin_interrupts on an overflow interrupt
 * calls driver_interrupt for its CPU. After platform_end_interrupts no call is under way. The driver's
 * counters do not run when either is called. PASSIVE_LEVEL. */
NTSTATUS platform_begin_interrupts(struct driver *driver);
void platform_end_interrupts(void);

/* Where a thread was before platform_enter. */
struct platform_visit {
        GROUP_AFFINITY before;
        KIRQL irql;
        uint32_t cpu;
};

/* Moves the thread to a CPU, and keeps the PMU's interrupts and DPCs of the CPU away until platform_leave.
 * PASSIVE_LEVEL. */
void platform_enter(uint32_t cpu, struct platform_visit *visit);
void platform_leave(const struct platform_visit *visit);

/* Keeps the PMU's interrupts of a CPU away, on which the caller runs at DISPATCH_LEVEL. */
KIRQL platform_mask(uint32_t cpu);
void platform_unmask(uint32_t cpu, KIRQL irql);

/* Lets a DPC that is not queued run on a CPU. */
void platform_aim(KDPC *dpc, uint32_t cpu);

/* Waits until all DPCs that were queued have ended. PASSIVE_LEVEL. */
void platform_flush_dpcs(void);

#endif
