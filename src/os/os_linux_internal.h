/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the port to Linux share. */
#ifndef OS_LINUX_INTERNAL_H
#define OS_LINUX_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct stat;

/* Sets the error of errno; always returns false. */
bool os_linux_fail(struct err *err, const char *what);

int64_t os_linux_mtime_ns(const struct stat *st);

#endif
