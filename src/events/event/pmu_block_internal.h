/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables that tools/gen_blocks.py generates. */
#ifndef PMU_BLOCK_INTERNAL_H
#define PMU_BLOCK_INTERNAL_H

#include "pmu_block.h"

extern const struct pmu_block pmu_blocks[]; /* sorted by name */
extern const size_t pmu_blocks_n;

#endif
