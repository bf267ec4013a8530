/* SPDX-License-Identifier: BSD-3-Clause */
/* How a run was made and how it ended: the feature section FEATURE_WPERF_RUN, "WPRF", the version, then lines
 * `key=value`. See docs/session-format.md. */
#ifndef RUN_INFO_H
#define RUN_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "cursor.h"
#include "perfdata_reader.h"
#include "perfdata_writer.h"

struct run_info {
        /* why wperf sampled another event than the requested one; "" if it did not */
        const char *source_note;
        const char *command;  /* that was started, with its arguments; NULL or "": none */
        const char *governor; /* of the CPUs' frequencies, as in session_facts.h; NULL or "": not known */
        /* of counts: when the run began, by a clock that all runs share since the machine was started; 0: not
         * known. Samples have their own times. */
        uint64_t start_ns;
        uint64_t elapsed_ns, user_ns, kernel_ns;
        uint64_t split_is_unknown; /* 1: only the sum of user_ns and kernel_ns is known, not how it is
                                      divided */
        uint64_t kernel_is_denied; /* 1: the user who recorded was not allowed to sample the kernel */
        uint64_t lost_is_estimate; /* 1: how many samples were lost is not known exactly */
        uint64_t recorder_ns;      /* CPU time of the recorder itself; 0 if unknown */
        double counted_share;
        double sampled_share; /* of the targets' CPU time, or of their sampled_event; negative if unknown */
        const char *sampled_event; /* the event that sampled_share refers to; "" for CPU time */
        const char *not_sampled;   /* programs that the kernel does not let us sample; "" for none */
        /* programs that may have run without their set-user-ID or file capabilities, because they were
         * traced; "" for none */
        const char *unprivileged;
        const char *not_traced; /* Python programs that could not be traced; "" for none */
        uint64_t off_ns;        /* how long the events were disabled */
        uint64_t stack_bytes;   /* bytes per stack copy that was unwound while recording; 0 if none were */
        uint64_t n_samples;     /* samples that were taken; fewer are in the file if the disk was full. 0: not
                                   known */
        uint64_t n_stops;       /* samples taken by stopping a traced thread; 0 if no thread was traced */
        uint64_t n_repeats; /* stops without a sample, because the kernel had repeated the event's period */
        /* how often the command and its children left a CPU to wait, and how often because another thread got
         * it; both 0 if not known */
        uint64_t n_blocked, n_preempted;
        uint64_t n_ring_dropped; /* samples of the ring buffer that these samples replaced */
        /* of the file of another kind that the session was made of: bytes that are missing at its end,
         * parts that could not be read */
        uint64_t source_cut_bytes, n_source_malformed;
        uint64_t source_is_short;   /* parts of that file are left out for lack of memory */
        const char *python_symbols; /* the path of FILE.pysyms; "" if there is none */
        uint64_t n_not_kept;        /* mapped files that could not be kept open */
        const char *not_kept;       /* the first of their paths, separated by commas; "" for none */
        bool has_exit;
        int exit_status;
};

void run_info_write(const struct run_info *info, struct perfdata_writer *writer);

/* Appends the section's bytes. */
void run_info_make(const struct run_info *info, struct buf *out);

/* False if the session has no such section (another tool's file). The strings point into `text`, which the
 * caller releases. */
bool run_info_read(const struct perfdata_reader *reader, struct buf *text, struct run_info *ret);

/* The same for the section's bytes. */
bool run_info_read_section(struct cursor section, struct buf *text, struct run_info *ret);

#endif
