/* SPDX-License-Identifier: BSD-3-Clause */
/* The measurement of `record` and `sample`: runs the target, writes the session, and reports how the run
 * ended. report.h then reads the written session to make the table. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "call_graph.h"
#include "collector.h"
#include "control.h"
#include "err.h"

struct run; /* below */

/* Takes the records of a run as they arrive. The thread of run_record() calls all functions. */
struct run_live {
        void (*begin)(void *ctx, struct run *run); /* before the first record */
        bool (*put)(void *ctx, const void *records, size_t size_bytes,
                    struct err *err);             /* complete records */
        void (*turn)(void *ctx, struct run *run); /* several times a second */
        void *ctx;
};

struct run_request {
        const struct run_live *live; /* no session is written, unless by run_keep(); NULL: a session */
        struct target target;
        enum collect_children children;
        const char *events;      /* text of -e; NULL for the default */
        uint64_t freq_hz;        /* 0 for the default */
        uint64_t default_hz;     /* the default of events without an interval; 0: 999 */
        const char *target_note; /* one sentence for the heading; NULL or "" for none */
        bool memory; /* sample accesses to memory, with the machine's events for it; `events` is NULL */
        uint64_t memory_latency; /* cycles that a load must take at least; 0 for the default */
        bool kernel;
        uint64_t timeout_ns; /* 0 for none */
        struct call_graph call_graph;
        enum collect_engine engine;
        bool wall;     /* also record when threads run and wait, and what they wait for */
        bool branches; /* record branch stacks with each sample */
        bool compress;
        const char *session_path; /* "-" for standard output */
        const char *command_line; /* of wperf itself, to be recorded in the session; may be NULL */
        /* for run_describe(): another machine, a model of the catalogue; NULL for none */
        const char *cpu_model;
        const char *sysfs_root; /* for run_describe(): another machine's tree; NULL for none */
        bool force_lock;        /* Windows: take the driver from another process */
        bool keeps_signals;     /* do not handle signals; only os_request_stop() ends the run early */
        bool quiet;             /* do not call `tick`, and wake up less often */
        /* Called once a second while running; `n_new` is the number of samples since the last call. May be
         * NULL. */
        void (*tick)(void *ctx, uint64_t n_new);
        void *tick_ctx;
};

/* A finished run. Its collector still holds open the files that only it can reach. */
struct run;

enum run_failure {
        RUN_OK,
        RUN_FAILED,       /* wperf itself failed: exit status 125 with a command, else 1 */
        RUN_NOT_RUNNABLE, /* 126 */
        RUN_NOT_FOUND,    /* 127 */
        RUN_USAGE,        /* 2 */
};

/* Whether a command that could not be started is RUN_NOT_FOUND or RUN_NOT_RUNNABLE, as in a shell; else
 * RUN_FAILED. */
enum run_failure run_start_failure(const struct err *err);

/* NULL with *ret_failure on failure. If the session could not be written completely, as on a full disk,
 * returns the run with RUN_OK and run_facts.write_error. */
struct run *run_record(const struct run_request *request, enum run_failure *ret_failure, struct err *err);
void run_free(struct run *run);
AUTO_DEFINE(run)

/* Appends the attributes that would be opened, as text. */
bool run_describe(const struct run_request *request, struct buf *out, struct err *err);

/* What record would do. */
struct run_rehearsal {
        char event[128]; /* the event that is sampled */
        uint64_t freq_hz;
        const char *engine;   /* as collector_engine() has it */
        struct buf lacks;     /* what would not be measured as asked; empty for nothing */
        struct buf stacks;    /* how call stacks would be taken, and why an engine is not used */
        struct buf no_python; /* why there would be no Python functions; empty if there would be some */
};
void run_rehearsal_release(struct run_rehearsal *rehearsal);

/* Opens the events and the engine of a request as run_record() does, and closes them; starts no program and
 * writes no session. Errors as in run_record(). */
bool run_rehearse(const struct run_request *request, struct run_rehearsal *ret, struct err *err);

/* The default rate for programs that run already, in Hz; 0: the same as for a command. */
uint64_t run_attached_hz(void);

/* The rate that an option -F, -r or both ask for: 0 for the default; UINT64_MAX is the highest one that the
 * kernel allows, or at which it can copy stacks: at 100,000 Hz a program of 0.04 s took a minute. */
uint64_t run_asked_hz(uint64_t freq_hz, uint64_t rate_hz, bool has_stacks);

/* Whether whole CPUs can be sampled here; on Windows only a command or processes. */
bool run_samples_cpus(void);

/* The longest interval of events that CPUs count. */
uint64_t run_longest_interval(void);

struct run_facts {
        uint64_t elapsed_ns;
        int stop_signal;    /* the signal that told wperf to end; 0 for none */
        bool stopped_by_us; /* by the time limit, a signal, or a control command */
        bool has_status;    /* the command has ended */
        int exit_status;    /* as in a shell: 128 + N for a signal; valid with has_status */
        uint64_t n_samples;
        /* what was not measured as asked, and of whom the samples are; "" for nothing to say */
        const char *heading_note;
        const char *lack_note; /* of run_look: why Python programs have native functions only, or "" */
        const struct err *write_error; /* why the session is incomplete; NULL if it is complete */
        bool has_session;              /* the file was begun; else there is none, or one of another run */
        const struct collect_result *collected;
};

struct run_facts run_get_facts(const struct run *run);

/* --- With run_live, from its functions ------------------------------------------------------------------ */

/* The facts so far; valid until the next call. */
struct run_facts run_look(struct run *run);

/* CPU time of the recorder so far, with that of its guardian. */
uint64_t run_own_ns(struct run *run);

/* Appends a session in memory that has the events and the machine, and no records; nothing on failure. */
void run_add_header(struct run *run, struct buf *out);

/* The readings of the records that were put, and of some that will be: collector_take_waits(). */
void run_take_waits(struct run *run, struct buf *out);

/* Records for a session, in the order in which they came. */
struct run_records {
        bool (*put_all)(void *ctx, const struct record_sink *sink, struct err *err);
        void (*add_waits)(void *ctx, struct buf *out); /* with request.wall: the section of wait_section.h */
        void *ctx;
        uint64_t n_samples; /* among them */
        bool is_whole;      /* they have all samples since the beginning */
};

/* Writes a session with these records, as if the run ended now. */
bool run_keep(struct run *run, const char *path, const struct run_records *records, struct err *err);

#endif
