/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of counts.  Order of calls: open, get_event for the header, begin, then wait, read, pause and resume as often
 * as wanted, end.  Counts pass as records: STAT for each event, CPU and thread, then STAT_ROUND.  STAT.cpu is the CPU's
 * number, UINT32_MAX for a count that follows a thread wherever it runs; STAT.thread counts the threads from 0.  `enabled` is
 * how long there was something to count: 0 for a thread that was never on that CPU; `running` less than that is an
 * event that had to share its counter. */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "count_list.h"
#include "err.h"
#include "record.h"
#include "target.h"

struct control; /* control.h */

/* What is counted.  With a command or processes these alone, wherever they run; with CPUs too, on those CPUs, one count
 * for each, and the command is pinned to them.  system_wide, or neither command nor process: all that runs on the CPUs.
 * Uncore events count for their unit whatever else is said. */
struct count_request {
        struct target target;
        const struct count_list *list; /* outlives the counting, as all that is pointed to here */
        struct control *control;       /* of target.control, which outlives the counting; NULL: none */
        uint32_t interval_ms;          /* between the reads, for STAT_CONFIG; 0: one read at the end */
};

struct counting;

/* Opens the events; a command is ready but not running.  An event that can't be opened is no failure as long as one
 * can: counting_get_event says why.  Nothing opened, no such process or CPU: NULL and one sentence with the way out, as
 * collector_open. */
struct counting *counting_open(const struct count_request *request, struct err *err);
void counting_free(struct counting *counting); /* ends a command that still runs (SIGKILL) */
AUTO_DEFINE(counting)

struct counting_event {
        struct perf_attr attr; /* as the kernel took it */
        const uint64_t *ids;   /* one for each descriptor; one made up where there is none */
        size_t n_ids;
        const char *obstacle; /* one sentence why it is not counted; NULL: it is */
        const char
                *estimate; /* where the count comes from when not from the kernel's counter ("wait4"); NULL */
};

/* `index` is that of the list. */
struct counting_event counting_get_event(const struct counting *counting, size_t index);

/* Starts, then puts THREAD_MAP, CPU_MAP and STAT_CONFIG.  A command that can't be run is ERR_MISSING or ERR_DENIED, and
 * nothing has been put then. */
bool counting_begin(struct counting *counting, const struct record_sink *sink, struct err *err);

/* Waits at most that long; returns at once when the last target ends, and once when a stop is requested
 * (os_stop_requested, or by another program).  true: go on; false: every target has ended. */
bool counting_wait(struct counting *counting, uint64_t timeout_ns);

/* Puts what has been counted since begin, as it stands now: values, enabled and running times only grow.  STAT_ROUND
 * has the time since the counters began, without pauses, which the end of the last target stops; `last` makes it the
 * final one. */
bool counting_read(struct counting *counting, bool last, struct err *err);

/* Stops and restarts the counters; the target runs on. */
void counting_pause(struct counting *counting);
void counting_resume(struct counting *counting);

void counting_stop_command(struct counting *counting, bool force);
bool counting_command_runs(struct counting *counting);

/* Stops the counters for good; the final values can then be read. */
void counting_end(struct counting *counting);

struct counting_result {
        bool command_ended;
        int exit_status;             /* as a shell gives it; valid with command_ended */
        uint64_t user_ns, kernel_ns; /* CPU time of the command; 0: none or not known */
        uint64_t off_ns; /* how long nothing was to be counted, for a delay or as another program said */
        bool stop_asked; /* another program wants the run to end */
};
struct counting_result counting_get_result(struct counting *counting);

/* Measures how many events of that kind's PMU can be counted at once besides the cycle counter, by opening groups of
 * growing size on this thread and looking whether they ran; 0 where it can't be told. */
unsigned counting_probe_counters(const struct core_kind *kind);

/* What would be opened, attribute by attribute, as text, without opening anything. */
void counting_describe(const struct count_request *request, struct buf *out);

#endif
