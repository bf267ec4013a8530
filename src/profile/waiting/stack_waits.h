/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread waits for, from the functions on its stack alone: those of the kernel, or of the C library
 * where the kernel's are not recorded. */
#ifndef STACK_WAITS_H
#define STACK_WAITS_H

#include "wait_kind.h"

/* The kind of a wait. `functions` are innermost first. `state`: the letter of the thread's state; 0: not
 * recorded. Appends what it does in words. */
struct wait_verdict stack_waits_decide(const struct wait_function *functions, size_t n, char state,
                                       struct buf *text);

/* The function for which a wait counts: as wait_functions_shown() of the program's functions; in a thread of
 * the kernel the innermost one outside of the scheduler. NULL: there is none. */
const struct wait_function *stack_waits_shown(const struct wait_function *functions, size_t n);

#endif
