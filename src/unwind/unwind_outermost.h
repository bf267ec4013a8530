/* SPDX-License-Identifier: BSD-3-Clause */
/* Which code processes and threads begin with: nothing is missing of a stack that ends there. */
#ifndef UNWIND_OUTERMOST_H
#define UNWIND_OUTERMOST_H

#include <stdbool.h>
#include <stdint.h>

#include "object.h"
#include "unwind_cfi.h"

struct outermost;

/* Of a module; both are kept by the caller, `cfi` may be NULL. */
struct outermost *outermost_new(struct object *object, struct cfi *cfi);
void outermost_free(struct outermost *outermost);

/* `addr` is the virtual address that was sampled (is_exact), or one byte before a return address.  True where
 *   - call-frame information says that the return address is undefined,
 *   - the function is the one at the program's or loader's entry point,
 *   - the code ends the process or the thread with the result of the call (the C library's callers of main and of a thread's
 *     function),
 *   - there is no call-frame information, and the symbol table has a name for it that is known.
 * Answers are kept by address. */
bool outermost_has(struct outermost *outermost, uint64_t addr, bool is_exact);

/* Whether a function of that name is one; for modules whose files can't be had. */
bool outermost_is_name(const char *name);

#endif
