/* SPDX-License-Identifier: BSD-3-Clause */
/* The units outside the cores on Windows on Arm: clusters, and devices whose registers are in memory. */
#ifndef PLATFORM_UNITS_H
#define PLATFORM_UNITS_H

#include <ntddk.h>

#include "hw.h"

enum { PLATFORM_UNITS_MAX = 256 };

/* Writes up to PLATFORM_UNITS_MAX units into `units`, and returns how many; maps their registers. Units of
 * a block are those that the firmware of this start describes and Windows has found. PASSIVE_LEVEL. */
uint32_t platform_units_open(const struct hw *hw, struct hw_unit *units);

/* Ends platform_units_open. */
void platform_units_close(const struct hw *hw, struct hw_unit *units, uint32_t n);

#endif
