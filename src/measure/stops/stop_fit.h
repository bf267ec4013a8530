/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether Python frames that were read while their thread ran are those of the sample: the eval function
 * keeps a pointer into the bytecode of its Python function, in a register or on the stack. */
#ifndef STOP_FIT_H
#define STOP_FIT_H

#include "record.h"

/* What the sample has of its thread; valid as long as the sample's record. */
struct stop_fit {
        struct cursor regs, stack;
};

void stop_fit_begin(struct stop_fit *fit, const struct sample *sample);

/* Whether one of the registers or of the first `size` bytes of the stack is a pointer to [start, end). */
bool stop_fit_has(const struct stop_fit *fit, uint64_t size, uint64_t start, uint64_t end);

#endif
