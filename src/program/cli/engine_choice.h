/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine that --engine and --nonblocking choose. */
#ifndef ENGINE_CHOICE_H
#define ENGINE_CHOICE_H

#include <stdbool.h>

#include "err.h"
#include "run.h"

/* `name` is NULL without --engine. ERR_USAGE. */
bool engine_choice_make(const char *name, bool nonblocking, enum collect_engine *ret, struct err *err);

#endif
