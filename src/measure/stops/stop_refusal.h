/* SPDX-License-Identifier: BSD-3-Clause */
/* Why the kernel does not let wperf trace or read a process. */
#ifndef STOP_REFUSAL_H
#define STOP_REFUSAL_H

#include <stdint.h>

/* The end of a sentence about a process that is no descendant of wperf, with what would change it, as "it
 * belongs to another user: sudo wperf ...". */
const char *stop_refusal_why(int32_t pid);

/* Another process that traces one of its threads; 0 for none. */
int32_t stop_refusal_tracer(int32_t pid);

#endif
