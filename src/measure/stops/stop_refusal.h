/* SPDX-License-Identifier: BSD-3-Clause */
/* Why the kernel does not let wperf trace or read a process. */
#ifndef STOP_REFUSAL_H
#define STOP_REFUSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

/* The end of a sentence about a process that is no descendant of wperf, with what would change it, as "it
 * belongs to another user: sudo wperf ...". */
const char *stop_refusal_why(int32_t pid);

/* Why no process of this user that runs already, and that wperf did not start, can be traced, or
 * read; NULL if they can. */
const char *stop_refusal_of_running(bool are_traced);

#define STOP_REFUSAL_NO_EVENTS "this kernel has no events that stop a thread, which Linux 5.13 and later have"

/* The level of Yama, a security module, as in kernel.yama.ptrace_scope; 0 if it does not run. */
long stop_refusal_yama(void);

/* The level if it forbids to trace or read even descendants; else 0. */
long stop_refusal_forbids(long yama, bool has_privilege);

/* The same of this machine and process. */
long stop_refusal_of_any(void);

/* Says why an event that stops a thread was refused, by the error and by what stop_refusal_forbids says.
 * False. */
bool stop_refusal_say_event(int error, long yama, struct err *err);

/* Whether the kernel has no such events. */
bool stop_refusal_lacks_events(void);

/* Whether a seccomp filter refuses ptrace, whatever the process. */
bool stop_refusal_blocks_ptrace(void);

/* Another process that traces one of its threads; 0 for none. */
int32_t stop_refusal_tracer(int32_t pid);

#endif
