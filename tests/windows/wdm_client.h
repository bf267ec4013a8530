/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads wperf's driver, sends it requests, and sets its simulated machine (sim_shared.h). Functions that
 * can fail return 0 or a Windows error. */
#ifndef WDM_CLIENT_H
#define WDM_CLIENT_H

#include <stdbool.h>

#include <windows.h>

#include "abi.h"
#include "sim_shared.h"

/* The service that loads the driver; `path` is that of the .sys file. */
DWORD wdm_service_install(const char *path);
DWORD wdm_service_start(void);
DWORD wdm_service_stop(void);
DWORD wdm_service_remove(void);

/* Removes what a test left that was stopped, then installs and starts the driver. wdm_service_end stops and
 * removes it. */
DWORD wdm_service_begin(const char *path);
void wdm_service_end(void);

/* What the simulated machine does: what another program has set, or else the defaults. NULL if it cannot be
 * made. It lasts until all programs have ended that called this. */
volatile struct sim_shared *wdm_machine(void);

/* Waits until `ms` more simulated milliseconds have passed; false if they do not within a minute. */
bool wdm_machine_pass(uint64_t ms);

/* INVALID_HANDLE_VALUE if the device cannot be opened; GetLastError says why. */
HANDLE wdm_open(void);

/* Closes the last handle, and waits until the driver has closed the machine: wine, other than Windows, does
 * not wait with an unload. */
bool wdm_close(HANDLE device);

/* Sends a request; *ret_bytes is the size of its answer. */
DWORD wdm_send(HANDLE device, DWORD code, const void *in, size_t in_bytes, void *out, size_t out_bytes,
               DWORD *ret_bytes);
DWORD wdm_request(HANDLE device, enum abi_request number, const void *in, size_t in_bytes, void *out,
                  size_t out_bytes);

#endif
