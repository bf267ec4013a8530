/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the os_linux*.c files. */
#ifndef OS_LINUX_INTERNAL_H
#define OS_LINUX_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "os.h"

struct stat;

/* Sets the error from errno; always returns false. */
bool os_linux_fail(struct err *err, const char *what);

int64_t os_linux_mtime_ns(const struct stat *st);
int64_t os_linux_ctime_ns(const struct stat *st);

/* --- os_linux_origin.c --- */

/* Opens a regular file for reading and returns its descriptor; -1 and err.  Other files are not opened. */
int os_linux_open_regular(const char *path, struct err *err);

/* As os_read_public. */
int os_linux_open_public(const char *path, bool is_given, struct err *err);

/* As os_linux_open_regular, and with the folders of os_map_open_of, for callers that check the opened file
 * themselves: it may have been replaced, and need not be a regular file. */
int os_linux_open_to_map(const char *path, struct err *err);
int os_linux_open_of(const char *path, struct err *err);

/* Whether the file meets the requirements of os_map_open_of. */
/* Opens an empty file for writing; see os_file_create. */
int os_linux_open_output(const char *path, unsigned mode, struct err *err);

bool os_linux_check_origin(const struct stat *st, const struct os_origin *origin, struct err *err);

/* --- os_linux_terminal.c --- */

/* Restores a terminal that is used as a screen; no effect if there is none.  May be called in signal
 * handlers. */
void os_linux_restore_terminal(void);

#endif
