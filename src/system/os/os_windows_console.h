/* SPDX-License-Identifier: BSD-3-Clause */
/* Text on a console.  A HANDLE is a `void *`. */
#ifndef OS_WINDOWS_CONSOLE_H
#define OS_WINDOWS_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

/* The beginning of a character whose other bytes come with the next call; zeroed before the first. */
struct os_windows_console {
        unsigned char cut[4];
        size_t n_cut;
};

/* Whether the handle is a console for output. */
bool os_windows_console_is(void *handle);

/* Writes UTF-8; bytes that are none are shown as U+FFFD.  False: GetLastError() has the reason. */
bool os_windows_console_write(struct os_windows_console *console, void *handle, const void *bytes,
                              size_t size);

#endif
