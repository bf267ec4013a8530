/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share. */
#ifndef UNWIND_INTERNAL_H
#define UNWIND_INTERNAL_H

#include "unwind_xdata.h"

/* Registers of ARM64. */
enum { UNWIND_FIRST_X = 19, UNWIND_FIRST_D = 8, UNWIND_FP = 29, UNWIND_LR = 30 };

/* The operations that the packed form stands for. */
bool unwind_packed_prologue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err);

/* Those of its one epilogue. */
bool unwind_packed_epilogue(const struct unwind_arm64 *arm64, struct unwind_ops *ret_ops, struct err *err);

#endif
