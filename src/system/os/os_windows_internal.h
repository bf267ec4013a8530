/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the os_windows*.c files.  A HANDLE is a `void *`. */
#ifndef OS_WINDOWS_INTERNAL_H
#define OS_WINDOWS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os.h"
#include "os_windows.h"

struct _FILETIME;

int64_t os_windows_unix_ns(const struct _FILETIME *time);

/* 0 if the file system does not store it. */
int64_t os_windows_changed_ns(void *handle);

/* As CreateFileW; `how` is its creation disposition. */
void *os_windows_open(const char *path, uint32_t access, uint32_t how);

/* --- os_windows_file.c --- */

/* False with GetLastError set. */
bool os_windows_write_all(void *handle, const void *bytes, size_t size);

#endif
