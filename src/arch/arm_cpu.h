/* SPDX-License-Identifier: BSD-3-Clause */
/* Who made an Arm core and what it is called, from its Main ID Register. */
#ifndef ARM_CPU_H
#define ARM_CPU_H

#include <stdint.h>

struct arm_cpu {
        uint8_t implementer;
        uint8_t variant;
        uint8_t architecture;
        uint16_t part;
        uint8_t revision;
        const char *vendor;  /* "Arm Limited"; NULL when unknown */
        const char *product; /* "Neoverse N1"; NULL when unknown */
};

/* Fields of MIDR_EL1 (Arm ARM D19.2.104) and the names that belong to them. */
struct arm_cpu arm_cpu_from_midr(uint64_t midr);

#endif
