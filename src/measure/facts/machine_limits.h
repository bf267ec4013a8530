/* SPDX-License-Identifier: BSD-3-Clause */
/* What the machine allows this process to measure: settings of the kernel, rights and hardware, as rows of
 * `doctor`. */
#ifndef MACHINE_LIMITS_H
#define MACHINE_LIMITS_H

/* `more` is the command or the change that allows more; "" if nothing is limited. */
typedef void machine_limit_fn(void *ctx, const char *what, const char *state, const char *more);

/* Calls `limit` for each row, in order. On Windows there is one, about the driver. */
void machine_limits(machine_limit_fn *limit, void *ctx);

#endif
