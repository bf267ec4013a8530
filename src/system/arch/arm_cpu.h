/* SPDX-License-Identifier: BSD-3-Clause */
/* The implementer and name of an Arm core, from its Main ID Register. */
#ifndef ARM_CPU_H
#define ARM_CPU_H

#include <stdint.h>

struct arm_cpu {
        uint8_t implementer;
        uint8_t variant;
        uint8_t architecture;
        uint16_t part;
        uint8_t revision;
        const char *vendor;  /* such as "Arm Limited"; NULL if unknown */
        const char *product; /* such as "Neoverse N1"; NULL if unknown */
};

/* Decodes MIDR_EL1 (Arm ARM D19.2.104) and looks up the names. */
struct arm_cpu arm_cpu_from_midr(uint64_t midr);

#endif
