/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver that measures on Windows, as a component of this program. */
#ifndef MACHINE_DRIVER_H
#define MACHINE_DRIVER_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"

/* The texts are valid until the program ends. */
struct machine_driver {
        const char *version, *git, *features; /* "3.8.0", "4c88f933", "+trace" */
};

/* False where there is none: on Linux without an error, on Windows with the error of kernel_connect(). */
bool machine_driver_find(bool force_lock, struct machine_driver *ret, struct err *err);

/* Appends the vendor of the cores ("Arm Limited"), which on Windows the driver knows; nothing if it is not
 * known. */
void machine_add_vendor(bool force_lock, struct buf *out);

#endif
