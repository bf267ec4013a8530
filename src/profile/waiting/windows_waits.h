/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread of Windows waits for, from the reason that the kernel gives and the module that waits. */
#ifndef WINDOWS_WAITS_H
#define WINDOWS_WAITS_H

#include "wait_kind.h"

/* The kind of a wait by the reason's name, as "WrQueue"; `functions` are innermost first. */
enum wait_kind windows_waits_decide(const char *reason, const struct wait_function *functions, size_t n);

#endif
