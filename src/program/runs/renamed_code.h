/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that have another name in B than in A, but the same code. */
#ifndef RENAMED_CODE_H
#define RENAMED_CODE_H

#include "measured_session.h"

/* Makes one row of each two functions of which only A has the one and only B the other, if both have the same
 * machine code, and if no other such function of the module has it.  `a` and `b` are sessions of both sides,
 * of the finished values, which were read with `request`. */
void renamed_code_pair(struct run_values *values, const char *a, const char *b,
                       const struct measured_session_request *request);

#endif
