/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses beside an object: compilers keep the end of an array, or the address before its first element,
 * in a register.  What is there depends on the linker. */
#ifndef CODE_ENDS_H
#define CODE_ENDS_H

#include "code_body.h"

/* Lets addresses of both functions refer to the object beside them, where that makes them equal and what
 * they point to does not. */
void code_ends_settle(struct code_body *a, struct code_body *b);

#endif
