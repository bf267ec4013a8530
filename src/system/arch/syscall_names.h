/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of Linux' system calls. */
#ifndef SYSCALL_NAMES_H
#define SYSCALL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "arch.h"

/* The name of a call, with its length, as it is not terminated; NULL if the number has none, or
 * the processor is another one. */
const char *syscall_name_find(enum arch_id arch, int64_t number, size_t *ret_len);

/* The number of a call with this name; -1 if there is none. */
int32_t syscall_name_number(enum arch_id arch, const char *name);

#endif
