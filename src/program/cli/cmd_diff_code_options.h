/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `diff --code`. */
#ifndef CMD_DIFF_CODE_OPTIONS_H
#define CMD_DIFF_CODE_OPTIONS_H

#include "options.h"

struct diff_code_options {
        bool code;
        const char *symbol; /* a pattern, or NULL */
        const char *style;  /* "intel", "att", or NULL */
};
extern const struct option_group diff_code_group;

#endif
