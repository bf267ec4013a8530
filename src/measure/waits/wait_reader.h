/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads threads from outside. A thread that waits is not stopped: its registers are in /proc, its stack and
 * its interpreter's frames in its memory. A thread that runs has registers only on its CPU, so it is stopped
 * for them, once. */
#ifndef WAIT_READER_H
#define WAIT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch.h"
#include "attributes.h"
#include "deep_stack.h"
#include "stop_python.h"
#include "wait_section.h"
#include "wait_tasks.h"
#include "wait_thread.h"

struct wait_reader;

/* `python` receives the Python frames; it belongs to the caller. With `may_stop` threads that run are stopped
 * once, for their registers. */
struct wait_reader *wait_reader_new(struct stop_python *python, bool may_stop);
void wait_reader_free(struct wait_reader *reader);
AUTO_DEFINE(wait_reader)

/* Reads tasks of asyncio together with the threads. `tasks` belongs to the caller, and must outlive the
 * reader. Call it before the first process. */
void wait_reader_set_tasks(struct wait_reader *reader, struct wait_tasks *tasks);

/* Prepares a process: its mappings and its interpreter, or what was known of them at most `most_age_ns` ago.
 * What is read next are threads of this process. */
void wait_reader_begin(struct wait_reader *reader, int32_t pid, uint64_t most_age_ns);

/* Whether a thread of the process was read at most `most_age_ns` ago. */
bool wait_reader_is_used(const struct wait_reader *reader, int32_t pid, uint64_t most_age_ns);

/* Forgets a process that has ended. */
void wait_reader_forget(struct wait_reader *reader, int32_t pid);

/* Registers by perf register number. */
struct wait_registers {
        uint64_t mask; /* those that are known; 0: none */
        uint64_t values[ARCH_REGS_MAX];
};

/* Reads a thread; false if it has ended. ret->text is valid until the next call. Times of readings grow. */
bool wait_reader_read(struct wait_reader *reader, int32_t tid, struct wait_reading *ret,
                      struct wait_registers *ret_registers);

/* The same for a thread that was just met, whose wait may be short: the object of its call is found last,
 * when the wait may have ended. */
bool wait_reader_read_met(struct wait_reader *reader, int32_t tid, const struct wait_thread *met,
                          struct wait_reading *ret, struct wait_registers *ret_registers);

/* What a thread waited for that has gone on before it could be read: without stack and Python frames, with
 * WAIT_HOW_MOVING. `met` is how it was found; the reading has the time of that, because the thread may be in
 * another wait by now. */
void wait_reader_met(struct wait_reader *reader, int32_t tid, const struct wait_thread *met,
                     struct wait_reading *ret, struct wait_registers *ret_registers);

/* The name that the thread that was read last has in its Python program; "" for none. Valid until the process
 * is prepared again. */
const char *wait_reader_python_name(const struct wait_reader *reader);

/* Of a thread that waited: sp, pc, and the register of its call's first argument. */
uint64_t wait_reader_still_mask(void);

/* Takes the stack of the thread that was read last. Release ret->bytes. */
void wait_reader_take_stack(struct wait_reader *reader, struct deep_stack *ret);

#endif
