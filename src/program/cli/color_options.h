/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the output has colours. */
#ifndef COLOR_OPTIONS_H
#define COLOR_OPTIONS_H

#include <stdbool.h>

#include "err.h"
#include "options.h"

struct color_options {
        const char *when; /* "auto", "always", "never", or NULL: auto */
};
extern const struct option_group color_group;

/* auto: on a terminal that is not dumb, unless NO_COLOR is set (https://no-color.org).  ERR_USAGE. */
bool color_choose(const struct color_options *options, bool *ret_is_colored, struct err *err);

#endif
