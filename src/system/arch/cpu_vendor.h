/* SPDX-License-Identifier: BSD-3-Clause */
/* The vendor of a CPU, from the CPUID text of perf.data. */
#ifndef CPU_VENDOR_H
#define CPU_VENDOR_H

#include "buf.h"

/* Appends the vendor, such as "Arm Limited" for "0x00000000410fd0c0" or "GenuineIntel" for
 * "GenuineIntel,6,85,7". Appends nothing if it is unknown. `cpuid` may be NULL. */
void cpu_vendor_add(const char *cpuid, struct buf *out);

#endif
