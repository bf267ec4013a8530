/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders of file systems that another machine or a process serves. If the server has gone, whoever asks for
 * a file below them waits, and cannot even be killed. Before the first file below such a folder is asked for,
 * a child process asks for it; if that does not end within a second, all files below the folder count as not
 * readable ("Connection timed out").
 */
#ifndef OS_LEFT_OUT_H
#define OS_LEFT_OUT_H

#include <stdbool.h>
#include <stddef.h>

/* `folder` is an absolute path other than "/", maybe one of another mount namespace by /proc/PID/root. Of
 * many folders the first 256 are kept. May be called by any thread. Linux only.
 */
void os_add_served(const char *folder);

/* Whether the path is one of the folders that do not answer or below one, also by /proc/PID/root and
 * /proc/PID/cwd. Linux only.
 */
bool os_is_left_out(const char *path);

/* The folders that did not answer, by number; NULL after the last one. */
const char *os_left_out(size_t i);

#endif
