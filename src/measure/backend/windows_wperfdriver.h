/* SPDX-License-Identifier: BSD-3-Clause */
/* WPERFDRIVER, the driver of WindowsPerf 3.8: its device, its lock and its requests. One process at a time
 * may use the driver. */
#ifndef WINDOWS_WPERFDRIVER_H
#define WINDOWS_WPERFDRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "kernel.h"
#include "wperfdriver_messages.h"

/* The driver while this process has its lock. */
struct wperfdriver;

/* Finds the device, checks the version and takes the lock; `force` takes it from another process.
 * ERR_MISSING: there is no driver. ERR_UNSUPPORTED: its version is none of 3.7.1, 3.7.2 and 3.8. ERR_BUSY:
 * another process has it, or other profilers have all counters. */
struct wperfdriver *wperfdriver_open(bool force, struct err *err);
void wperfdriver_free(struct wperfdriver *driver); /* gives the lock back */
AUTO_DEFINE(wperfdriver)

/* What the driver said when it was opened. */
const struct kernel_driver *wperfdriver_get_facts(const struct wperfdriver *driver);

/* Sends a request. The answer must have exactly `out_size` bytes, else ERR_FORMAT. ERR_BUSY: another
 * process took the lock by force. ERR_IO: the driver was stopped, or does not know the request. */
bool wperfdriver_ask(struct wperfdriver *driver, enum wperfdriver_request request, const void *in,
                     size_t in_size, void *out, size_t out_size, struct err *err);

/* The same for an answer whose size is not known: copies at most `room` bytes of it and returns its size,
 * or -1. */
int64_t wperfdriver_ask_any(struct wperfdriver *driver, enum wperfdriver_request request, const void *in,
                            size_t in_size, void *out, size_t room, struct err *err);

/* Lets the driver map the registers of the memory controllers, of which it counts events then. ERR_IO,
 * ERR_FORMAT. */
bool wperfdriver_map_memory_controllers(struct wperfdriver *driver, struct err *err);

/* The number of the event on the PMU; false if it has none there. */
bool wperfdriver_event_number(const struct event *event, uint16_t *ret_number);

/* Calls `each` with the path and the hardware id of every device with the driver's interface; `path` is a
 * device name as CreateFile takes it. Without such a device, the name that the driver may have as an
 * ordinary device. Returns how many there are. */
size_t wperfdriver_each_device(void (*each)(void *ctx, const wchar_t *path, const char *hardware), void *ctx);

#endif
