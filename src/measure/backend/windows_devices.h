/* SPDX-License-Identifier: BSD-3-Clause */
/* Units with counters of their own, as the firmware describes them: devices below ACPI\. */
#ifndef WINDOWS_DEVICES_H
#define WINDOWS_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The clusters of cores with a DynamIQ Shared Unit (ACPI\ARMHD500), all with the same number of cores. */
struct windows_clusters {
        uint32_t n, n_cores_each;
};

/* False if there are none, or not all have the same number of cores. */
bool windows_find_clusters(struct windows_clusters *ret);

/* The registers of a device, from the first byte to the last. */
struct windows_registers {
        uint64_t first, last;
};

/* The registers of the memory controllers DMC-620 (ACPI\ARMHD620); returns how many there are, 0 for more
 * than `max`, too. */
size_t windows_find_memory_controllers(struct windows_registers *ret, size_t max);

#endif
