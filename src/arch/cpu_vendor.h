/* SPDX-License-Identifier: BSD-3-Clause */
/* Who made a CPU, from the text that perf.data keeps as its CPUID. */
#ifndef CPU_VENDOR_H
#define CPU_VENDOR_H

#include "buf.h"

/* Appends "Arm Limited" for "0x00000000410fd0c0", "GenuineIntel" for "GenuineIntel,6,85,7"; nothing when it is not known
 * (NULL as well). */
void cpu_vendor_add(const char *cpuid, struct buf *out);

#endif
