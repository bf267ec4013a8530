/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of counts. Call counting_open, counting_get_event for the header, counting_begin, then wait, read,
 * pause and resume as needed, and counting_end. The counts are passed as records: a STAT for each event, CPU
 * and thread, then a STAT_ROUND. STAT.cpu is the number of the CPU, or UINT32_MAX for a count that follows a
 * thread on all CPUs; STAT.thread is the index of the thread, from 0. `enabled` is the time in which the
 * thread ran where it is counted: 0 for a thread that never ran on that CPU. If `running` is less, the event
 * was multiplexed. */
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

/* What to count. With a command or processes: these, on all CPUs. With CPUs too: on those CPUs, one count for
 * each, and the command is pinned to them. With system_wide, or with neither command nor process: everything
 * that runs on the CPUs. Uncore events always count for their whole unit. */
struct count_request {
        struct target target;
        const struct count_list *list; /* must outlive the counting, like everything this struct points to */
        struct control *control; /* made from target.control; must outlive the counting; NULL for none */
        uint32_t interval_ms; /* milliseconds between two reads, for STAT_CONFIG; 0 for one read at the end */
        uint32_t period_ms;   /* how often events that share counters change; 0 for the default */
};

struct counting;

/* Opens the events; a command is prepared but does not run yet. Events that can't be opened are not an error
 * if at least one can; counting_get_event has the reason. If none can be opened, or a process or CPU does not
 * exist, returns NULL and sets an error that says what to do. Free with counting_free. */
struct counting *counting_open(const struct count_request *request, struct err *err);
void counting_free(struct counting *counting); /* kills a command that still runs (SIGKILL) */
AUTO_DEFINE(counting)

struct counting_event {
        struct perf_attr attr; /* as passed to the kernel */
        const uint64_t *ids;   /* one for each descriptor; a made-up id if there is none */
        size_t n_ids;
        const char *refusal;  /* one sentence why it is not counted; NULL if it is counted */
        const char *estimate; /* source of the count if it is not the kernel's counter ("wait4"); else NULL */
};

/* Returns the event with this index in the list. The pointers are valid until counting_free. */
struct counting_event counting_get_event(const struct counting *counting, size_t index);

/* Starts counting, then puts THREAD_MAP, CPU_MAP and STAT_CONFIG. ERR_MISSING or ERR_DENIED if the command
 * can't be run; nothing is put then. */
bool counting_begin(struct counting *counting, const struct record_sink *sink, struct err *err);

/* Waits for `timeout_ns` at most. Returns when the last target ends, or once when a stop is requested
 * (os_stop_requested, or by a controlling program). False if every target has ended. */
bool counting_wait(struct counting *counting, uint64_t timeout_ns);

/* Puts the counts since counting_begin; values, enabled and running times never decrease. STAT_ROUND has the
 * time since the start without pauses, until the end of the last target. `last` makes it the final round. */
bool counting_read(struct counting *counting, bool last, struct err *err);

/* Stops and restarts the counters; the target continues to run. */
void counting_pause(struct counting *counting);
void counting_resume(struct counting *counting);

void counting_stop_command(struct counting *counting, bool force);
bool counting_command_runs(struct counting *counting);

/* Stops the counters permanently; the final values can then be read. */
void counting_end(struct counting *counting);

struct counting_result {
        bool command_ended;
        int exit_status;             /* as a shell reports it; valid if command_ended */
        uint64_t user_ns, kernel_ns; /* CPU time of the command; 0 if there is none or it is unknown */
        uint64_t off_ns; /* how long counting was disabled, by a delay or by a controlling program */
        bool stop_asked; /* a controlling program requested the end of the run */
};
struct counting_result counting_get_result(struct counting *counting);

/* Measures how many events the PMU of that kind can count at once besides the cycle counter. It opens groups
 * of growing size on this thread and checks whether they ran. 0 if it can't be measured. */
unsigned counting_probe_counters(const struct core_kind *kind);

/* Whether period_ms has an effect. */
bool counting_has_period(void);

/* Appends the attributes that would be opened, as text, without opening anything. */
void counting_describe(const struct count_request *request, struct buf *out);

#endif
