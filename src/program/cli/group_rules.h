/* SPDX-License-Identifier: BSD-3-Clause */
/* The value of --group-by. */
#ifndef GROUP_RULES_H
#define GROUP_RULES_H

#include "err.h"
#include "name_groups.h"

/* Reads the rules of a file, or those that wperf has for "cpython". */
struct name_groups *group_rules_open(const char *path, struct err *err);

#endif
