/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether Python frames that were read while their thread ran are those of the sample: the eval function
 * keeps a pointer into the bytecode of its Python function, in a register or on the stack. */
#ifndef STOP_FIT_H
#define STOP_FIT_H

#include "record.h"
#include "unwind.h"

/* What the sample has of its thread; valid as long as the sample's record. */
struct stop_fit {
        struct cursor regs, stack;
};

void stop_fit_begin(struct stop_fit *fit, const struct sample *sample);

/* Whether a pointer to [start, end) is where frame `eval`, an eval function, keeps its variables: in its own
 * frame, or in registers that it had and that the frames inside it have not changed, or have saved. The first
 * of the frames is the sample's. */
bool stop_fit_has(const struct stop_fit *fit, const struct unwind_frame *frames, size_t n, size_t eval,
                  uint64_t start, uint64_t end);

#endif
