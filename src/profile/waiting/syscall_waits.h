/* SPDX-License-Identifier: BSD-3-Clause */
/* The system calls in which threads waited, of sessions that do not have all calls. */
#ifndef SYSCALL_WAITS_H
#define SYSCALL_WAITS_H

#include "syscall_rows.h"

struct wall_making; /* wall_making.h */

/* Of the waits that `making` has: its readings, after they were weighed. */
struct syscall_rows *syscall_waits_new(struct wall_making *making);

#endif
