/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the stop engine share.  The engine's thread, the tracer, changes everything but what is said to be under
 * the lock; nobody else calls ptrace, which the kernel allows only to the thread that traces. */
#ifndef STOP_INTERNAL_H
#define STOP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "stop_engine.h"

/* A traced thread. */
struct stop_task {
        int32_t tid;
        struct stop_process *process;
        struct stop_task *next;          /* of its process */
        uint64_t stack_start, stack_end; /* of the mapping that its stack pointer was in; 0: not known */
        uint64_t cpu_addr;               /* where its memory says on which CPU it is (rseq); 0: not known */
        uint8_t n_asked_cpu;             /* how often that was asked */
};

/* A traced process. */
struct stop_process {
        int32_t pid;
        uint32_t image;
        int event_fd;     /* -1: none; under the lock */
        uint64_t counted; /* by the event at the last sample, where samples stand for what they count */
        struct stop_task *tasks;
        struct stop_process *next;
};

/* What the reader of the ring has to know of a traced thread. */
struct stop_seen {
        uint64_t stopped_ns;    /* its last sample; 0: none yet */
        uint64_t checked_ns;    /* when it was found not to block SIGTRAP */
        bool blocks;            /* SIGTRAP: it does not stop, and the ring's samples are kept */
        uint64_t kept_until_ns; /* it did before */
};

/* When a process was traced: the ring's samples of this time are dropped. */
struct stop_span {
        uint64_t from_ns, to_ns; /* UINT64_MAX: it still is */
        struct stop_span *older;
};

struct stop_engine {
        struct stop_request request;
        struct perf_attr attr; /* of the events that stop */
        uint64_t period;       /* that each sample stands for; 0: what the event counted since the last */
        pthread_t tracer;
        bool is_running;
        struct os_lock *lock;
        atomic_bool quits, has_ended;

        /* The tracer's. */
        struct map tasks;               /* tid -> struct stop_task * */
        struct stop_process *processes; /* the list is changed under the lock */
        struct map interpreters;        /* hash of a file -> 1 no, 2 yes */
        uint32_t n_images;

        /* Under the lock. */
        bool is_on;
        struct buf samples;
        struct map spans; /* pid -> struct stop_span *, the newest */
        struct map seen;  /* tid -> struct stop_seen * */
        struct stop_counts counts;
        bool child_ended;
        int child_status;
        struct rusage child_usage;

        /* The reader's. */
        struct map ids; /* of the ring's event */
};

/* --- stop_event.c: the event that stops --- */

struct perf_attr stop_event_attr(const struct perf_attr *ring);

/* What a sample stands for; 0: it has to be read. */
uint64_t stop_event_period(const struct perf_attr *attr);
void stop_event_open(struct stop_engine *engine, struct stop_process *process);
void stop_event_close(struct stop_engine *engine, struct stop_process *process);

/* What was counted since the last sample of the process. */
uint64_t stop_event_read_period(struct stop_process *process);

/* --- stop_task.c: who is traced --- */

struct stop_task *stop_task_find(const struct stop_engine *engine, int32_t tid);

/* A process whose threads are traced from now on; it has none yet. */
struct stop_process *stop_process_new(struct stop_engine *engine, int32_t pid);
struct stop_process *stop_process_find(const struct stop_engine *engine, int32_t pid);
struct stop_task *stop_task_new(struct stop_engine *engine, struct stop_process *process, int32_t tid);
void stop_task_free(struct stop_engine *engine, struct stop_task *task);

/* With its threads. */
void stop_process_free(struct stop_engine *engine, struct stop_process *process);

/* --- stop_span.c: the ring's samples of traced processes --- */

void stop_span_begin(struct stop_engine *engine, int32_t pid);
void stop_span_end(struct stop_engine *engine, int32_t pid);
void stop_span_release(struct stop_engine *engine);

/* --- stop_seen.c: threads that block the signal --- */

/* A thread begins, or has ended. */
void stop_seen_begin(struct stop_engine *engine, int32_t tid);
void stop_seen_end(struct stop_engine *engine, int32_t tid);

/* It has stopped at `time_ns`; under the lock.  False when it comes from a block that ends now: the ring's samples of that time
 * were kept. */
bool stop_seen_stop(struct stop_engine *engine, int32_t tid, uint64_t time_ns);

/* Whether a sample of the ring has to be kept, since the thread blocks the signal; under the lock. */
bool stop_seen_keeps(struct stop_engine *engine, int32_t tid, uint64_t time_ns);
void stop_seen_release(struct stop_engine *engine);

/* --- stop_status.c: what /proc says of a thread --- */

int32_t stop_status_pid(int32_t tid); /* of its process; 0: it is gone */
bool stop_status_blocks(int32_t tid, int sig);
bool stop_status_ignores(int32_t tid, int sig);

/* --- stop_interpreter.c --- */

/* Whether the program that a process runs is a Python interpreter. */
bool stop_interpreter_is(struct stop_engine *engine, int32_t pid);

/* --- stop_sample.c --- */

/* The thread stands at an overflow: makes its sample. */
void stop_sample_take(struct stop_engine *engine, struct stop_task *task);

/* --- stop_trace.c --- */

/* Begins to trace a command that has not begun; false: errno. */
bool stop_trace_seize(struct stop_engine *engine, int32_t pid);

/* Looks at what wait4 gave, and lets the thread go on. */
void stop_trace_see(struct stop_engine *engine, int32_t tid, int status, const struct rusage *usage);

#endif
