/* SPDX-License-Identifier: BSD-3-Clause */
/* A reading as a record of perf.data: a sample of an event that no kernel has. */
#ifndef WAIT_RECORD_H
#define WAIT_RECORD_H

#include "linux_events.h"
#include "wait_reader.h"

enum {
        WAIT_RECORD_TRAILER_BYTES =
                24,                    /* of other records of such a session: pid and tid, time, identifier */
        WAIT_RECORD_MAX_STACK = 60000, /* bytes of a stack that are put into the record */
};

/* Ids of the two events, which the kernel's ids do not reach. */
#define WAIT_RECORD_STILL_ID   (UINT64_MAX - 1)
#define WAIT_RECORD_STOPPED_ID (UINT64_MAX - 2)

/* Fills an event for threads that waited, whose samples have two registers, or for those that ran. Release it
 * with the list that it belongs to. */
void wait_record_event(struct opened_event *ret, bool is_stopped);

enum wait_switch { WAIT_SWITCH_IN, WAIT_SWITCH_OUT, WAIT_SWITCH_PREEMPTED };

/* Appends a record of a switch, as the kernel writes it. */
void wait_record_add_switch(int32_t pid, int32_t tid, uint64_t time_ns, enum wait_switch kind,
                            struct buf *out);

/* Appends a record of the beginning or the end of a thread. */
void wait_record_add_fork(int32_t pid, int32_t tid, uint64_t time_ns, struct buf *out);
void wait_record_add_exit(int32_t pid, int32_t tid, uint64_t time_ns, struct buf *out);

/* Appends the sample, with `stack_bytes` of the stack from the stack pointer on. `is_whole`: there is no
 * more. */
void wait_record_add(const struct wait_reading *reading, const struct wait_registers *registers,
                     const void *stack, size_t stack_bytes, bool is_whole, struct buf *out);

#endif
