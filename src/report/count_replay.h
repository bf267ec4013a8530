/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of a session file, read back for the same tables. */
#ifndef COUNT_REPLAY_H
#define COUNT_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "count_list.h"
#include "err.h"
#include "perfdata_reader.h"
#include "run_info.h"
#include "sheet.h"

/* True for a session of stat, ours or perf's, finished or not: none of its events is sampled. */
bool count_replay_is(const struct perfdata_reader *reader);

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
