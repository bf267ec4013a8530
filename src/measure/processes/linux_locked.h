/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that changes the mappings of its process (mmap, munmap and the like) locks them meanwhile, and may
 * have to wait for a file system with this lock. Whoever then reads the process's mappings or memory waits
 * with it, and cannot be killed.
 */
#ifndef LINUX_LOCKED_H
#define LINUX_LOCKED_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "target.h"

/* Finds out whether the mappings of a process have been locked for a second; for one thread at a time. Of
 * many such processes 256 are known. */
bool locked_ask(int32_t pid);
void locked_ask_target(const struct target *target);

/* The command line of a process, its words ended by zeros; false if it can't be read. Asks first. */
bool locked_command_line(int32_t pid, size_t limit, struct buf *out);

/* Whether they were when the process was last asked about; for any thread. Then linux_maps.h finds no mapping
 * of it. */
bool locked_is(int32_t pid);

#endif
