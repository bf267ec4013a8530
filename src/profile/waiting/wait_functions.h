/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of a stack, and which of them say what a thread does. */
#ifndef WAIT_FUNCTIONS_H
#define WAIT_FUNCTIONS_H

#include "named_stacks.h"
#include "wait_kind.h"

/* Fills the functions of the stack that ends at `node`, innermost first, at most `max`; returns their number.
 */
size_t wait_functions_of(const struct named_stacks *named, uint32_t node, struct wait_function *ret,
                         size_t max);

/* The function for which a stack counts: the innermost one of Python that is not part of a lock, a queue, a
 * socket or another object that waits for its caller, else the innermost one outside of the C library. NULL:
 * there is none. */
const struct wait_function *wait_functions_shown(const struct wait_function *functions, size_t n);

/* Whether CPython collects garbage; what a finalizer does belongs to it. */
bool wait_functions_collect_garbage(const struct wait_function *functions, size_t n);

/* Whether an event loop of Python waits for events: in selectors.py, in libuv, or, if callers are not known,
 * in epoll_wait. */
bool wait_functions_poll(const struct wait_function *functions, size_t n);

/* Whether a Python file's functions wait for others that call them, as threading.py's. */
bool wait_functions_are_between(const char *file);

/* Whether a module is a C or C++ library of the system. */
bool wait_functions_are_of_system(const char *path);

bool wait_functions_are_python(const struct named_stacks *named, const struct named_node *node);
const char *wait_functions_module(const struct named_stacks *named, const struct named_node *node);

#endif
