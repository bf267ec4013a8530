/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the stop engine. Everything is used only by the engine's thread, the tracer, except
 * where a lock is mentioned. Only the tracer may call ptrace, because the kernel allows it only for the
 * thread that traces. */
#ifndef STOP_INTERNAL_H
#define STOP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "err.h"
#include "map.h"
#include "stop_channel.h"
#include "stop_engine.h"

/* A traced thread. */
struct stop_task {
        int32_t tid;
        struct stop_process *process;
        struct stop_task *next;          /* in the same process */
        uint64_t stack_start, stack_end; /* the mapping of its stack; 0 if unknown */
        uint64_t cpu_addr;               /* address of its CPU number (rseq); 0 if unknown */
        uint8_t n_asked_cpu;             /* attempts to find cpu_addr */
};

/* A traced process. */
struct stop_process {
        int32_t pid;
        uint32_t image;
        int *events; /* descriptors, under the lock; closing one also closes the events inherited from it */
        size_t n_events, cap_events;
        bool is_safe;     /* SIGTRAP can't kill it if the recorder is killed */
        bool is_hidden;   /* its memory can't be read any more; it has no events, and the ring samples it */
        unsigned n_tries; /* attempts to make it ignore SIGTRAP */
        /* count of the events at the last sample, if a sample's period is what they counted */
        uint64_t counted;
        struct stop_task *tasks; /* the list changes only under the lock */
        struct stop_process *next;
};

/* What the reader of the ring needs to know about a traced thread. */
struct stop_seen {
        uint64_t stopped_ns;  /* its last sample; 0 for none */
        uint64_t checked_ns;  /* when it was last found not to block SIGTRAP */
        unsigned n_unstopped; /* samples of the ring before its first stop */
        /* it blocks SIGTRAP or has no event: it does not stop, and the ring's samples are kept */
        bool blocks;
        uint64_t kept_until_ns; /* it did not stop until then */
};

/* A time in which a process was traced; the ring's samples of this time are dropped. */
struct stop_span {
        uint64_t from_ns, to_ns; /* to_ns is UINT64_MAX while it is traced */
        struct stop_span *older;
};

/* A stack copy that does not fit into a record, until the unwinder takes it. */
struct stop_stack {
        int32_t tid;
        uint64_t time_ns;
        struct deep_stack copy;
        size_t size_bytes;       /* size of the copy */
        struct stop_stack *next; /* taken later */
};

/* A thread that was reaped by the watching thread for the tracer. */
struct stop_ended {
        int32_t tid;
        int status;
        struct rusage usage;
};

/* Processes that already run and are to be traced. */
struct stop_late {
        atomic_bool is_busy; /* processes wait to be traced */
        atomic_int pid;      /* the process that the tracer is trying to trace; 0 for none */
        int32_t *asked;      /* these and the following are under the lock */
        size_t n_asked, cap_asked;
        struct stop_ended *ended;
        size_t n_ended, cap_ended;
};

struct stop_watch;

struct stop_engine {
        struct stop_request request;
        struct perf_attr attr; /* of the events that stop */
        uint64_t period;       /* period of each sample; 0: what the event counted since the last one */
        pthread_t tracer;
        bool is_running;
        struct os_lock *lock;
        atomic_bool quits, has_ended;
        struct stop_late late;
        struct stop_watch *watch; /* NULL if descendants are not watched */
        struct err watch_error;   /* why `watch` is NULL */

        /* Used by the tracer. */
        struct map tasks;               /* tid to struct stop_task * */
        struct stop_process *processes; /* the list changes only under the lock */
        uint32_t n_images;
        struct map again;     /* pid that repeats its exec to its state */
        struct map ignoring;  /* tid that is about to ignore SIGTRAP to struct stop_ignore * */
        bool keeps_privilege; /* the kernel allows this process to trace privileged programs */
        struct os_lock *files_lock;
        struct map interpreters; /* hash of a file to NO or YES; under files_lock */

        /* Under `lock`. */
        bool is_on;
        struct buf samples;
        struct stop_stack *stacks, **stacks_end; /* in order of time */
        size_t stack_bytes;
        struct map spans;  /* pid to its newest struct stop_span * */
        uint64_t swept_ns; /* when old spans were last freed */
        struct map seen;   /* tid to struct stop_seen * */
        struct stop_counts counts;
        struct stop_names unprivileged; /* programs that may have run without their privilege */
        struct stop_names refused;      /* programs that could not be traced */
        bool child_ended;
        int child_status;
        struct rusage child_usage;

        /* Used by the reader. */
        struct map ids; /* ids of the ring's event */
};

/* --- stop_event.c: the event that stops --- */

struct perf_attr stop_event_attr(const struct perf_attr *ring);

/* The period of each sample; 0 if it has to be read. */
uint64_t stop_event_period(const struct perf_attr *attr);

/* Opens the event on a thread; threads that it creates inherit it. */
void stop_event_open(struct stop_engine *engine, struct stop_process *process, int32_t tid);
void stop_event_close(struct stop_engine *engine, struct stop_process *process);

/* What was counted since the last sample of the process. */
uint64_t stop_event_read_period(struct stop_process *process);

/* --- stop_task.c: traced processes and threads --- */

struct stop_task *stop_task_find(const struct stop_engine *engine, int32_t tid);

/* Adds a process, without threads. */
struct stop_process *stop_process_new(struct stop_engine *engine, int32_t pid);
struct stop_process *stop_process_find(const struct stop_engine *engine, int32_t pid);
struct stop_task *stop_task_new(struct stop_engine *engine, struct stop_process *process, int32_t tid);
void stop_task_free(struct stop_engine *engine, struct stop_task *task);

/* Also frees its threads. */
void stop_process_free(struct stop_engine *engine, struct stop_process *process);

/* --- stop_span.c: the ring's samples of traced processes --- */

void stop_span_begin(struct stop_engine *engine, int32_t pid);
void stop_span_end(struct stop_engine *engine, int32_t pid);

/* Whether a process is traced now. */
bool stop_span_is_open(struct stop_engine *engine, int32_t pid);
void stop_span_release(struct stop_engine *engine);

/* --- stop_seen.c: threads that block the signal --- */

/* Called when a thread begins, and when it has ended. */
void stop_seen_begin(struct stop_engine *engine, int32_t tid);
void stop_seen_end(struct stop_engine *engine, int32_t tid);

/* Called when the thread has stopped at `time_ns`; under the lock. False if it had blocked SIGTRAP until now,
 * because the ring's samples up to this time were kept. */
bool stop_seen_stop(struct stop_engine *engine, int32_t tid, uint64_t time_ns);

/* Whether a sample of the ring has to be kept because the thread blocks SIGTRAP; under the lock. */
bool stop_seen_keeps(struct stop_engine *engine, int32_t tid, uint64_t time_ns);
void stop_seen_release(struct stop_engine *engine);

/* --- stop_status.c: the status of a thread in /proc --- */

int32_t stop_status_pid(int32_t tid); /* the process of a thread; 0 if it has ended */
bool stop_status_runs(int32_t tid);   /* it exists and has not ended */
bool stop_status_may_trace(void);     /* this process has CAP_SYS_PTRACE */
bool stop_status_blocks(int32_t tid, int sig);
bool stop_status_ignores(int32_t tid, int sig);
bool stop_status_catches(int32_t tid, int sig);
bool stop_status_is_filtered(int32_t tid); /* it has a seccomp filter */

/* --- stop_interpreter.c --- */

/* Whether the program of a process is a Python interpreter. */
bool stop_interpreter_is(struct stop_engine *engine, int32_t pid);

/* --- stop_sample.c --- */

/* Takes the sample of a thread that is stopped at an overflow. */
void stop_sample_take(struct stop_engine *engine, struct stop_task *task);

/* --- stop_stack.c: stack copies that do not fit into records; all under the lock --- */

/* Adds a stack copy of `size` bytes. If too many copies wait, or `size` is 0, it has no bytes and is marked
 * as left out. */
struct stop_stack *stop_stack_new(struct stop_engine *engine, const struct stop_thread *thread, size_t size);
void stop_stack_release(struct stop_engine *engine);

/* --- stop_trace.c --- */

/* On failure sets errno. */
bool stop_trace_seize(int32_t tid);

/* Continues the thread, with a signal or 0. */
void stop_trace_go_on(struct stop_engine *engine, int32_t tid, int sig);
void stop_trace_let_go(int32_t tid);

/* Handles a result of wait4 and continues the thread. */
void stop_trace_see(struct stop_engine *engine, int32_t tid, int status, const struct rusage *usage);

/* --- stop_again.c: privileged programs --- */

enum stop_privilege {
        STOP_NO_PRIVILEGE,
        STOP_PRIVILEGE,    /* it lost its privilege because it is traced */
        STOP_NOT_READABLE, /* its file can't be checked; it may have lost a privilege */
};

/* Checks the program that a process has just executed. */
enum stop_privilege stop_again_privilege(const struct stop_engine *engine, int32_t pid);

/* Makes the process execute the program again and detaches it. */
void stop_again_begin(struct stop_engine *engine, int32_t pid);

/* stop_again_is: whether the process repeats its exec; stop_again_see: called when it stops at a system call;
 * stop_again_end: called when it has ended. */
bool stop_again_is(const struct stop_engine *engine, int32_t pid);
void stop_again_see(struct stop_engine *engine, int32_t pid);
void stop_again_end(struct stop_engine *engine, int32_t pid);

/* Finds an instruction that makes a system call; 0 if there is none. */
uint64_t stop_again_find_call(int32_t pid, uint64_t vdso);

/* --- stop_names.c --- */

/* Adds the name of a process's program to a list of the engine. */
void stop_names_add(struct stop_engine *engine, struct stop_names *names, int32_t pid);

/* Counts a process that can't be traced, and adds the name of its program. */
void stop_names_refuse(struct stop_engine *engine, int32_t pid);

/* --- stop_ignore.c: protects the program from SIGTRAP if the recorder is killed --- */

/* Called at a stop of the event: if not done yet, makes the process ignore the signal. The thread's system
 * calls stop then. */
void stop_ignore_begin(struct stop_engine *engine, struct stop_task *task);
bool stop_ignore_is(const struct stop_engine *engine, int32_t tid);
bool stop_ignore_is_any(const struct stop_engine *engine);

/* stop_ignore_see: called when the thread stops at a system call; stop_ignore_end: called when it has
 * ended. */
void stop_ignore_see(struct stop_engine *engine, int32_t tid);
void stop_ignore_end(struct stop_engine *engine, int32_t tid);
void stop_ignore_release(struct stop_engine *engine);

/* --- stop_late.c: tracing processes that already run --- */

/* For any thread: asks the tracer to trace a process, if it is not traced yet. */
void stop_late_ask(struct stop_engine *engine, int32_t pid);
bool stop_late_is_busy(struct stop_engine *engine);

/* For the tracer: traces the processes that were asked for. */
void stop_late_seize(struct stop_engine *engine);
bool stop_late_next_ended(struct stop_engine *engine, struct stop_ended *ret);

/* For the watching thread: reaps threads of the process that the tracer has been trying to trace for a
 * while. */
void stop_late_reap(struct stop_engine *engine);

/* --- stop_watch.c: descendants --- */

/* Watches the descendants of the command, on a thread of its own. */
struct stop_watch *stop_watch_new(struct stop_engine *engine, struct err *err);
void stop_watch_wake(const struct stop_watch *watch);

/* Waits for the thread; call after the tracer has ended. */
void stop_watch_end(struct stop_watch *watch);
void stop_watch_free(struct stop_watch *watch);

/* --- stop_engine.c --- */

/* Interrupts the tracer's wait. Has no effect if the wait has not begun yet; then repeat it. */
void stop_engine_wake(struct stop_engine *engine);

/* Starts a thread that receives no signals except the one that wakes it. Returns 0 or an errno. */
int stop_engine_start_thread(pthread_t *ret_thread, void *(*run)(void *), void *arg);

#endif
