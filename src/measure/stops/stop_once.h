/* SPDX-License-Identifier: BSD-3-Clause */
/* Stops a thread that runs once, for its registers. The system call that it may have begun meanwhile begins
 * anew; nothing else of the thread changes. If wperf is killed in between, the kernel lets the thread go on.
 */
#ifndef STOP_ONCE_H
#define STOP_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "stop_thread.h"

struct stop_once;

/* Stops thread ret_thread->tid, and waits `wait_ns` at most. Fills regs, tls and stack_addr. NULL if the
 * thread has ended, may not be traced, or did not stop in time; then it goes on. */
struct stop_once *stop_once_begin(uint64_t wait_ns, struct stop_thread *ret_thread);

/* Lets the thread go on. */
void stop_once_end(struct stop_once *once);

#endif
