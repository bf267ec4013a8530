/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the guardian. Everything is used only by its tracer, the thread that makes all
 * ptrace calls, except where a lock is mentioned: the kernel allows ptrace calls only in the thread that
 * traces. */
#ifndef STOP_INTERNAL_H
#define STOP_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "err.h"
#include "linux_events.h"
#include "linux_processes.h"
#include "map.h"
#include "stop_channel.h"
#include "stop_frames.h"
#include "stop_guardian.h"
#include "stop_thread.h"

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull

/* Numbers that are the same on all processors, for the headers of older systems (packages are built with
 * those of Debian 11). */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* How far the tracer is in taking a blocked SIGTRAP of its event out of a thread's queue. */
enum stop_taking { STOP_NOT_TAKING, STOP_WAITS_FOR_STOP, STOP_WAITS_FOR_SIGNAL };

/* A thread has left its CPU, to wait (or to be stopped) or because another one was to run, or got a CPU. */
enum stop_switch_kind { STOP_WAITS, STOP_PREEMPTED, STOP_RUNS };

struct stop_switch {
        uint64_t time_ns; /* CLOCK_MONOTONIC */
        uint8_t kind;     /* enum stop_switch_kind */
};

enum { STOP_KEPT_SWITCHES = 8 };

/* The last switches of a thread, oldest first. */
struct stop_switched {
        struct stop_switch last[STOP_KEPT_SWITCHES];
        size_t n;
};

/* A system call that was interrupted by a stop and begins anew. */
struct stop_restart {
        bool was_job_stop;     /* the last stop of the thread was a job's: its call returns EINTR, as without
                                  tracing */
        bool is_followed;      /* it has a deadline; the thread also stops when the call begins and ends */
        bool is_inside;        /* the followed call has begun */
        uint64_t continued_ns; /* when the thread was continued */
        uint64_t deadline_ns;
};

/* A system call that is made again for the rest of its bytes. */
struct stop_rest {
        bool is_moving, has_begun;
        int64_t n_moved; /* by the first call */
};

/* How a thread has run so far. */
struct stop_ran {
        uint64_t ran_ns, waited_ns; /* on a CPU, and for one */
        uint64_t n_runs;            /* how often it got one */
};

/* A thread that is stopped without an event (stop_pace.c). */
struct stop_paced {
        int schedstat_fd, stat_fd, sched_fd; /* -1: it is not stopped */
        struct stop_ran seen;                /* at the last look */
        uint64_t sampled_ns;                 /* its CPU time at its last sample */
        uint64_t weight_ns;                  /* its CPU time since then, at the sample that is taken */
        uint64_t quiet_ns;                   /* the first look since which it has not run; 0: it has */

        bool may_run;         /* it ran at the last look, as far as is known */
        bool is_asked;        /* it was interrupted, and has not stopped yet */
        bool may_have_forked; /* it has run since children were looked for */
        bool has_name;        /* the recorder knows its name */
};

/* A thread with less has so few samples that a late event changes its share. */
enum { STOP_MANY_SAMPLES = 32 };

/* A traced thread. */
struct stop_task {
        int32_t tid;
        struct stop_process *process;
        struct stop_task *next;          /* in the same process */
        uint64_t stack_start, stack_end; /* the mapping of its stack; 0 if unknown */
        uint64_t cpu_addr;               /* address of its CPU number (rseq); 0 if unknown */
        uint8_t n_asked_cpu;             /* attempts to find cpu_addr */
        int event_fd;                    /* the event that stops it; -1: it does not stop. Under the lock */
        int overrun_fd;                  /* stop_event.c; -1 for none. Under the lock */
        uint64_t counted;                /* count of the event at the last sample, if it is read */
        uint64_t first;         /* the event's period, until one was drawn at random and has ended; then 0 */
        bool is_drawn;          /* it was drawn */
        uint64_t first_from;    /* the event's count when that period began */
        uint8_t n_calls;        /* stop_saved.c: system calls that it may still make until it sets its mask */
        uint64_t stopped_ns;    /* its last sample, else when its event was opened */
        unsigned n_blocked;     /* readings in a row that found SIGTRAP blocked */
        uint8_t n_unblocked;    /* the same for a thread without an event that does not block it */
        uint64_t first_blocked; /* the event's count at the first of them */
        uint8_t n_in_time;      /* stops in a row that came in time; stop_steady.c */
        bool is_steady;         /* its overrun event is disabled. Under the lock */
        uint8_t n_samples;      /* at most STOP_MANY_SAMPLES */
        bool was_blocked;       /* it has lost an event, or got none, because it blocked SIGTRAP */
        bool is_kept;           /* the recorder was told that it does not stop */
        bool is_counted;        /* why it does not stop was counted once */
        bool is_new;            /* its mask was not read since its start */
        bool has_own_trap;      /* the SIGTRAP in its queue is not of our event */
        uint8_t taking;         /* enum stop_taking */
        uint64_t mask;          /* its signal mask, while STOP_WAITS_FOR_SIGNAL */
        uint64_t ran_ns;        /* at the end: its CPU time when the events were closed */
        struct stop_switched switched;
        struct stop_restart restart;
        struct stop_rest rest;
        struct stop_paced paced;
};

/* Whether it is known where the C library keeps the mask of a new thread. */
enum stop_saved_place { STOP_SAVED_NOT_SEARCHED, STOP_SAVED_FOUND, STOP_SAVED_NOWHERE };

/* A traced process. */
struct stop_process {
        int32_t pid;
        uint32_t image;
        bool is_hidden;  /* its memory can't be read any more; it has no events, and the ring samples it */
        int *switch_fds; /* stop_switch.c; NULL for none. Set under the lock */
        size_t n_switch_fds;
        uint8_t saved;            /* enum stop_saved_place */
        bool has_blocked;         /* a thread of it blocked SIGTRAP */
        bool has_short;           /* most of its threads have ended with few samples */
        uint32_t n_short, n_long; /* threads that ended with few samples, and with many */
        uint64_t saved_off;       /* from the thread pointer to the mask of a new thread */
        struct stop_task *tasks;  /* the list changes only under the lock */
        struct stop_process *next;

        /* stop_records.c: what the recorder knows of a process that has no events. */
        struct proc_maps maps;
        uint64_t maps_ns; /* when they were read; 0: not yet */
        uint64_t maps_pause_ns;
        uint64_t n_pages; /* size of the memory then */
        bool has_python;  /* it may run an interpreter */
};

/* The rings into which the kernel writes switches. */
struct stop_switches {
        uint32_t *cpus;
        size_t n_cpus;
        int *ring_fds; /* NULL: no event was opened yet; -1: the CPU has no ring */
        struct ring *rings;
};

/* Threads in calls that have begun anew and that have a deadline. */
struct stop_deadlines {
        int32_t *tids;
        size_t n, cap;
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

/* A thread whose signal mask is to be read. */
struct stop_reading {
        int32_t tid;
        uint64_t due_ns;
};

/* Threads that run all the time. */
enum { STOP_MAX_STEADY = 64 };

struct stop_steady {
        int32_t tids[STOP_MAX_STEADY];
        size_t n;
};

/* A process forked by a traced process. */
struct stop_fork {
        int32_t pid, parent;
        uint64_t due_ns;   /* next check */
        uint64_t pause_ns; /* time before that */
        uint64_t used_ns;  /* its CPU time at the last check */
};

struct stop_forks {
        struct stop_fork *items;
        size_t n, cap;
};

/* Threads that are stopped without events. */
struct stop_pace {
        uint64_t due_ns;    /* the next look */
        uint64_t wanted_ns; /* between two looks, at least */
        uint64_t mean_ns;   /* the same, as the cost allows */
        bool has_priority;  /* the tracer waits for no ordinary thread */
        uint64_t prompt_ns; /* how late a look may begin that stops a thread */
        uint64_t cost_ns;   /* CPU time of a look and of the stops that follow, on average */
        uint64_t used_ns;   /* CPU time at the last look */
        uint64_t spent_ns;  /* CPU time since then, without that for threads that have events */
        size_t n_tasks;
        uint64_t began_ns; /* the last look */
        bool was_on;
        int own_fd;     /* what the scheduler writes of the tracer */
        int pinned_cpu; /* where the tracer has to run; -1: anywhere */
        int32_t *tids;  /* threads that have run since the last look */
        size_t n, cap;
        struct stop_forks forks;
        struct map seen_forks; /* pids */
        uint64_t forks_ns;     /* when to look for them */
};

struct stop_watch;

struct stop_guardian {
        struct stop_start start;
        int socket;
        struct stop_channel *channel;
        struct stop_facts *facts;    /* in the channel */
        const struct target *attach; /* NULL: the command is traced */
        pid_t recorder;
        pid_t command; /* 0 for none */
        struct command_end *command_end;
        struct perf_attr attr;    /* of the events that stop */
        struct perf_attr overrun; /* of the events that tell that a thread did not stop */
        uint64_t period;          /* period of each sample; 0: what the event counted since the last one */
        uint64_t n_drawn;         /* random numbers */
        pthread_t tracer;
        struct os_lock *lock;
        atomic_bool quits, has_noticed, has_ended;
        struct stop_late late;
        struct stop_watch *watch; /* NULL if descendants are not watched */
        bool is_tracing;

        /* Used by the tracer. */
        struct map tasks;               /* tid to struct stop_task * */
        struct stop_process *processes; /* the list changes only under the lock */
        uint32_t n_images;
        struct map again;     /* pid that repeats its exec to its state */
        bool keeps_privilege; /* the kernel allows this process to trace privileged programs */
        struct os_lock *files_lock;
        struct map interpreters; /* hash of a file to NO or YES; under files_lock */
        struct map overruns;     /* overrun_fd to tid */
        struct stop_steady steady;
        struct stop_switches switches;
        struct stop_deadlines deadlines;
        struct stop_pace pace;
        struct synth synth; /* records for the recorder */
        struct stop_binaries *binaries;
        struct stop_frames *frames;
        struct buf record; /* of the sample that is taken */
        struct buf deep;   /* a stack that does not fit into it */
        int32_t record_tid;
        uint64_t record_ns;

        /* Under `lock`. */
        bool is_on;
        struct stop_reading *readings;
        size_t n_readings, cap_readings;
        atomic_bool has_readings;
};

/* --- stop_event.c: events that stop --- */

struct perf_attr stop_event_attr(const struct perf_attr *ring);

/* The error, 0 for none, of opening such an event of a process; 0 is this process. */
int stop_event_try(const struct perf_attr *attr, int32_t pid);

/* The event that overflows when a thread has run past a stop. */
struct perf_attr stop_event_overrun_attr(const struct perf_attr *stopping);

/* The period of each sample; 0 if it has to be read. */
uint64_t stop_event_period(const struct perf_attr *attr);

/* Opens the event of a thread; other threads do not inherit it. Its first period is drawn at random, so
 * that threads that are shorter than a period have their share of samples. For a thread that may block
 * SIGTRAP soon and look for signals, the second is. False and errno if the kernel refuses, or tracing is to
 * end. */
bool stop_event_open(struct stop_guardian *guardian, struct stop_task *task, bool may_block_soon);

/* Opens the thread's overrun event, or begins its period anew. */
void stop_event_expect(struct stop_guardian *guardian, struct stop_task *task);
void stop_event_close(struct stop_guardian *guardian, struct stop_task *task);
void stop_event_close_all(struct stop_guardian *guardian, struct stop_process *process);

/* Called at each stop of the event. False if the stop is no sample: the kernel repeats a period when it
 * ends while the thread is in the kernel, also one that was drawn at random. */
bool stop_event_is_due(struct stop_guardian *guardian, struct stop_task *task);

/* What the thread's event has counted, and whether it has run for some moments since it had counted
 * `before`. */
uint64_t stop_event_count(const struct stop_task *task);
bool stop_event_has_run(const struct stop_task *task, uint64_t before, unsigned moments);

/* What was counted since the last sample of the thread. */
uint64_t stop_event_read_period(struct stop_task *task);

/* Enables or disables all events; for any thread. */
void stop_event_switch(struct stop_guardian *guardian, bool on);

/* --- stop_steady.c: threads that run all the time --- */

/* Called at each stop of the event; `before_ns` is the time of the one before. Begins the overrun event's
 * period anew, or disables that event. */
void stop_steady_see_stop(struct stop_guardian *guardian, struct stop_task *task, uint64_t before_ns);

/* Enables the overrun events of threads that have not stopped for too long, and asks for their masks. */
void stop_steady_look(struct stop_guardian *guardian);

/* The time after which it should be called again; 0: any. */
uint64_t stop_steady_wait_ns(const struct stop_guardian *guardian);

/* --- stop_mask.c: threads that block SIGTRAP --- */

/* Gives a thread its event, unless it blocks SIGTRAP: at once to a process at its exec and to a thread at
 * its start, if its mask is known then, else a little later; and to a thread that runs already. The first
 * returns false if the kernel refuses the event. */
bool stop_mask_at_exec(struct stop_guardian *guardian, struct stop_task *task);
void stop_mask_at_clone(struct stop_guardian *guardian, struct stop_task *task);

/* Called when a thread with n_calls > 0 stops at a system call. */
void stop_mask_at_call(struct stop_guardian *guardian, struct stop_task *task);
void stop_mask_at_seize(struct stop_guardian *guardian, struct stop_task *task);

/* Called when a thread has ended that is not the last one. */
void stop_mask_at_end(struct stop_task *task);

/* Called at each stop of the event; `before_ns` is the time of the one before. */
void stop_mask_at_stop(struct stop_guardian *guardian, struct stop_task *task, uint64_t before_ns);

/* Called at stops of a thread whose `taking` is not STOP_NOT_TAKING. False if the stop has another reason. */
bool stop_mask_take_out(struct stop_guardian *guardian, struct stop_task *task, int sig, bool is_signal);

/* For any thread: asks the tracer to read the mask of a thread. */
void stop_mask_ask(struct stop_guardian *guardian, int32_t tid, uint64_t due_ns);

/* Reads the masks that are due, and of threads that have run past a stop. */
void stop_mask_read_due(struct stop_guardian *guardian);

/* At the end, when all events are closed: true if no thread has a SIGTRAP of its event any more, or may
 * still get one. Takes out those that are blocked. */
bool stop_mask_is_clear(struct stop_guardian *guardian);

/* Called once before. */
void stop_mask_begin_end(struct stop_guardian *guardian);

/* Sets the signal handler of overrun events; for the tracer. */
void stop_mask_init(void);

/* --- stop_switch.c: when threads began to wait --- */

/* Opens and closes the events of a process, which may have been opened before. Without them nothing is
 * known of its threads. */
void stop_switch_begin(struct stop_guardian *guardian, struct stop_process *process);
void stop_switch_end(struct stop_guardian *guardian, struct stop_process *process);

/* For any thread: the process is traced and has none. */
bool stop_switch_is_wanted(struct stop_guardian *guardian, int32_t pid);

/* Takes what the kernel has written until now into the tasks. */
void stop_switch_drain(struct stop_guardian *guardian);
void stop_switch_add(struct stop_switched *switched, enum stop_switch_kind kind, uint64_t time_ns);

/* When the wait began that the thread's stop has interrupted; the last switch must be the stop. If the
 * thread has run for more than `most_run_ns` before the stop, it did not wait in this call: the time of the
 * stop. 0 if it is not known. */
uint64_t stop_switch_began_ns(const struct stop_switched *switched, uint64_t most_run_ns);

/* How often the thread has left its CPU since then, but for preemptions; at most STOP_KEPT_SWITCHES are
 * known. */
size_t stop_switch_n_waits(const struct stop_switched *switched, uint64_t since_ns);

/* --- stop_restart.c: system calls that a stop interrupts --- */

/* What the thread does after its stop. */
enum stop_next {
        STOP_GOES_ON,   /* it receives no signal, or one */
        STOP_JOB_STOPS, /* it remains stopped, as without tracing */
};

/* Called before a stopped thread goes on with `sig`, 0 for none. */
void stop_restart_see(struct stop_guardian *guardian, struct stop_task *task, enum stop_next next, int sig);

/* Called when the thread stops because a call that is followed begins or ends. */
void stop_restart_see_call(struct stop_guardian *guardian, struct stop_task *task);

/* Where a stopped thread stands. */
enum stop_standing {
        STOP_IN_CODE,          /* its own code was interrupted, or can't be told from a call */
        STOP_IN_CALL,          /* a system call has ended */
        STOP_IN_BROKEN_CALL,   /* a system call that waited was interrupted */
        STOP_STANDING_UNKNOWN, /* it was killed, or has other registers */
};

enum stop_standing stop_restart_standing(int32_t tid);

/* The thread has to stop when its call begins and ends. */
bool stop_restart_follows(const struct stop_task *task);

/* Interrupts threads whose deadline is over. */
void stop_restart_look(struct stop_guardian *guardian);

/* For a thread that is stopped and was not waiting until just before: its call, if the stop has interrupted
 * one, begins anew. stop_restart_can_once: whether that can be done on this machine. */
bool stop_restart_can_once(void);
void stop_restart_once(int32_t tid);

/* Time until it should be called again; 0: any. */
uint64_t stop_restart_wait_ns(const struct stop_guardian *guardian);
/* --- stop_pace.c: samples without events --- */

/* Sets the pace; call before there are processes. */
void stop_pace_begin(struct stop_guardian *guardian);

/* The thread is stopped from now on. False if the kernel does not tell when it runs, or samples have no
 * weight in time. */
bool stop_pace_add(struct stop_guardian *guardian, struct stop_task *task);

/* It has ended, or has got an event. */
void stop_pace_drop(struct stop_guardian *guardian, struct stop_task *task);
bool stop_pace_has(const struct stop_task *task);

/* Looks which threads run, if it is time. Interrupts one of them if a timer has woken the tracer: a stop of a
 * thread is no random moment. */
void stop_pace_look(struct stop_guardian *guardian, bool is_woken);

/* Called when an interrupted thread stops: takes its sample. `is_job`: it stops with its job. */
void stop_pace_see(struct stop_guardian *guardian, struct stop_task *task, bool is_job);

/* Time until stop_pace_look should be called again; 0: any. */
uint64_t stop_pace_wait_ns(const struct stop_guardian *guardian);

/* Whether an interrupted thread has not stopped yet, or has to move the rest of a call's bytes. */
bool stop_pace_waits(const struct stop_guardian *guardian);

/* At a stop: since when the thread has waited, at the latest; 0: not known. */
uint64_t stop_pace_quiet_ns(const struct stop_task *task);

/* --- stop_rest.c: calls that were interrupted in the middle --- */

/* At the stop of an interrupted thread, which then has to stop when its call begins and ends; the second
 * function is called at both. */
void stop_rest_begin(struct stop_task *task);
void stop_rest_see_call(struct stop_task *task);
bool stop_rest_moves(const struct stop_task *task);

/* --- stop_records.c: records of processes, which the kernel writes only for events --- */

void stop_records_begin(struct stop_guardian *guardian);

/* A process executes a program. */
void stop_records_exec(struct stop_guardian *guardian, int32_t pid);

/* Call before the sample of a stopped thread: its name, and code that was mapped since the last one. */
void stop_records_see(struct stop_guardian *guardian, struct stop_task *task, uint64_t pc);
void stop_records_end(struct stop_guardian *guardian, struct stop_process *process);

/* --- stop_call.c: system calls of a thread that is stopped at one --- */

struct stop_call {
        uint64_t number, args[2];
};

/* False if the call does not begin, but returns. */
bool stop_call_read(int32_t tid, struct stop_call *ret);

/* Whether it replaces the signal mask, by the one at args[1]. */
bool stop_call_sets_mask(const struct stop_call *call);

/* Reads what an argument leads to; false for NULL, or if a part can't be read. */
bool stop_call_read_memory(int32_t tid, uint64_t addr, void *ret, size_t size);

/* --- stop_saved.c: the signal mask with which a new thread begins --- */

enum stop_saved { STOP_SAVED_NOT_KNOWN, STOP_SAVED_OPEN, STOP_SAVED_BLOCKS };

/* Whether a new thread, at its first stop, is going to block SIGTRAP. If that is not known, its next system
 * calls may tell (task->n_calls > 0); the second function is called at each of their stops. */
enum stop_saved stop_saved_at_clone(struct stop_task *task);
enum stop_saved stop_saved_at_call(struct stop_task *task);

/* --- stop_task.c: traced processes and threads --- */

struct stop_task *stop_task_find(const struct stop_guardian *guardian, int32_t tid);

/* Adds a process, without threads. */
struct stop_process *stop_process_new(struct stop_guardian *guardian, int32_t pid);
struct stop_process *stop_process_find(const struct stop_guardian *guardian, int32_t pid);
struct stop_task *stop_task_new(struct stop_guardian *guardian, struct stop_process *process, int32_t tid);
void stop_task_free(struct stop_guardian *guardian, struct stop_task *task);

/* Also frees its threads. */
void stop_process_free(struct stop_guardian *guardian, struct stop_process *process);

/* For any thread. */
bool stop_process_is_traced(struct stop_guardian *guardian, int32_t pid);

/* The recorder drops the ring's samples of the process from now on, or no more. */
void stop_process_tell_begin(struct stop_guardian *guardian, int32_t pid);
void stop_process_tell_end(struct stop_guardian *guardian, int32_t pid);

/* --- stop_status.c: the status of a thread in /proc --- */

int32_t stop_status_tracer(int32_t tid);        /* the process that traces it; 0 for none */
int64_t stop_status_uid(int32_t pid);           /* its user (real uid); pid 0: this process. -1: not known */
uint32_t stop_status_cpu(int32_t tid);          /* on which it ran last; UINT32_MAX: not known */
bool stop_status_runs(int32_t tid);             /* it exists and has not ended */
bool stop_status_may_trace(void);               /* this process has CAP_SYS_PTRACE */
bool stop_status_has_filter(void);              /* a seccomp filter refuses calls of this process */
bool stop_status_handles(int32_t tid, int sig); /* its process has a handler for the signal */

struct stop_status {
        char state;              /* the letter in /proc; 0: the thread has ended */
        bool blocks, is_pending; /* SIGTRAP, of the thread itself */
        bool blocks_internal;    /* also signals that only the C library blocks, for a moment */
};

struct stop_status stop_status_read(int32_t tid);
uint64_t stop_status_ran_ns(int32_t tid); /* CPU time; 0 if it has ended or is not known */

/* --- stop_interpreter.c --- */

/* Whether the program of a process is a Python interpreter. */
bool stop_interpreter_is(struct stop_guardian *guardian, int32_t pid);

/* --- stop_sample.c --- */

/* The attr.sig_data of our events, by which their signals are known. */
enum { STOP_SIG_DATA = 0x77706572 };

/* Copies what the sample of a thread that is stopped at an overflow needs. */
void stop_sample_take(struct stop_guardian *guardian, struct stop_task *task);

/* The thread pointer of a stopped thread; 0 if it was killed. */
uint64_t stop_sample_tls(int32_t tid);

/* Fills regs, tls and stack_addr of a stopped thread, whose tid is set. */
bool stop_sample_read_regs(struct stop_thread *ret);

/* Gives the sample to the recorder; the thread may run. */
void stop_sample_give(struct stop_guardian *guardian);

/* --- stop_trace.c --- */

/* On failure sets errno. */
bool stop_trace_seize(int32_t tid);

/* Whether a signal comes from an event of the guardian. */
bool stop_trace_is_ours(const siginfo_t *info);

/* Continues the thread, with a signal or 0. */
void stop_trace_go_on(struct stop_guardian *guardian, int32_t tid, int sig);
void stop_trace_let_go(int32_t tid);

/* Handles a result of wait4 and continues the thread. */
void stop_trace_see(struct stop_guardian *guardian, int32_t tid, int status, const struct rusage *usage);

/* --- stop_again.c: privileged programs --- */

enum stop_privilege {
        STOP_NO_PRIVILEGE,
        STOP_PRIVILEGE,    /* it lost its privilege because it is traced */
        STOP_NOT_READABLE, /* its file can't be checked; it may have lost a privilege */
};

/* Checks the program that a process has just executed. */
enum stop_privilege stop_again_privilege(const struct stop_guardian *guardian, int32_t pid);

/* Makes the process execute the program again and detaches it. */
void stop_again_begin(struct stop_guardian *guardian, int32_t pid);

/* stop_again_is: whether the process repeats its exec; stop_again_see: called when it stops at a system call;
 * stop_again_end: called when it has ended. */
bool stop_again_is(const struct stop_guardian *guardian, int32_t pid);
void stop_again_see(struct stop_guardian *guardian, int32_t pid);
void stop_again_end(struct stop_guardian *guardian, int32_t pid);

/* --- stop_names.c --- */

/* Adds the name of a process's program to a list. */
void stop_names_add(struct stop_names *names, int32_t pid);

/* --- stop_refusal.c --- */

/* Counts a process that can't be traced, adds the name of its program, and notes why. */
void stop_refusal_note(struct stop_guardian *guardian, int32_t pid);

/* --- stop_late.c: tracing processes that already run --- */

/* For any thread: asks the tracer to trace a process, or, if it is traced already, to begin stop_switch.c
 * for it. */
void stop_late_ask(struct stop_guardian *guardian, int32_t pid);

/* The same for the interpreters among guardian->attach. */
void stop_late_ask_all(struct stop_guardian *guardian);
bool stop_late_is_busy(struct stop_guardian *guardian);

/* For the tracer: traces the processes that were asked for. */
void stop_late_seize(struct stop_guardian *guardian);

/* Handles the ends of threads that the watching thread has reaped. */
void stop_late_see_ended(struct stop_guardian *guardian);

/* For the watching thread: reaps threads of the process that the tracer has been trying to trace for a
 * while. */
void stop_late_reap(struct stop_guardian *guardian);

/* --- stop_forks.c: children that may be traced soon --- */

void stop_forks_add(struct stop_forks *forks, int32_t pid, int32_t parent);
void stop_forks_drop(struct stop_forks *forks, int32_t pid);
bool stop_forks_have(const struct stop_forks *forks, int32_t pid);
void stop_forks_release(struct stop_forks *forks);

/* Asks the tracer to trace those that have run long enough, and drops them. */
void stop_forks_look(struct stop_guardian *guardian, struct stop_forks *forks);

/* When to look again; UINT64_MAX: none waits. */
uint64_t stop_forks_due_ns(const struct stop_forks *forks);

/* --- stop_watch.c: descendants --- */

/* Watches the descendants of the command or of guardian->attach, on a thread of its own. */
struct stop_watch *stop_watch_new(struct stop_guardian *guardian, struct err *err);

/* Waits for the thread; call after the tracer has ended. */
void stop_watch_end(struct stop_watch *watch);
void stop_watch_free(struct stop_watch *watch);

/* --- stop_tracer.c --- */

/* Starts the tracer, which traces the command. Returns 0 or an errno. */
int stop_tracer_begin(struct stop_guardian *guardian);

/* Makes the tracer end the tracing; returns when it has. */
void stop_tracer_end(struct stop_guardian *guardian);

/* Interrupts the tracer's wait. Has no effect if the wait has not begun yet; then repeat it. */
void stop_tracer_wake(struct stop_guardian *guardian);

/* The signal that the kernel sends the tracer for an overrun event. */
int stop_tracer_overrun_signal(void);

/* The signal that interrupts the tracer's wait. */
int stop_tracer_wake_signal(void);

/* For the tracer: makes the kernel send it the signal when the event wakes its reader. False if it
 * refuses. */
bool stop_tracer_gets(int event_fd, int sig);

/* Starts a thread of the guardian, which receives no signals but those for the tracer. Returns 0 or an
 * errno. */
int stop_tracer_start_thread(pthread_t *ret_thread, void *(*run)(void *), void *arg);

#endif
