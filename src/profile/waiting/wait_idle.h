/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions in which threads wait for work. */
#ifndef WAIT_IDLE_H
#define WAIT_IDLE_H

#include "wait_kind.h"

/* The function of the list that waits for work; NULL if none does. */
const char *wait_idle_find(const struct wait_function *functions, size_t n);

#endif
