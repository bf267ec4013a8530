/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders whose file system does not answer: the server of a network file system has gone, or the process
 * behind FUSE hangs. Whoever asked for a file below them would wait, so their files count as not readable.
 */
#ifndef OS_LEFT_OUT_H
#define OS_LEFT_OUT_H

#include <stdbool.h>
#include <stddef.h>

/* Files below `folder`, an absolute path, fail with "Connection timed out" from now on. It may be one of
 * another mount namespace, by /proc/PID/root. Of many folders the first 128 are kept. May be called by any
 * thread.
 */
void os_leave_out(const char *folder);

/* Whether the path is one of these folders or below one, also by /proc/PID/root. */
bool os_is_left_out(const char *path);

/* False if a file can't be looked up within a second. Linux only. */
bool os_linux_answers(const char *path);

/* NULL after the last one. */
const char *os_left_out(size_t i);

#endif
