/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu_vendor.h"

#include <string.h>

#include "arm_cpu.h"
#include "buf.h"
#include "text_number.h"

void cpu_vendor_add(const char *cpuid, struct buf *out)
{
        uint64_t midr;

        if (!cpuid)
                return;
        if (text_to_u64(cpuid, 16, &midr) && midr) {
                const char *vendor = arm_cpu_from_midr(midr).vendor;

                buf_add_str(out, vendor ? vendor : "");
        } else if (strchr(cpuid, ',')) {
                buf_add(out, cpuid, strcspn(cpuid, ","));
        }
}
