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

/* "FEAT_PMUv3p1" for the PMUVer field of ID_AA64DFR0_EL1 (its bits 11 to 8); NULL for none and unknown ones. */
const char *arm_pmu_version_name(unsigned pmu_ver);

#endif
