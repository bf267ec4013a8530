/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "options.h"

extern const struct command_set commands_all;

#endif
