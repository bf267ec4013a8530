/* SPDX-License-Identifier: BSD-3-Clause */
/* The registers of a sample (PERF_SAMPLE_REGS_USER) as the walk takes them. */
#ifndef UNWIND_SAMPLE_H
#define UNWIND_SAMPLE_H

#include "arch.h"
#include "cursor.h"
#include "unwind.h"

/* `values` has a number of 64 bits for each bit of `mask`, lowest first.  False when there are fewer. */
bool unwind_regs_of_sample(const struct arch *arch, uint64_t mask, struct cursor values,
                           struct unwind_regs *ret);

#endif
