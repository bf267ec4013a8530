/* SPDX-License-Identifier: BSD-3-Clause */
/* The guardian's thread that makes all ptrace calls and waits for all stops. */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "os.h"
#include "stop_internal.h"

/* Interrupts a wait of the tracer. */
enum { WAKE_SIGNAL = SIGURG };

/* While masks are to be read, the tracer is woken this often. */
enum { READING_PERIOD_NS = 150000 };

/* The signals of a timer with a very short period would leave the tracer no time. */
enum { LEAST_AGAIN_NS = 150000 };

/* At the end, between two looks at threads that are not clear. */
enum { LONGEST_PAUSE_MS = 50 };

int stop_tracer_overrun_signal(void)
{
        return SIGRTMIN + 1;
}

int stop_tracer_wake_signal(void)
{
        return WAKE_SIGNAL;
}

bool stop_tracer_gets(int fd, int sig)
{
        struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid)};

        return !fcntl(fd, F_SETSIG, sig) && !fcntl(fd, F_SETOWN_EX, &owner) && !fcntl(fd, F_SETFL, O_ASYNC);
}

static void be_woken(int sig)
{
        (void)sig;
}

int stop_tracer_start_thread(pthread_t *ret_thread, void *(*run)(void *), void *arg)
{
        sigset_t all, before;
        int error;

        sigfillset(&all);
        sigdelset(&all, WAKE_SIGNAL);
        sigdelset(&all, stop_tracer_overrun_signal());
        /* Each stop sends SIGCHLD. The kernel drops an ignored signal only if this thread does not block it;
         * else it would wake another thread for it, which doubles the cost for the program. */
        sigdelset(&all, SIGCHLD);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        error = pthread_create(ret_thread, NULL, run, arg);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return error;
}

/* --- the thread --- */

struct start {
        struct stop_guardian *guardian;
        sem_t is_done;
        int error; /* of PTRACE_SEIZE */
};

/* A timer that wakes the tracer from time to time while masks are to be read or threads should have
 * stopped: a signal that comes before the wait begins has no effect. */
struct alarm {
        timer_t timer;
        bool exists;
        uint64_t period_ns; /* 0: it is not set */
};

static void alarm_init(struct alarm *alarm)
{
        struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WAKE_SIGNAL};

        event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
        alarm->exists = !timer_create(CLOCK_MONOTONIC, &event, &alarm->timer);
}

static void alarm_set(struct alarm *alarm, uint64_t period_ns, bool again)
{
        const uint64_t again_ns = period_ns && period_ns < LEAST_AGAIN_NS ? LEAST_AGAIN_NS : period_ns;
        const struct timespec period = {(time_t)(period_ns / NS_PER_S), (long)(period_ns % NS_PER_S)};
        const struct timespec later = {(time_t)(again_ns / NS_PER_S), (long)(again_ns % NS_PER_S)};
        const struct itimerspec every = {later, period};

        if (!alarm->exists || (period_ns == alarm->period_ns && !again))
                return;
        timer_settime(alarm->timer, 0, &every, NULL);
        alarm->period_ns = period_ns;
}

static void set_alarm(const struct stop_guardian *g, struct alarm *alarm)
{
        const uint64_t waits_ns[] = {stop_steady_wait_ns(g), stop_restart_wait_ns(g), stop_pace_wait_ns(g)};
        uint64_t wait_ns = 0;

        for (size_t i = 0; i < N_ELEMENTS(waits_ns); i++) {
                if (waits_ns[i] && (!wait_ns || waits_ns[i] < wait_ns))
                        wait_ns = waits_ns[i];
        }
        if (atomic_load(&g->has_readings))
                alarm_set(alarm, READING_PERIOD_NS, false);
        else
                alarm_set(alarm, wait_ns, wait_ns);
}

/* Less if a signal comes. */
static void wait_ms(int ms)
{
        const struct timespec time = {.tv_nsec = ms * 1000000};

        nanosleep(&time, NULL);
}

static void trace(struct stop_guardian *g, struct alarm *alarm)
{
        struct rusage usage;
        int status;

        while (!atomic_load(&g->quits)) {
                pid_t tid = wait4(-1, &status, __WALL, &usage);

                if (tid > 0)
                        stop_trace_see(g, tid, status, &usage);
                else if (errno != EINTR && !g->attach)
                        break; /* there are no more children */
                else if (errno != EINTR)
                        wait_ms(LONGEST_PAUSE_MS);
                stop_late_seize(g);
                stop_switch_drain(g);
                stop_restart_look(g);
                stop_steady_look(g);
                stop_mask_read_due(g);
                stop_pace_look(g, tid <= 0);
                set_alarm(g, alarm);
        }
        atomic_store(&g->has_noticed, true);
}

static void see_stops_now(struct stop_guardian *g)
{
        struct rusage usage;
        int status;
        pid_t tid;

        stop_late_see_ended(g);
        while ((tid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0)
                stop_trace_see(g, tid, status, &usage);
}

/* A thread that stops goes on at once. */
static void wait_for_stop(struct stop_guardian *g, struct alarm *alarm, uint64_t longest_ms)
{
        struct rusage usage;
        int status;
        pid_t tid = -1;

        errno = ENOSYS;
        alarm_set(alarm, longest_ms * NS_PER_MS, true);
        if (alarm->exists)
                tid = wait4(-1, &status, __WALL, &usage);
        if (tid > 0)
                stop_trace_see(g, tid, status, &usage);
        else if (errno != EINTR)
                wait_ms((int)longest_ms); /* there is no alarm, or no child */
}

/* When this thread ends, the kernel ends the tracing and delivers the event's signal to threads that are
 * stopped or about to stop. So it ends when none is. */
static void let_threads_go(struct stop_guardian *g, struct alarm *alarm)
{
        for (struct stop_process *p = g->processes; p; p = p->next) {
                stop_event_close_all(g, p);
                stop_process_tell_end(g, p->pid);
        }
        stop_mask_begin_end(g);
        see_stops_now(g);
        if (g->processes) {
                wait_ms(1);
                see_stops_now(g);
        }
        g->facts->counts.cpu_ns = linux_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
        atomic_store(&g->facts->is_done, true);
        /* A stopped job is not clear for as long as it is stopped. */
        for (uint64_t ms = 1; !stop_mask_is_clear(g) || g->deadlines.n || stop_pace_waits(g);
             ms += ms < LONGEST_PAUSE_MS) {
                uint64_t restart_ms = stop_restart_wait_ns(g) / NS_PER_MS;

                wait_for_stop(g, alarm, restart_ms && restart_ms < ms ? restart_ms : ms);
                stop_switch_drain(g);
                stop_restart_look(g);
                see_stops_now(g);
        }
}

static void *run_tracer(void *arg)
{
        struct start *start = arg;
        struct stop_guardian *g = start->guardian;
        struct alarm alarm = {0};
        bool ok = !g->command || stop_trace_seize(g->command);

        start->error = ok ? 0 : errno;
        /* Threads wait for it, and one that blocks SIGTRAP must lose its event before it looks for signals.
         * If its turn does not begin at once, it may begin when the running thread makes a call in which the
         * kernel looks at its scheduling, which it would then seem to be in too often. */
        g->pace.has_priority = own_thread_be_prompt();
        alarm_init(&alarm);
        if (g->command && ok)
                stop_task_new(g, stop_process_new(g, g->command), g->command);
        sem_post(&start->is_done);
        if (ok) {
                trace(g, &alarm);
                let_threads_go(g, &alarm);
        }
        if (alarm.exists)
                timer_delete(alarm.timer);
        atomic_store(&g->has_ended, true);
        return NULL;
}

/* --- for the guardian's first thread --- */

int stop_tracer_begin(struct stop_guardian *g)
{
        const struct sigaction action = {.sa_handler = be_woken};
        struct start start = {.guardian = g};
        int error;

        sigaction(WAKE_SIGNAL, &action, NULL);
        stop_mask_init();
        sem_init(&start.is_done, 0, 0);
        error = stop_tracer_start_thread(&g->tracer, run_tracer, &start);
        if (!error) {
                while (sem_wait(&start.is_done))
                        ;
                error = start.error;
                if (error)
                        pthread_join(g->tracer, NULL);
        }
        sem_destroy(&start.is_done);
        return error;
}

void stop_tracer_wake(struct stop_guardian *g)
{
        if (!atomic_load(&g->has_ended))
                pthread_kill(g->tracer, WAKE_SIGNAL);
}

/* A signal that arrives before the tracer waits has no effect, so it is sent until the tracer notices. */
void stop_tracer_end(struct stop_guardian *g)
{
        atomic_store(&g->quits, true);
        while (!atomic_load(&g->has_noticed)) {
                stop_tracer_wake(g);
                wait_ms(1);
        }
        pthread_join(g->tracer, NULL);
}
