/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting with perf_event_open: finds the targets, starts and stops counting, and waits. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "linux_count.h"
#include "mem.h"
#include "os.h"

/* Without pidfds, check for ended targets this often. */
enum { BLIND_NS = 1000000 };

struct counting {
        struct count_request request;
        struct child child;
        int32_t *tids; /* the command, or the threads of the processes */
        size_t n_tids;
        struct pollfd *ends; /* pidfd of the command or of each process; fd -1 if it has ended */
        size_t n_ends;
        bool blind; /* the kernel has no pidfd: poll for the end of targets */
        struct counted counted;
        struct rounds rounds;
        struct estimator estimator;
        struct record_sink sink;
        uint64_t on_since_ns; /* 0 while the counters are stopped */
        uint64_t on_ns;       /* how long they counted before on_since_ns */
        uint64_t end_ns;      /* end of the last target; 0 if one runs */
        uint64_t due_ns;      /* when to enable the counters; 0 for no delay */
        /* how long counting was disabled; off_since_ns is 0 while it is enabled */
        uint64_t off_since_ns, off_ns;
        bool wanted; /* enabled by the delay and by a controlling program */
        bool paused, over;
        bool listens; /* reads commands of a controlling program */
        bool stop_asked, stop_told;
        int stop_seen;
};

/* --- opening --- */

static bool attach(struct counting *c, struct err *err)
{
        for (size_t i = 0; i < c->request.target.n_pids; i++) {
                int32_t pid = c->request.target.pids[i];

                if (!c->child.pid) /* else the run ends with that command */
                        c->ends[c->n_ends++].fd = (int)syscall(SYS_pidfd_open, pid, 0);
                proc_threads(pid, &c->tids, &c->n_tids); /* nothing of one that has ended meanwhile */
        }
        return c->n_tids || !c->request.target.n_pids ||
               err_set(err, ERR_MISSING, "there is no process %" PRId32, c->request.target.pids[0]);
}

static bool start_command(struct counting *c, struct err *err)
{
        const struct count_request *r = &c->request;
        const struct spawned_command command = {target_command_argv(&r->target), r->target.cpus,
                                                r->target.argv ? r->target.n_cpus : 0,
                                                r->target.output_to_stderr};

        if (!command.argv)
                return true;
        if (!spawn_prepare(&c->child, &command, NULL, err))
                return false;
        c->ends[c->n_ends++].fd = c->child.pid_fd;
        if (!r->target.argv)
                return true;
        c->tids = mem_new(1, sizeof(*c->tids));
        c->tids[c->n_tids++] = c->child.pid;
        return true;
}

static bool find_targets(struct counting *c, struct err *err)
{
        /* Room for the command and for the control descriptor. */
        c->ends = mem_new(c->request.target.n_pids + 2, sizeof(*c->ends));
        if (!start_command(c, err) || !attach(c, err))
                return false;
        for (size_t i = 0; i < c->n_ends; i++) {
                c->ends[i].events = POLLIN;
                c->blind |= c->ends[i].fd < 0;
        }
        return true;
}

struct counting *counting_open(const struct count_request *request, struct err *err)
{
        AUTO(counting) c = mem_new(1, sizeof(*c));

        c->request = *request;
        if (request->target.argv)
                c->request.target.n_pids = 0;
        c->child = (struct child){.go_fd = -1, .error_fd = -1, .pid_fd = -1};
        if (!find_targets(c, err) || !counted_open(&c->request, c->tids, c->n_tids, &c->counted, err))
                return NULL;
        rounds_init(&c->rounds, &c->counted);
        estimator_init(&c->estimator, &c->child, &c->request, &c->counted);
        return TAKE(c);
}

void counting_free(struct counting *c)
{
        if (!c)
                return;
        /* The first one belongs to the command's struct child. */
        for (size_t i = c->child.pid ? 1 : 0; i < c->n_ends; i++) {
                if (c->ends[i].fd >= 0)
                        close(c->ends[i].fd);
        }
        spawn_release(&c->child);
        free(c->ends);
        free(c->tids);
        rounds_release(&c->rounds);
        estimator_release(&c->estimator);
        counted_release(&c->counted);
        free(c);
}

struct counting_event counting_get_event(const struct counting *c, size_t index)
{
        const struct counted_event *e = &c->counted.events[index];
        const char *estimate = NULL;

        assert(index < c->request.list->n_items);
        if (e->source != SOURCE_COUNTER)
                estimate = c->request.target.argv ? "wait4" : "/proc";
        return (struct counting_event){
                .attr = e->attr,
                .ids = e->ids,
                .n_ids = e->n_counters ? e->n_counters : 1,
                .refusal = e->refusal,
                .estimate = estimate,
        };
}

/* --- beginning --- */

static void start_counters(struct counting *c, bool also_at_exec)
{
        if (c->counted.estimates)
                estimator_count(&c->estimator, true);
        counted_enable(&c->counted, true, also_at_exec);
}

static void stop_counters(struct counting *c)
{
        counted_enable(&c->counted, false, true);
        if (c->counted.estimates)
                estimator_count(&c->estimator, false);
}

/* Starts or stops the counters as the flags require. Counted time ends with the last target. */
static void switch_counters(struct counting *c, bool also_at_exec)
{
        bool on = c->wanted && !c->paused && !c->over;
        uint64_t now_ns = c->end_ns ? c->end_ns : os_monotonic_ns();

        if (on == (c->on_since_ns > 0))
                return;
        if (on) {
                c->on_since_ns = now_ns;
                start_counters(c, also_at_exec);
                return;
        }
        if (now_ns > c->on_since_ns)
                c->on_ns += now_ns - c->on_since_ns;
        c->on_since_ns = 0;
        stop_counters(c);
}

bool counting_begin(struct counting *c, const struct record_sink *sink, struct err *err)
{
        assert(!c->sink.put && sink->put);
        c->sink = *sink;
        c->wanted = !c->request.target.delay_ns;
        c->off_since_ns = c->wanted ? 0 : os_monotonic_ns();
        c->listens = c->request.control;
        if (c->request.target.delay_ns && c->request.target.delay_ns != CONTROL_NEVER)
                c->due_ns = os_monotonic_ns() + c->request.target.delay_ns;
        switch_counters(c, false);
        if (c->child.pid && !spawn_go(&c->child, *target_command_argv(&c->request.target), err))
                return false;
        return rounds_put_maps(&c->rounds, &c->request, c->tids, c->n_tids, sink, err);
}

static void want(struct counting *c, bool wanted)
{
        uint64_t now_ns = os_monotonic_ns();

        c->due_ns = 0;
        if (wanted == c->wanted)
                return;
        if (wanted)
                c->off_ns += now_ns - c->off_since_ns;
        c->off_since_ns = wanted ? 0 : now_ns;
        c->wanted = wanted;
        switch_counters(c, true);
}

static void enable_when_due(struct counting *c)
{
        if (c->due_ns && os_monotonic_ns() >= c->due_ns)
                want(c, true);
}

void counting_pause(struct counting *c)
{
        assert(c->sink.put);
        c->paused = true;
        switch_counters(c, true);
}

void counting_resume(struct counting *c)
{
        assert(c->sink.put);
        c->paused = false;
        switch_counters(c, true);
}

/* --- control by another program --- */

static void obey(struct counting *c, const struct control_command *command)
{
        switch (command->word) {
        case CONTROL_ENABLE:
        case CONTROL_DISABLE:
                if (command->event)
                        control_warn(
                                c->request.control,
                                "'%.80s': stat can't switch single events; write enable or disable alone",
                                command->line);
                else
                        want(c, command->word == CONTROL_ENABLE);
                break;
        case CONTROL_EVLIST:
                for (size_t i = 0; i < c->request.list->n_items; i++)
                        control_tell(c->request.control, c->request.list->items[i].event.name);
                break;
        case CONTROL_STOP: c->stop_asked = true; break;
        case CONTROL_SNAPSHOT:
        case CONTROL_PING:
        case CONTROL_UNKNOWN: break;
        }
}

static void listen_to_control(struct counting *c)
{
        struct control_command command;

        if (!c->listens)
                return;
        control_read(c->request.control);
        while (control_next(c->request.control, &command)) {
                obey(c, &command);
                control_answer(c->request.control);
        }
        c->listens = !control_see_end(c->request.control, !c->wanted && !c->due_ns);
}

/* --- waiting --- */

/* Closes descriptors of ended targets. Reaps the command, so that its usage is known. */
static void see_ends(struct counting *c)
{
        for (size_t i = 0; i < c->n_ends; i++) {
                bool is_command = c->child.pid;

                if (c->ends[i].fd < 0 || !(c->ends[i].revents & POLLIN))
                        continue;
                if (is_command)
                        spawn_reap(&c->child, true);
                else
                        close(c->ends[i].fd);
                c->ends[i].fd = -1;
        }
}

static bool process_runs(int32_t pid)
{
        return !kill(pid, 0) || errno != ESRCH;
}

static bool targets_run(struct counting *c)
{
        if (!c->n_ends)
                return true;
        if (c->child.pid)
                return c->blind ? !spawn_reap(&c->child, false) : !c->child.ended;
        for (size_t i = 0; i < c->n_ends; i++) {
                if (c->ends[i].fd >= 0 || (c->blind && process_runs(c->request.target.pids[i])))
                        return true;
        }
        return false;
}

/* Sleeps until `until_ns` or until a target ends. Signals are blocked outside ppoll, so that a stop requested
 * after the caller's last check also ends the sleep. False if a stop was requested. */
static bool sleep_until(struct counting *c, uint64_t until_ns)
{
        uint64_t now_ns = os_monotonic_ns(), left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
        struct timespec timeout;
        sigset_t stops, before;
        size_t n_fds = c->n_ends;
        int stop, n = -1;

        if (c->blind && left_ns > BLIND_NS)
                left_ns = BLIND_NS;
        if (c->listens)
                c->ends[n_fds++] = (struct pollfd){.fd = control_fd(c->request.control), .events = POLLIN};
        timeout = (struct timespec){(time_t)(left_ns / 1000000000u), (long)(left_ns % 1000000000u)};
        sigemptyset(&stops);
        sigaddset(&stops, SIGINT);
        sigaddset(&stops, SIGTERM);
        sigaddset(&stops, SIGHUP);
        sigprocmask(SIG_BLOCK, &stops, &before);
        stop = os_stop_requested();
        if (stop == c->stop_seen) {
                /* The default timer slack is 50 us; setting 0 restores the default. */
                prctl(PR_SET_TIMERSLACK, 1UL);
                n = ppoll(c->ends, n_fds, &timeout, &before);
                prctl(PR_SET_TIMERSLACK, 0UL);
        }
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (n > 0)
                see_ends(c);
        stop = os_stop_requested();
        if (n < 0 && stop) {
                c->stop_seen = stop;
                return false;
        }
        return true;
}

bool counting_wait(struct counting *c, uint64_t timeout_ns)
{
        uint64_t now_ns = os_monotonic_ns();
        uint64_t deadline_ns = timeout_ns < UINT64_MAX - now_ns ? now_ns + timeout_ns : UINT64_MAX;

        assert(c->sink.put);
        for (;;) {
                uint64_t until_ns = deadline_ns;
                bool stopped;

                enable_when_due(c);
                if (c->due_ns && c->due_ns < until_ns)
                        until_ns = c->due_ns;
                stopped = !sleep_until(c, until_ns);
                listen_to_control(c);
                if (!targets_run(c)) {
                        if (!c->end_ns)
                                c->end_ns = os_monotonic_ns();
                        return false;
                }
                if (stopped || c->stop_asked > c->stop_told || os_monotonic_ns() >= deadline_ns) {
                        c->stop_told = c->stop_asked;
                        enable_when_due(c);
                        return true;
                }
        }
}

/* --- reading and the end --- */

static uint64_t elapsed_ns(const struct counting *c)
{
        uint64_t now_ns = c->end_ns ? c->end_ns : os_monotonic_ns();

        return c->on_ns + (c->on_since_ns && now_ns > c->on_since_ns ? now_ns - c->on_since_ns : 0);
}

bool counting_read(struct counting *c, bool last, struct err *err)
{
        uint64_t time_ns = elapsed_ns(c);

        assert(c->sink.put);
        rounds_read(&c->rounds, &c->estimator, time_ns);
        return rounds_put(&c->rounds, &c->sink, last, time_ns, err);
}

void counting_end(struct counting *c)
{
        if (c->over)
                return;
        c->over = true;
        switch_counters(c, true);
        if (!c->wanted)
                c->off_ns += os_monotonic_ns() - c->off_since_ns;
}

bool counting_has_period(void)
{
        return false;
}

void counting_stop_command(struct counting *c, bool force)
{
        spawn_kill(&c->child, force ? SIGKILL : SIGTERM);
}

bool counting_command_runs(struct counting *c)
{
        return c->child.pid && !spawn_reap(&c->child, false);
}

struct counting_result counting_get_result(struct counting *c)
{
        struct counting_result result = {
                .command_ended = c->child.pid && c->child.ended,
                .off_ns = c->off_ns,
                .stop_asked = c->stop_asked,
        };

        if (result.command_ended) {
                result.exit_status = spawn_exit_status(&c->child);
        }
        if (result.command_ended && c->request.target.argv) {
                result.user_ns = c->child.user_ns;
                result.kernel_ns = c->child.kernel_ns;
        }
        return result;
}
