/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of records for the session file. Call collector_open, collector_n_events and collector_get_event
 * for the header, collector_begin, collector_poll until it returns 0 or the caller has enough, collector_end,
 * and then collector_get_result. */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "collect_request.h"
#include "err.h"
#include "record.h"
#include "stack_marks.h"
#include "stop_counts.h"

struct module;         /* world.h */
struct python_places;  /* python_section.h */
struct python_counts;  /* python_section.h */
struct recorded_image; /* image_section.h */

struct collector;

/* Opens the events; a command is prepared but does not run yet. Each error is one sentence that says what to
 * do. err->code: ERR_DENIED, ERR_MISSING (event, process), ERR_UNSUPPORTED, ERR_LIMIT, ERR_USAGE (CPUs). */
struct collector *collector_open(const struct collect_request *request, struct err *err);

/* Kills a command that still runs (SIGKILL) and closes everything. */
void collector_free(struct collector *collector);
AUTO_DEFINE(collector)

/* An opened event, for the session's header. There may be one event more than requested ("dummy"). */
struct collect_event {
        /* as passed to the kernel, except that sample_type describes the samples after unwinding */
        struct perf_attr attr;
        const char *name;
        const uint64_t *ids;
        size_t n_ids;
};

size_t collector_n_events(const struct collector *collector);
struct collect_event collector_get_event(const struct collector *collector, size_t index);

/* One sentence: why the first event is not the requested one, or not the best one, and how to get it; "" if
 * there is nothing to report. */
const char *collector_source_note(const struct collector *collector);

/* One sentence: why call stacks are not taken as requested, and how they are taken instead; "" if they are
 * taken as requested. */
const char *collector_stack_note(const struct collector *collector);

/* One sentence: why samples of Python programs have no Python frames, as far as nobody asked for an engine
 * that has them by name; "" if they may have some. */
const char *collector_python_note(const struct collector *collector);

/* One sentence: why child processes are not sampled as requested; "" if they are. */
const char *collector_children_note(const struct collector *collector);

/* Who takes the samples and reads their Python frames, as --engine names it; on Windows "timer" or
 * "driver". */
const char *collector_engine(const struct collector *collector);

/* Why the engine can't read Python frames of the processes that run already; "" if it can. */
const char *collector_reading_note(const struct collector *collector);

/* Appends how many Python processes could not be traced until now, and why; nothing if all could. */
void collector_add_refused(struct collector *collector, struct buf *note);

/* Starts the command, or enables the events, then puts records that describe the running processes.
 * ERR_MISSING (not found) or ERR_DENIED if the command can't be run; nothing is put then. */
bool collector_begin(struct collector *collector, const struct record_sink *sink, struct err *err);

/* Waits for `timeout_ms` at most, less if a ring fills or the target ends, and moves the available records to
 * the sink. 1: continue; 0: every target has ended; -1: the sink failed (err); records that were put remain
 * valid. */
int collector_poll(struct collector *collector, int timeout_ms, struct err *err);

/* Sends SIGTERM to the command, or SIGKILL with `force`. Does nothing for an attached process. */
void collector_stop_command(struct collector *collector, bool force);
bool collector_command_runs(struct collector *collector);

/* Stops the events, moves the remaining records, and puts the kernel's counts of lost samples. */
bool collector_end(struct collector *collector, struct err *err);

/* A mapped file that was kept open, because the recorded path may no longer lead to it (deleted, memfd,
 * another mount namespace). Read it at /proc/self/fd/FD. */
struct kept_file {
        const char *path; /* as recorded */
        int32_t pid;
        int fd;
        uint64_t inode; /* as recorded; 0 if unknown */
        uint64_t size_bytes;
        uint32_t owner; /* user id of the file's owner */
        uint8_t build_id[BUILD_ID_MAX];
        uint8_t build_id_size; /* 0 if unknown */
};

/* Whether `kept` is the file of `module`, whose path is `path`. */
bool kept_file_is_of(const struct kept_file *kept, const struct module *module, const char *path);

/* Finds a module's file in `n` files, the newest first; else a file with the same build id, because equal
 * files are kept once. NULL if there is none, or if files of several users have this build id: one of them
 * may be forged. */
const struct kept_file *kept_file_find(const struct kept_file *kept, size_t n, const struct module *module,
                                       const char *path);

/* A process with another PID namespace and root directory than ours. */
struct kept_root {
        int32_t pid, inner_pid;
        int root_fd; /* O_PATH descriptor of the root directory; -1 if it could not be kept */
};

/* A process that generates code at run time. */
struct kept_user {
        int32_t pid;
        uint32_t user;      /* the user id with which it creates files */
        int64_t started_ns; /* since 1970; may be slightly early; 0 if unknown */
};

struct collect_result {
        uint64_t n_samples, n_lost, n_throttled;
        /* CPU time of the target while the events were enabled; both 0 if unknown */
        uint64_t user_ns, kernel_ns;
        uint64_t off_ns;    /* how long the events were disabled, by a delay or by a controlling program */
        bool stop_asked;    /* a controlling program requested the end of the run */
        bool command_ended; /* also if it was asked to end */
        int exit_status;    /* as a shell reports it: 128 + N for signal N; valid if command_ended */
        /* how often the command and its children left a CPU to wait, and how often because another thread got
         * it; both 0 if not known */
        uint64_t n_blocked, n_preempted;
        double counted_share;      /* running / enabled of the event with the lowest share; 1 if unknown */
        double sampled_share;      /* sampled part of the targets' CPU time or events; negative if unknown */
        const char *sampled_event; /* the event of sampled_share; "" for CPU time */
        const char *not_sampled; /* names of programs that the kernel does not allow to sample; "" for none */
        /* too many processes lived shorter than a clock tick for the kernel to tell their kernel_ns from
         * their user_ns */
        bool split_is_unknown;
        bool kernel_is_denied; /* this user may not sample the kernel */
        bool lost_is_estimate; /* the rings lost samples of all processes; `n_lost` is the command's likely
                                  part */
        uint64_t n_not_kept;   /* mapped files that could not be kept open */
        const char *not_kept;  /* the first of their paths, separated by commas; "" for none */
        const struct kept_file *kept;
        size_t n_kept;
        /* files at other paths that are equal to one in `kept`; without descriptors */
        const struct kept_file *copies;
        size_t n_copies;
        const struct kept_root *roots;
        size_t n_roots;
        const struct kept_user *users;
        size_t n_users;
        const struct recorded_image *images;
        size_t n_images;
        struct stop_counts stops;
        const struct python_places *python_places; /* NULL if Python frames were not recorded */
        const struct python_counts *python;        /* NULL if Python frames were not recorded */
        /* programs that may have lost their privileges because they were traced; "" for none */
        const char *unprivileged;
        const char *not_traced;           /* Python programs that could not be traced; "" for none */
        const struct task_section *tasks; /* of asyncio, at readings of waits; NULL: none were read */
        uint64_t n_holders;               /* samples of which it is known who had the GIL */
        const struct stack_marks *stacks; /* NULL if no stack was unwound while recording */
        uint64_t recorder_ns;             /* CPU time of the recorder itself; valid after collector_end */
};

/* While it records, how the stacks so far end; `cut` receives the bits. False if no stack is unwound. */
bool collector_get_marks(const struct collector *collector, struct buf *cut, struct stack_marks *ret);

/* With request.wall: appends a part of a section of wait_section.h, with what was read since the last call,
 * and forgets it; nothing if nothing was read. It has the readings of all records that were put. */
void collector_take_waits(struct collector *collector, struct buf *out);

/* CPU time of the recorder so far, with the processes that it uses. */
uint64_t collector_own_ns(const struct collector *collector);

/* Valid until collector_free; the counts change while the collector runs. */
const struct collect_result *collector_get_result(struct collector *collector);

#endif
