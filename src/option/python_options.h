/* SPDX-License-Identifier: BSD-3-Clause */
/* The options about Python programs, which report and export share. */
#ifndef PYTHON_OPTIONS_H
#define PYTHON_OPTIONS_H

#include "err.h"
#include "options.h"
#include "stacks_python.h"

struct python_options {
        const char *frames; /* merged, only, native, all; NULL: merged */
};

extern const struct option_group python_group;

/* ERR_USAGE for a word that is none. */
bool python_options_frames(const struct python_options *options, enum stacks_python *ret, struct err *err);

#endif
