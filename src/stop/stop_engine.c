/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine's thread, which waits for all stops, and its public functions. */
#include "stop_engine.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "mem.h"
#include "os.h"
#include "stop_internal.h"

/* Interrupts a wait of the tracer; ignored by default. */
enum { WAKE_SIGNAL = SIGURG };

/* At the end, wait this often, 1 ms each, for threads that are about to ignore SIGTRAP. */
enum { MOST_WOKEN = 100 };

struct start {
        struct stop_engine *engine;
        sem_t is_done;
        int error; /* of PTRACE_SEIZE */
};

static void run_tracer(struct stop_engine *e)
{
        struct rusage usage;
        int status;
        unsigned n_woken = 0;

        while (!atomic_load(&e->quits) || (stop_ignore_is_any(e) && n_woken++ < MOST_WOKEN)) {
                pid_t tid = wait4(-1, &status, __WALL, &usage);

                if (tid > 0)
                        stop_trace_see(e, tid, status, &usage);
                else if (errno != EINTR)
                        break; /* there are no more children */
                stop_late_seize(e);
        }
}

/* When this thread ends, the kernel detaches all threads and would deliver the event's signal to those that
 * are stopped, so they are continued first. A thread that is about to stop does so within a moment. */
static void let_stops_go_on(struct stop_engine *e)
{
        const struct timespec moment = {.tv_nsec = 1000000};
        struct rusage usage;
        int status;
        pid_t tid;

        for (int is_again = 0; is_again < 2 && e->processes; is_again++) {
                if (is_again)
                        nanosleep(&moment, NULL);
                while ((tid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0)
                        stop_trace_see(e, tid, status, &usage);
        }
}

static void *tracer_main(void *arg)
{
        struct start *start = arg;
        struct stop_engine *e = start->engine;
        int32_t pid = e->request.child->pid;
        bool ok = stop_trace_seize(pid);

        start->error = ok ? 0 : errno;
        if (ok)
                stop_task_new(e, stop_process_new(e, pid), pid);
        sem_post(&start->is_done);
        if (ok)
                run_tracer(e);
        for (struct stop_process *p = e->processes; p; p = p->next) {
                stop_event_close(e, p);
                stop_span_end(e, p->pid);
        }
        if (ok)
                let_stops_go_on(e);
        atomic_store(&e->has_ended, true);
        return NULL;
}

static void be_woken(int sig)
{
        (void)sig;
}

/* Signals that end the run must reach the thread that waits for them, so this thread blocks them. */
int stop_engine_start_thread(pthread_t *ret_thread, void *(*run)(void *), void *arg)
{
        const struct sigaction action = {.sa_handler = be_woken};
        sigset_t all, before;
        int error;

        sigaction(WAKE_SIGNAL, &action, NULL);
        sigfillset(&all);
        sigdelset(&all, WAKE_SIGNAL);
        /* Each stop sends SIGCHLD. The kernel drops an ignored signal only if this thread does not block it;
         * else it would wake another thread for it, which doubles the cost for the program. */
        sigdelset(&all, SIGCHLD);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        error = pthread_create(ret_thread, NULL, run, arg);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return error;
}

void stop_engine_wake(struct stop_engine *e)
{
        if (!atomic_load(&e->has_ended))
                pthread_kill(e->tracer, WAKE_SIGNAL);
}

/* Returns 0 or an errno. */
static int start_tracer(struct stop_engine *e)
{
        struct start start = {.engine = e};
        int error;

        sem_init(&start.is_done, 0, 0);
        error = stop_engine_start_thread(&e->tracer, tracer_main, &start);
        if (!error) {
                while (sem_wait(&start.is_done))
                        ;
                error = start.error;
                if (error)
                        pthread_join(e->tracer, NULL);
        }
        sem_destroy(&start.is_done);
        return error;
}

/* Whether the kernel supports and allows such events. */
static int try_event(const struct perf_attr *attr, int32_t pid)
{
        struct perf_attr off = *attr;
        int fd;

        off.flags |= PERF_ATTR_DISABLED;
        fd = linux_event_open(&off, pid, -1, -1);
        if (fd < 0)
                return errno;
        close(fd);
        return 0;
}

static bool say_why(int event_error, int trace_error, struct err *err)
{
        if (event_error == EINVAL || event_error == EOPNOTSUPP)
                return err_set(err, ERR_UNSUPPORTED,
                               "this kernel has no events that stop a thread; they need Linux 5.13 or later");
        if (event_error)
                return err_os(err, ERR_DENIED, event_error,
                              "the kernel refuses an event that stops a thread");
        return err_os(err, ERR_DENIED, trace_error,
                      "the kernel refuses to trace the command (ptrace; see kernel.yama.ptrace_scope)");
}

struct stop_engine *stop_engine_open(const struct stop_request *request, struct err *err)
{
        AUTO(stop_engine) e = mem_new(1, sizeof(*e));
        int event_error, trace_error;

        e->request = *request;
        e->attr = stop_event_attr(&request->event->attr);
        e->period = stop_event_period(&e->attr);
        e->is_on = request->is_on;
        e->keeps_privilege = stop_status_may_trace();
        e->lock = os_lock_new();
        e->files_lock = os_lock_new();
        for (size_t i = 0; i < request->event->n_ids; i++)
                *map_put(&e->ids, request->event->ids[i], NULL) = 1;
        event_error = try_event(&e->attr, request->child->pid);
        trace_error = event_error ? 0 : start_tracer(e);
        if (event_error || trace_error) {
                say_why(event_error, trace_error, err);
                return NULL;
        }
        e->is_running = true;
        e->watch = stop_watch_new(e, &e->watch_error);
        return TAKE(e);
}

/* A signal that arrives before the tracer waits has no effect, so it is sent until the tracer has ended. */
static void end_tracer(struct stop_engine *e)
{
        const struct timespec a_while = {.tv_nsec = 1000000};

        atomic_store(&e->quits, true);
        while (!atomic_load(&e->has_ended)) {
                stop_engine_wake(e);
                nanosleep(&a_while, NULL);
        }
        pthread_join(e->tracer, NULL);
        if (e->watch)
                stop_watch_end(e->watch);
        e->is_running = false;
}

void stop_engine_end(struct stop_engine *e, struct child *child)
{
        if (e->is_running)
                end_tracer(e);
        stop_engine_reap(e, child);
}

static void free_processes(struct stop_engine *e)
{
        while (e->processes)
                stop_process_free(e, e->processes);
        map_release(&e->tasks);
}

void stop_engine_free(struct stop_engine *e)
{
        if (!e)
                return;
        if (e->is_running)
                end_tracer(e);
        free_processes(e);
        stop_span_release(e);
        stop_seen_release(e);
        map_release(&e->interpreters);
        map_release(&e->ids);
        map_release(&e->again);
        stop_ignore_release(e);
        buf_release(&e->samples);
        stop_stack_release(e);
        free(e->late.asked);
        free(e->late.ended);
        stop_watch_free(e->watch);
        os_lock_free(e->lock);
        os_lock_free(e->files_lock);
        free(e);
}

bool stop_engine_reap(struct stop_engine *e, struct child *child)
{
        bool ended;

        os_lock_enter(e->lock);
        ended = e->child_ended;
        if (ended && !child->ended)
                spawn_take_status(child, e->child_status, &e->child_usage);
        os_lock_leave(e->lock);
        return ended;
}

const char *stop_engine_watch_note(const struct stop_engine *e)
{
        return e->watch ? "" : e->watch_error.text;
}

struct stop_counts stop_engine_counts(struct stop_engine *e)
{
        struct stop_counts counts;

        os_lock_enter(e->lock);
        counts = e->counts;
        os_lock_leave(e->lock);
        return counts;
}
