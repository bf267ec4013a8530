/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may open the device. */
#ifndef WDM_ACCESS_H
#define WDM_ACCESS_H

#include <ntddk.h>

/* Gives the device a security descriptor: the one that the installer left in the value "Security" of the
 * service's key Parameters, or else one for administrators and the system. A value that is not a descriptor
 * with an access list is an error. `registry` is the path of the service's key. PASSIVE_LEVEL. */
NTSTATUS wdm_access_set(DEVICE_OBJECT *device, const UNICODE_STRING *registry);

#endif
