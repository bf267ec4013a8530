/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the counts to a session file while they are measured. count_replay.h reads them. */
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

/* Prepares a session for the events that `counting` has opened, with their names from `list`. `list` must
 * outlive the session. An existing session is not changed until the first records are put, when the command
 * has started. */
struct count_session *count_session_create(const char *path, const struct count_list *list,
                                           const struct counting *counting, struct err *err);
void count_session_free(struct count_session *session);
AUTO_DEFINE(count_session)

bool count_session_put(struct count_session *session, const void *records, size_t size, struct err *err);

/* Writes the list, how the run ended and the machine's facts, and closes the file. Always frees the
 * session. */
bool count_session_close(struct count_session *session, const struct run_info *info, const char *subject,
                         const char *command_line, struct err *err);

#endif
