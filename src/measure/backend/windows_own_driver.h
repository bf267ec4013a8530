/* SPDX-License-Identifier: BSD-3-Clause */
/* wperf's own driver, WPERFDRIVER-2 (driver/abi.h): its device, its lock and its requests. One process at a
 * time may measure with it; the driver takes the lock back when the process ends. */
#ifndef WINDOWS_OWN_DRIVER_H
#define WINDOWS_OWN_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "attributes.h"
#include "err.h"
#include "kernel.h"

/* The driver while this process has its lock. */
struct own_driver;

/* Whether the driver is loaded, also if it can't be opened. */
bool own_driver_is_loaded(void);

/* Checks the version and takes the lock; `force` takes it from another process. ERR_MISSING: it is not
 * loaded. ERR_DENIED: this user may not open it. ERR_UNSUPPORTED: it has another interface. ERR_BUSY:
 * another process has the lock. */
struct own_driver *own_driver_open(bool force, struct err *err);
void own_driver_free(struct own_driver *driver); /* gives the lock back */
AUTO_DEFINE(own_driver)

/* What the driver said when it was opened. */
const struct kernel_driver *own_driver_get_facts(const struct own_driver *driver);

/* The number of the class of the cores' PMUs, for requests. */
uint32_t own_driver_get_core_class(const struct own_driver *driver);

/* What the driver says of a CPU of the machine. Errors of own_driver_ask; ERR_FORMAT: of another CPU. */
bool own_driver_get_cpu(struct own_driver *driver, uint32_t cpu, struct abi_cpu *ret, struct err *err);

/* Sends a request. Returns the size of the answer, which is at most `room`, or -1. ERR_BUSY: another
 * process took the lock by force. ERR_IO: the driver was stopped, or does not know the request. ERR_LIMIT:
 * there are not enough counters. */
int64_t own_driver_ask(struct own_driver *driver, enum abi_request request, const void *in, size_t in_size,
                       void *out, size_t room, struct err *err);

#endif
