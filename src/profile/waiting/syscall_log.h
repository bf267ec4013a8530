/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracepoints raw_syscalls:sys_enter and sys_exit, in the order of time: each system call of each
 * thread. Or those of single calls, as syscalls:sys_enter_read and sys_exit_read. */
#ifndef SYSCALL_LOG_H
#define SYSCALL_LOG_H

#include "budget.h"
#include "perfdata_reader.h"
#include "syscall_rows.h"

struct syscall_log;

/* NULL if the session does not have tracepoints of both ends, with each time that they happened. Points into
 * the reader. Memory is taken from `budget`, which may be NULL; if there is no more, further threads and
 * calls are left out. */
struct syscall_log *syscall_log_new(const struct perfdata_reader *reader, struct budget *budget);
void syscall_log_free(struct syscall_log *log);
AUTO_DEFINE(syscall_log)

/* For each sample, of any event. A call counts if `counts` is set at its end. */
void syscall_log_take(struct syscall_log *log, uint32_t event, const struct sample *sample, bool counts);

/* After the last sample, once. */
struct syscall_rows *syscall_log_rows(struct syscall_log *log, const struct syscall_naming *naming);

#endif
