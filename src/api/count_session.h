/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts in a session file, written while they are measured; count_replay.h reads them back. */
#ifndef COUNT_SESSION_H
#define COUNT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "count_list.h"
#include "counting.h"
#include "err.h"
#include "run_info.h"

struct count_session;

/* Prepares a session of the events that `counting` has opened; `list` has their names.  An older session stays as it is until
 * the first records are put, which is when the command really runs. */
struct count_session *count_session_create(const char *path, const struct count_list *list,
                                           const struct counting *counting, struct err *err);
void count_session_free(struct count_session *session);
AUTO_DEFINE(count_session)

bool count_session_put(struct count_session *session, const void *records, size_t size, struct err *err);

/* Writes the list, how the run ended and the machine's facts, and closes; the session is then free. */
bool count_session_close(struct count_session *session, const struct run_info *info, const char *subject,
                         const char *command_line, struct err *err);

#endif
