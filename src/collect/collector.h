/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of records: what a platform does between "sample this" and the session file.  Order of calls:
 * open, facts (n_events, get_event), begin, poll until it says 0 or the caller has enough, end, result. */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "call_graph.h"
#include "err.h"
#include "event.h"
#include "record.h"
#include "stack_marks.h"
#include "target.h"

struct module;         /* world.h */
struct python_places;  /* python_section.h */
struct python_counts;  /* python_section.h */
struct recorded_image; /* image_section.h */

/* What of a command, or of the processes that are attached to, is sampled besides their threads. */
enum collect_children {
        COLLECT_INHERIT,      /* children too: each begins with the events of the one that forked it */
        COLLECT_ALL_CHILDREN, /* of a command: events on every CPU, where only what the command forked is kept */
        COLLECT_BEST,         /* that where the rights are there, else by inheriting */
        COLLECT_NO_CHILDREN, /* no children, and no threads that begin later */
        COLLECT_PER_THREAD,  /* the same, with a buffer for each thread in the place of one for each CPU */
};

/* How the samples of Python interpreters among a command's processes are taken. */
enum collect_engine {
        COLLECT_RING, /* by the kernel, as those of all others */
        COLLECT_STOP, /* by stopping the thread at each; the heading says why if that is not possible */
        COLLECT_STOP_IF_CAN, /* the same where the request allows it; the heading says why if the kernel refuses */
};

struct collect_request {
        struct target target;
        enum collect_engine engine;
        const struct event_list *events;
        enum collect_children children;
        bool events_are_default; /* the user named none: another source may be taken in their place */
        struct control *control; /* of target.control, which outlives the collector; NULL to describe alone */
        size_t ring_bytes; /* for each CPU, a power of two; 0: by what a sample takes, 512 KiB or more */
        struct call_graph call_graph;
        /* The path that records name for Python places: python_section.h.  NULL: their names can't be kept, as in a pipe, and
         * Python frames are left out. */
        const char *python_symbols;
        bool branches; /* the CPU's record of branches with each sample; not with CALL_GRAPH_LBR */
};

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

/* What was taken by stopping threads. */
struct stop_counts {
        uint64_t n_processes;  /* programs that were traced; one that executes another is two */
        uint64_t n_stops;      /* samples */
        uint64_t n_dropped;    /* samples of the ring in whose place these stand */
        uint64_t n_not_opened; /* programs and threads without an event that stops */
        uint64_t n_blocking;   /* threads that block SIGTRAP, whose samples are the ring's */
        uint64_t n_refused; /* processes that could not be traced: a debugger does, or there is no right to */
        uint64_t n_traps_ignored; /* signals of which a program that is not traced would have died */
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

/* The PIDs of processes whose program's base name (or file, when `image` is a path) is `image`: the executable, or an image
 * that wine or an emulator runs.
 * Appended to a malloc'd array; ERR_MISSING says what was looked at. */
bool collector_find_image(const char *image, int32_t **ret_pids, size_t *ret_n, struct err *err);

/* This machine's PMUs, or those of the tree below `root` in place of "/" ("" or NULL: this machine). */
struct pmu_source collector_pmu_source(const char *root);

/* What the kernel takes of `events` when they are opened and closed at once on the calling thread; with
 * `are_default` another source may take their place.  Errors as those of collector_open. */
struct collect_probe {
        char event[128]; /* the first event, or what took its place */
        char note[240];  /* why another took its place; "" */
};
bool collector_probe(const struct event_list *events, bool are_default, struct collect_probe *ret,
                     struct err *err);

/* The attributes that `request` would open, without opening anything, one after the other as text. */
void collector_describe(const struct collect_request *request, struct buf *out);

#endif
