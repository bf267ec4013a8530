/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of records: what a platform does between "sample this" and the session file.  Order of calls:
 * open, facts (n_events, get_event), begin, poll until it says 0 or the caller has enough, end, result. */
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

/* Opens the events; a command is made ready but not yet running.  Every obstacle is one sentence with the way
 * out.  err->code: ERR_DENIED, ERR_MISSING (event, process), ERR_UNSUPPORTED, ERR_LIMIT, ERR_USAGE (CPUs). */
struct collector *collector_open(const struct collect_request *request, struct err *err);

/* Ends a command that still runs (SIGKILL) and closes everything. */
void collector_free(struct collector *collector);
AUTO_DEFINE(collector)

/* What was opened, for the session's header; one more event than asked for may have been added ("dummy"). */
struct collect_event {
        struct perf_attr attr; /* as the kernel took it, but for what unwinding changes in the samples */
        const char *name;
        const uint64_t *ids;
        size_t n_ids;
};

size_t collector_n_events(const struct collector *collector);
struct collect_event collector_get_event(const struct collector *collector, size_t index);

/* Why the first event is not the one asked for, or not the best there is, with the way to more; "" when there is
 * nothing to say.  One sentence. */
const char *collector_source_note(const struct collector *collector);

/* Why call stacks are not taken in the way that was asked for, and in which; "".  One sentence. */
const char *collector_stack_note(const struct collector *collector);

/* Why children are not sampled in the way that was asked for; "".  One sentence. */
const char *collector_children_note(const struct collector *collector);

/* Starts, then puts the records that describe what already runs: the command's exec, or enabling.  A command that
 * can't be run is ERR_MISSING (not found) or ERR_DENIED, and nothing has been put then. */
bool collector_begin(struct collector *collector, const struct record_sink *sink, struct err *err);

/* Waits at most `timeout_ms` (early when a ring fills or the target ends) and moves what is there to the sink.
 * 1: go on; 0: every target has ended; -1: the sink failed (err), what was put stays valid. */
int collector_poll(struct collector *collector, int timeout_ms, struct err *err);

/* Asks the command to end: SIGTERM, or SIGKILL when `force`.  Nothing for an attached process. */
void collector_stop_command(struct collector *collector, bool force);
bool collector_command_runs(struct collector *collector);

/* Stops the events, moves the rest, puts the kernel's own count of losses. */
bool collector_end(struct collector *collector, struct err *err);

/* A mapped file that was kept open, since the path in the record may not lead to it any more (deleted, memfd,
 * another mount namespace): read it at /proc/self/fd/FD. */
struct kept_file {
        const char *path; /* as recorded */
        int32_t pid;
        int fd;
        uint64_t inode; /* as recorded; 0: not known */
        uint64_t size_bytes;
        uint32_t owner; /* the user whose file it is */
        uint8_t build_id[BUILD_ID_MAX];
        uint8_t build_id_size; /* 0: not known */
};

/* Whether it is the file of a module, whose path is `path`. */
bool kept_file_is_of(const struct kept_file *kept, const struct module *module, const char *path);

/* Of `n` files that of a module, the newest first; else one with its build id, for of equal files one is kept.  NULL: there
 * is none, or files of several users claim to be that build, one of which may be forged. */
const struct kept_file *kept_file_find(const struct kept_file *kept, size_t n, const struct module *module,
                                       const char *path);

/* A process that sees other PIDs and another root than we do. */
struct kept_root {
        int32_t pid, inner_pid;
        int root_fd; /* of the root directory; -1 when it could not be kept */
};

/* A process that makes code at run time. */
struct kept_user {
        int32_t pid;
        uint32_t user;      /* as whom it makes files */
        int64_t started_ns; /* since 1970, or a little earlier; 0: not known */
};

struct collect_result {
        uint64_t n_samples, n_lost, n_throttled;
        uint64_t user_ns, kernel_ns; /* CPU time of the target while the events were on; both 0: not known */
        uint64_t off_ns;             /* how long they were off, for a delay or as another program said */
        bool stop_asked;             /* another program wants the run to end */
        bool command_ended;          /* by itself, or after it was asked to */
        int exit_status;             /* as a shell gives it, 128 + N for signal N; valid with command_ended */
        double counted_share;        /* running / enabled of the worst event; 1 where not known */
        double sampled_share;        /* of the targets' CPU time, or events; negative: not known */
        const char *sampled_event;   /* these events; "": CPU time */
        const char *not_sampled;     /* names of programs that the kernel does not let us sample; "" */
        uint64_t n_not_kept;         /* mapped files that could not be kept open */
        const char *not_kept;        /* their names, the first few, comma separated; "" */
        const struct kept_file *kept;
        size_t n_kept;
        const struct kept_file *copies; /* files equal to one of these, at other paths; without descriptors */
        size_t n_copies;
        const struct kept_root *roots;
        size_t n_roots;
        const struct kept_user *users;
        size_t n_users;
        const struct recorded_image *images;
        size_t n_images;
        struct stop_counts stops;
        const struct python_places *python_places; /* NULL: no Python frame was looked for */
        const struct python_counts *python;        /* the same */
        const char *
                unprivileged; /* programs that may have run without their privilege, because they were traced; "" */
        const struct stack_marks *stacks; /* NULL: none was unwound while recording */
        uint64_t recorder_ns;             /* CPU time that collecting itself took; valid after the end */
};

/* Valid until collector_free; counts are live while it runs. */
const struct collect_result *collector_get_result(struct collector *collector);

#endif
