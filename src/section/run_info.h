/* SPDX-License-Identifier: BSD-3-Clause */
/* How a run was made and how it ended: the feature section FEATURE_WPERF_RUN, "WPRF", version, then lines
 * `key=value`.  docs/session-format.md. */
#ifndef RUN_INFO_H
#define RUN_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "perfdata_reader.h"
#include "perfdata_writer.h"

struct run_info {
        const char *source_note; /* why another event was taken; "" */
        uint64_t elapsed_ns, user_ns, kernel_ns;
        uint64_t recorder_ns; /* CPU time of the recorder itself; 0: not known */
        double counted_share;
        double sampled_share;      /* of the targets' CPU time, or of their events; negative: not known */
        const char *sampled_event; /* these events; "": CPU time */
        const char *not_sampled;   /* programs that the kernel does not let us sample; "" */
        const char *
                unprivileged; /* programs that may have run without their privilege, because they were traced; "" */
        uint64_t off_ns;         /* the events were off so long */
        uint64_t stack_bytes;    /* of the copies of the stack that were unwound while recording; 0: none */
        uint64_t n_stops;        /* samples taken by stopping a traced thread; 0: none was traced */
        uint64_t n_ring_dropped; /* samples of the ring in whose place they stand */
        uint64_t n_not_kept;
        const char *not_kept;
        bool has_exit;
        int exit_status;
};

void run_info_write(const struct run_info *info, struct perfdata_writer *writer);

/* False when the session has none (another tool's file); strings live in `text`, which the caller releases. */
bool run_info_read(const struct perfdata_reader *reader, struct buf *text, struct run_info *ret);

#endif
