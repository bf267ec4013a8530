/* SPDX-License-Identifier: BSD-3-Clause */
/* Why the kernel does not let wperf trace or read a process. */
#ifndef STOP_REFUSAL_H
#define STOP_REFUSAL_H

#include <stdbool.h>
#include <stdint.h>

/* The end of a sentence about a process that is no descendant of wperf, with what would change it, as "it
 * belongs to another user: sudo wperf ...". */
const char *stop_refusal_why(int32_t pid);

/* Why no process of this user that runs already, and that wperf did not start, can be traced, or
 * read; NULL if they can. */
const char *stop_refusal_of_running(bool are_traced);

/* Whether a seccomp filter refuses ptrace, whatever the process. */
bool stop_refusal_blocks_ptrace(void);

/* Another process that traces one of its threads; 0 for none. */
int32_t stop_refusal_tracer(int32_t pid);

#endif
