/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices below ACPI\, from the registry: those that Windows has found at this or an earlier start. */
#ifndef WDM_DEVICES_H
#define WDM_DEVICES_H

#include <ntddk.h>

#include <stdint.h>

struct wdm_device {
        uint64_t first; /* physical address of its first memory */
        uint32_t bytes; /* 0: it has no memory */
};

/* Fills in up to `max` devices with the id `acpi` ("ARMHD620"), and returns how many there are of those.
 * PASSIVE_LEVEL. */
uint32_t wdm_devices_find(const char *acpi, struct wdm_device *ret, uint32_t max);

#endif
