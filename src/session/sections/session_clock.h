/* SPDX-License-Identifier: BSD-3-Clause */
/* Which clock the times of a session are by, and what time of day that was: perf's features CLOCKID and
 * CLOCK_DATA. */
#ifndef SESSION_CLOCK_H
#define SESSION_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "perfdata_reader.h"
#include "perfdata_writer.h"

/* For a session whose times are those of os_monotonic_ns(). */
void session_clock_write(struct perfdata_writer *writer);

/* What to add to a time of the session for the time since 1970.  False if the session does not say. */
bool session_clock_read(const struct perfdata_reader *reader, int64_t *ret_offset_ns);

#endif
