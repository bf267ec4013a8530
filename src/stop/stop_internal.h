/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the stop engine share.  The engine's thread, the tracer, changes everything but what is said to be under
 * the lock; nobody else calls ptrace, which the kernel allows only to the thread that traces. */
#ifndef STOP_INTERNAL_H
#define STOP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "err.h"
#include "map.h"
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
        int *events; /* descriptors, under the lock; closing one ends what was inherited from it, too */
        size_t n_events, cap_events;
        bool is_safe;     /* it lives when the recorder is killed: it does not die by SIGTRAP */
        unsigned n_tries; /* to have it ignore that */
        uint64_t counted; /* by the events at the last sample, where samples stand for what they count */
        struct stop_task *tasks; /* the list is changed under the lock */
        struct stop_process *next;
};

/* What the reader of the ring has to know of a traced thread. */
struct stop_seen {
        uint64_t stopped_ns;  /* its last sample; 0: none yet */
        uint64_t checked_ns;  /* when it was found not to block SIGTRAP */
        unsigned n_unstopped; /* samples of the ring before it stopped for the first time */
        bool blocks; /* SIGTRAP, or has no event: it does not stop, and the ring's samples are kept */
        uint64_t kept_until_ns; /* it did before */
};

/* When a process was traced: the ring's samples of this time are dropped. */
struct stop_span {
        uint64_t from_ns, to_ns; /* UINT64_MAX: it still is */
        struct stop_span *older;
};

/* A stack that a record has no room for, until the unwinder asks for it. */
struct stop_stack {
        int32_t tid;
        uint64_t time_ns;
        struct deep_stack copy;
        size_t size_bytes;       /* of its memory */
        struct stop_stack *next; /* taken later */
};

/* A thread that another one than the tracer has waited for. */
struct stop_ended {
        int32_t tid;
        int status;
        struct rusage usage;
};

/* Processes that are to be traced although they run already. */
struct stop_late {
        atomic_bool is_busy; /* some are asked for, or about to be traced */
        atomic_int pid;      /* the tracer waits to trace a thread of this one; 0: of none */
        int32_t *asked;      /* these and the following: under the lock */
        size_t n_asked, cap_asked;
        struct stop_ended *ended;
        size_t n_ended, cap_ended;
};

struct stop_watch;

struct stop_engine {
        struct stop_request request;
        struct perf_attr attr; /* of the events that stop */
        uint64_t period;       /* that each sample stands for; 0: what the event counted since the last */
        pthread_t tracer;
        bool is_running;
        struct os_lock *lock;
        atomic_bool quits, has_ended;
        struct stop_late late;
        struct stop_watch *watch; /* NULL: descendants are not watched */
        struct err watch_error;   /* why not */

        /* The tracer's. */
        struct map tasks;               /* tid -> struct stop_task * */
        struct stop_process *processes; /* the list is changed under the lock */
        uint32_t n_images;
        struct map again;     /* pid whose exec is run again -> how far it is */
        struct map ignoring;  /* tid that is about to ignore SIGTRAP -> struct stop_ignore * */
        bool keeps_privilege; /* the kernel lets this process trace privileged programs */
        struct os_lock *files_lock;
        struct map interpreters; /* hash of a file -> 1 no, 2 yes; under the lock above */

        /* Under the lock. */
        bool is_on;
        struct buf samples;
        struct stop_stack *stacks, **stacks_end; /* in order of time */
        size_t stack_bytes;
        struct map spans;  /* pid -> struct stop_span *, the newest */
        uint64_t swept_ns; /* when those that ended long ago were freed */
        struct map seen;   /* tid -> struct stop_seen * */
        struct stop_counts counts;
        char unprivileged[256]; /* names of programs, comma separated */
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

/* On a thread, and all threads that it begins. */
void stop_event_open(struct stop_engine *engine, struct stop_process *process, int32_t tid);
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

/* Whether a process is traced now. */
bool stop_span_is_open(struct stop_engine *engine, int32_t pid);
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
bool stop_status_runs(int32_t tid);   /* it is there and has not ended */
bool stop_status_may_trace(void);     /* this process has CAP_SYS_PTRACE */
bool stop_status_blocks(int32_t tid, int sig);
bool stop_status_ignores(int32_t tid, int sig);
bool stop_status_catches(int32_t tid, int sig);
bool stop_status_is_filtered(int32_t tid); /* a filter decides about its system calls */

/* --- stop_interpreter.c --- */

/* Whether the program that a process runs is a Python interpreter. */
bool stop_interpreter_is(struct stop_engine *engine, int32_t pid);

/* --- stop_sample.c --- */

/* The thread stands at an overflow: makes its sample. */
void stop_sample_take(struct stop_engine *engine, struct stop_task *task);

/* --- stop_stack.c: stacks that records have no room for; all under the lock --- */

/* A new one; NULL: too many wait. */
struct stop_stack *stop_stack_new(struct stop_engine *engine, const struct stop_thread *thread, size_t size);
void stop_stack_release(struct stop_engine *engine);

/* --- stop_trace.c --- */

/* False: errno. */
bool stop_trace_seize(int32_t tid);

/* With a signal, or 0. */
void stop_trace_go_on(struct stop_engine *engine, int32_t tid, int sig);
void stop_trace_let_go(int32_t tid);

/* Looks at what wait4 gave, and lets the thread go on. */
void stop_trace_see(struct stop_engine *engine, int32_t tid, int status, const struct rusage *usage);

/* --- stop_again.c: privileged programs --- */

enum stop_privilege {
        STOP_NO_PRIVILEGE,
        STOP_PRIVILEGE,    /* which it has lost because it is traced */
        STOP_NOT_READABLE, /* its file: it may have lost one */
};

/* Of the program that a process has just executed. */
enum stop_privilege stop_again_privilege(const struct stop_engine *engine, int32_t pid);

/* Lets the process execute the program again, and lets it go. */
void stop_again_begin(struct stop_engine *engine, int32_t pid);

/* Whether its system calls stop for that; at such a stop; when the process has ended. */
bool stop_again_is(const struct stop_engine *engine, int32_t pid);
void stop_again_see(struct stop_engine *engine, int32_t pid);
void stop_again_end(struct stop_engine *engine, int32_t pid);

/* Where an instruction calls the kernel; 0: it was not found. */
uint64_t stop_again_find_call(int32_t pid, uint64_t vdso);

/* Keeps the name of a program that may run without its privilege. */
void stop_again_note(struct stop_engine *engine, int32_t pid);

/* --- stop_ignore.c: SIGTRAP, which would kill the program with the recorder --- */

/* At a stop of the event's: has the process ignore the signal, if that is left to do.  The thread's system calls stop then. */
void stop_ignore_begin(struct stop_engine *engine, struct stop_task *task);
bool stop_ignore_is(const struct stop_engine *engine, int32_t tid);
bool stop_ignore_is_any(const struct stop_engine *engine);

/* At such a stop; when the thread has ended. */
void stop_ignore_see(struct stop_engine *engine, int32_t tid);
void stop_ignore_end(struct stop_engine *engine, int32_t tid);
void stop_ignore_release(struct stop_engine *engine);

/* --- stop_late.c: tracing of what runs already --- */

/* By any thread: has the tracer trace a process, if it does not yet. */
void stop_late_ask(struct stop_engine *engine, int32_t pid);
bool stop_late_is_busy(struct stop_engine *engine);

/* By the tracer: does what was asked for. */
void stop_late_seize(struct stop_engine *engine);
bool stop_late_next_ended(struct stop_engine *engine, struct stop_ended *ret);

/* By the thread that watches: waits for threads of the process that the tracer has been trying to trace for a while. */
void stop_late_reap(struct stop_engine *engine);

/* --- stop_watch.c: descendants --- */

/* Watches those of the engine's command, on a thread of its own. */
struct stop_watch *stop_watch_new(struct stop_engine *engine, struct err *err);
void stop_watch_wake(const struct stop_watch *watch);

/* Waits for the thread, after the tracer has ended. */
void stop_watch_end(struct stop_watch *watch);
void stop_watch_free(struct stop_watch *watch);

/* --- stop_engine.c --- */

/* Interrupts the tracer's wait, unless it is just about to begin: then again. */
void stop_engine_wake(struct stop_engine *engine);

/* A thread that gets no signals but the one that wakes it.  0 or an errno. */
int stop_engine_start_thread(pthread_t *ret_thread, void *(*run)(void *), void *arg);

#endif
