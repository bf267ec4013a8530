/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognizes the code that processes and threads start with: a stack that ends there is complete. */
#ifndef UNWIND_OUTERMOST_H
#define UNWIND_OUTERMOST_H

#include <stdbool.h>
#include <stdint.h>

#include "object.h"
#include "unwind_cfi.h"

struct outermost;

/* Creates the answers for a module. `object` and `cfi` (may be NULL) belong to the caller. */
struct outermost *outermost_new(struct object *object, struct cfi *cfi);
void outermost_free(struct outermost *outermost);

/* `addr` is the sampled virtual address (is_exact), or a return address minus 1. True if
 *   - call-frame information says that the return address is undefined,
 *   - it is in the function at the entry point of the program or loader,
 *   - the code ends the process or thread with the result of the call, as the C library's callers of main
 *     and of a thread's function do, or
 *   - there is no call-frame information, and the symbol has one of the known names.
 * Answers are cached by address. */
bool outermost_has(struct outermost *outermost, uint64_t addr, bool is_exact);

/* Whether a function of this name is an outermost one; for modules whose file can't be opened. */
bool outermost_is_name(const char *name);

#endif
