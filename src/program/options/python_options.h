/* SPDX-License-Identifier: BSD-3-Clause */
/* The options for Python programs, shared by report and export. */
#ifndef PYTHON_OPTIONS_H
#define PYTHON_OPTIONS_H

#include "err.h"
#include "options.h"
#include "stacks_python.h"

struct python_options {
        const char *frames; /* merged, only, native, all; NULL: merged */
};

extern const struct option_group python_group;

/* ERR_USAGE for an unknown word. */
bool python_options_frames(const struct python_options *options, enum stacks_python *ret, struct err *err);

#endif
