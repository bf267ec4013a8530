/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the counts of a session, to print the same tables again. */
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

/* True for a session of stat, of wperf or perf, finished or not: none of its events is sampled. */
bool count_replay_is(const struct perfdata_reader *reader);

/* The content of a session of stat. */
struct count_replay {
        struct count_list list;
        struct counts *counts;
        struct metric_values *metrics;
        struct run_info info;
        bool has_info;
        bool damaged;     /* parts of the file are missing, as the list's warnings say */
        struct buf texts; /* texts of `info` */
        struct buf subject, vendor;
};

/* Reads the description of the events, and how the run ended.  Release `replay` even on failure. */
bool count_replay_open(struct count_replay *replay, const struct perfdata_reader *reader, struct err *err);

/* Reads the counts.  Calls `each` after every round with the sheet and length of that round; reading ends
 * if it returns false. */
bool count_replay_read(struct count_replay *replay, struct perfdata_reader *reader,
                       bool (*each)(void *ctx, const struct sheet *sheet, uint64_t elapsed_ns), void *ctx,
                       struct err *err);
void count_replay_release(struct count_replay *replay);

#endif
