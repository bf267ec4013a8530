/* SPDX-License-Identifier: BSD-3-Clause */
/* A child process that reads files at which the reader may hang. Linux only. */
#ifndef OS_ASKER_H
#define OS_ASKER_H

#include <stdbool.h>

/* Whether the beginning of a file can be read within a second; a file that can't be opened counts as read. To
 * be called by one thread. */
bool os_asker_reads(const char *path);

#endif
