/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the port to Linux share. */
#ifndef OS_LINUX_INTERNAL_H
#define OS_LINUX_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "os.h"

struct stat;

/* Sets the error of errno; always returns false. */
bool os_linux_fail(struct err *err, const char *what);

int64_t os_linux_mtime_ns(const struct stat *st);
int64_t os_linux_ctime_ns(const struct stat *st);

/* --- os_linux_origin.c --- */

/* A descriptor of a regular file, for reading; -1 and err.  Nothing else is opened. */
int os_linux_open_regular(const char *path, struct err *err);

/* As os_read_public. */
int os_linux_open_public(const char *path, struct err *err);

/* As os_linux_open_regular, and as os_map_open_of says where a file is opened, for those who look at the opened file themselves:
 * it may be another one than was there before, and not a regular one. */
int os_linux_open_to_map(const char *path, struct err *err);
int os_linux_open_of(const char *path, struct err *err);

/* Whether it is as os_map_open_of wants it. */
bool os_linux_check_origin(const struct stat *st, const struct os_origin *origin, struct err *err);

#endif
