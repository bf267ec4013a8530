/* SPDX-License-Identifier: BSD-3-Clause */
/* First and last time of a session's samples, and slices of the time between them. */
#ifndef SESSION_TIMES_H
#define SESSION_TIMES_H

#include <stdbool.h>

#include "err.h"
#include "profile.h"
#include "session_input.h"

/* Converts a slice (to_ppm) into times of the session's clock; neighbouring slices have no sample in
 * common.  Seconds greater than the session's length, but between its first and its last sample, are times
 * of its clock, as perf writes them.  `path` is read again if the session's header does not contain the
 * times.  ERR_MISSING: the samples have no times. */
bool session_times_resolve(const char *path, const struct session_input *input, struct profile_filter *filter,
                           struct err *err);

#endif
