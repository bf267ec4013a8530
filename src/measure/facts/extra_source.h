/* SPDX-License-Identifier: BSD-3-Clause */
/* The events and metrics of -E and -C, from a list or a file. */
#ifndef EXTRA_SOURCE_H
#define EXTRA_SOURCE_H

#include <stdbool.h>

#include "err.h"
#include "extra_event.h"

/* `events` is the name of a file or the list itself; `metrics_file` is the name of a file. Both may be
 * NULL. */
bool extra_source_read(const char *events, const char *metrics_file, struct extra_names *ret,
                       struct err *err);

#endif
