/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of struct hw that Windows itself provides: CPUs, timers, time and memory. */
#ifndef WDM_HW_H
#define WDM_HW_H

#include "hw.h"
#include "platform.h"

/* Fills in `hw` and opens the platform; there is one `hw` at a time. wdm_hw_close ends it. PASSIVE_LEVEL. */
NTSTATUS wdm_hw_open(struct hw *hw);
void wdm_hw_close(struct hw *hw);

/* Names the driver whose driver_tick the timers call; NULL before it is freed, when no timer runs. */
void wdm_hw_set_driver(struct driver *driver);

#endif
