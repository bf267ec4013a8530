/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts, paths and errors of Windows, for os and for the rooms that measure.  Texts are UTF-8 here and
 * UTF-16 in Windows' functions. */
#ifndef OS_WINDOWS_H
#define OS_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* Sets the error from GetLastError: ERR_MISSING, ERR_DENIED, ERR_LIMIT or ERR_IO.  Always returns false. */
bool os_windows_fail(struct err *err, const char *what);

/* The text as UTF-16; release with free(). */
wchar_t *os_windows_wide(const char *text);

/* The same for the path of a file.  A path that Windows would refuse as too long becomes an absolute one
 * with the prefix for long paths. */
wchar_t *os_windows_wide_path(const char *path);

/* Appends UTF-16 text up to its NUL; a code unit that is not part of a character becomes U+FFFD. */
void os_windows_add_text(const wchar_t *text, struct buf *out);

#endif
