/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts in a session file: written while they are measured, and read back for the same tables. */
#ifndef COUNT_SESSION_H
#define COUNT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "count_list.h"
#include "counting.h"
#include "err.h"
#include "perfdata_reader.h"
#include "run_info.h"
#include "sheet.h"

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

/* True for a session of stat, ours or perf's, finished or not: none of its events is sampled. */
bool count_session_is(const struct perfdata_reader *reader);

/* What a session of stat says. */
struct count_replay {
        struct count_list list;
        struct counts *counts;
        struct metric_values *metrics;
        struct run_info info;
        bool has_info;
        bool damaged;     /* parts of the file are missing, as the list's warnings say */
        struct buf texts; /* info's */
        struct buf subject, vendor;
};

/* Reads what was counted, and how the run ended.  Release `replay` even on failure. */
bool count_replay_open(struct count_replay *replay, const struct perfdata_reader *reader, struct err *err);

/* Reads the counts; `each` is called after every round with that round's sheet and length, false ends it. */
bool count_replay_read(struct count_replay *replay, struct perfdata_reader *reader,
                       bool (*each)(void *ctx, const struct sheet *sheet, uint64_t elapsed_ns), void *ctx,
                       struct err *err);
void count_replay_release(struct count_replay *replay);

#endif
