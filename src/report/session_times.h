/* SPDX-License-Identifier: BSD-3-Clause */
/* From when to when a session's samples are, and what a slice of that time is by its clock. */
#ifndef SESSION_TIMES_H
#define SESSION_TIMES_H

#include <stdbool.h>

#include "err.h"
#include "profile.h"
#include "session_input.h"

/* Turns a slice (to_ppm) into times by the session's clock: neighbouring slices have no sample in common.  Seconds that lie
 * behind the session's length but between its first and its last sample are times of its clock, as perf writes them.  `path` is
 * read again where the session's header does not tell the times.  ERR_MISSING when the samples have no times. */
bool session_times_resolve(const char *path, const struct session_input *input, struct profile_filter *filter,
                           struct err *err);

#endif
