/* SPDX-License-Identifier: BSD-3-Clause */
/* What wdm.h of mingw-w64 takes from a header of this name on Arm, and mingw-w64 10 does not have; only
 * what driver/wdm uses. */
#ifndef ARMDDK_H
#define ARMDDK_H

#define PASSIVE_LEVEL  0
#define LOW_LEVEL      0
#define APC_LEVEL      1
#define DISPATCH_LEVEL 2
#define CLOCK_LEVEL    13
#define IPI_LEVEL      14
#define POWER_LEVEL    14
#define PROFILE_LEVEL  15
#define HIGH_LEVEL     15

#define PAGE_SIZE  0x1000
#define PAGE_SHIFT 12L

NTKERNELAPI KIRQL NTAPI KeGetCurrentIrql(VOID);
NTKERNELAPI VOID NTAPI KeLowerIrql(KIRQL irql);
NTKERNELAPI KIRQL NTAPI KfRaiseIrql(KIRQL irql);
NTKERNELAPI PKTHREAD NTAPI KeGetCurrentThread(VOID);

#define KeRaiseIrql(irql, before) (*(before) = KfRaiseIrql(irql))
#define YieldProcessor()          __asm__ volatile("yield")

#endif
