/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples without events, which containers and hardened kernels refuse. At random moments around a pace the
 * tracer wakes on a CPU that traced threads use, and interrupts the one that it has taken the CPU from, which
 * stands where the timer found it: the kernel has the same time for the end of its turn and the beginning of
 * the tracer's. A thread on another CPU would go on until the interrupt has come, and if it made a system
 * call before, it would stand there: a program with a call each 25 us had 67 % of its samples in it. And a
 * thread that was woken just now, perhaps by the same interrupt of the timer, would stand in the call in
 * which it slept. A sample stands for the CPU time of its thread since the thread's last one, so it does not
 * matter how many threads share the moments. A thread that begins to wait before it stops has no sample, and
 * its time is the next one's. The looks become rarer when they and the stops cost too much. */
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

enum {
        COST_PARTS = 80,         /* the guardian may use this part of the time of a CPU */
        MEAN_OF_COSTS = 8,       /* looks */
        MOST_TIMES = 4,          /* the mean, which one of them counts as */
        LEAST_PROMPT_NS = 50000, /* from the timer to a look that stops a thread, at most */
        MOST_PROMPT_NS = 500000,
        FIRST_COST_NS = 100000,
        MOST_MEAN_NS = 500000000,
        FORKS_NS = 5000000, /* between two searches for children */
        FORK_PARTS = 400,   /* of the time of a CPU, for such searches */
        MOST_SEEN_FORKS = 65536,
};

void stop_pace_begin(struct stop_guardian *g)
{
        g->pace = (struct stop_pace){.wanted_ns = stop_event_period(&g->start.attr),
                                     .cost_ns = FIRST_COST_NS,
                                     .own_fd = -1,
                                     .pinned_cpu = -1,
                                     .due_ns = os_monotonic_ns()};
}

/* --- one thread --- */

static int open_of(const struct stop_task *task, const char *name)
{
        char path[96];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32 "/%s", task->process->pid, task->tid,
                 name);
        return open(path, O_RDONLY | O_CLOEXEC);
}

static const char *read_again(int fd, char *text, size_t size)
{
        ssize_t n = fd >= 0 ? pread(fd, text, size - 1, 0) : -1;

        text[n > 0 ? n : 0] = '\0';
        return text;
}

static bool read_ran(const struct stop_task *task, struct stop_ran *ret)
{
        char text[96];

        return sscanf(read_again(task->paced.schedstat_fd, text, sizeof(text)),
                      "%" SCNu64 " %" SCNu64 " %" SCNu64, &ret->ran_ns, &ret->waited_ns, &ret->n_runs) == 3;
}

/* Whether it runs, or waits only for a CPU, and on which CPU it ran last; -1: not known. */
static bool is_running(const struct stop_task *task, int *ret_cpu)
{
        enum { CPU_FIELD = 37 }; /* counted from the one behind the name */
        char text[1024];
        const char *at = strrchr(read_again(task->paced.stat_fd, text, sizeof(text)), ')');
        bool runs = at && !strncmp(at, ") R", 3);

        for (int i = 0; i < CPU_FIELD && at; i++) {
                at = strchr(at, ' ');
                at = at ? at + 1 : NULL;
        }
        *ret_cpu = at ? (int)strtol(at, NULL, 10) : -1;
        return runs;
}

/* When the thread's turn on a CPU began, while it runs, or ended, as the kernel's scheduler writes it; 0 if
 * that does not tell. */
static uint64_t turn_of(int sched_fd)
{
        static const char key[] = "\nse.exec_start";
        char text[512];
        const char *at = strstr(read_again(sched_fd, text, sizeof(text)), key);
        uint64_t ms, ns;

        return at && sscanf(at + sizeof(key) - 1, " : %" SCNu64 ".%" SCNu64, &ms, &ns) == 2
                       ? ms * NS_PER_MS + ns
                       : 0;
}

/* Its samples have a weight in time. */
bool stop_pace_add(struct stop_guardian *g, struct stop_task *task)
{
        struct stop_paced *paced = &task->paced;

        if (atomic_load(&g->quits) || !linux_attr_is_clock(&g->start.attr))
                return false;
        if (paced->schedstat_fd >= 0)
                return true;
        paced->schedstat_fd = open_of(task, "schedstat");
        g->pace.n_tasks += paced->schedstat_fd >= 0;
        paced->stat_fd = open_of(task, "stat");
        paced->sched_fd = open_of(task, "sched");
        paced->may_run = true;
        if (!read_ran(task, &paced->seen)) {
                stop_pace_drop(g, task);
                return false;
        }
        paced->sampled_ns = paced->seen.ran_ns;
        return true;
}

void stop_pace_drop(struct stop_guardian *g, struct stop_task *task)
{
        int *const fds[] = {&task->paced.schedstat_fd, &task->paced.stat_fd, &task->paced.sched_fd};

        g->pace.n_tasks -= task->paced.schedstat_fd >= 0;
        for (size_t i = 0; i < N_ELEMENTS(fds); i++) {
                if (*fds[i] >= 0)
                        close(*fds[i]);
                *fds[i] = -1;
        }
}

bool stop_pace_has(const struct stop_task *task)
{
        return task->paced.schedstat_fd >= 0;
}

/* --- a look --- */

/* The kernel counts the time of a thread that runs only now and then, but at once that it got a CPU. So a
 * thread for which nothing has changed, and that did not run at the last look, has not run since. */
static void see_task(struct stop_guardian *g, struct stop_task *task)
{
        struct stop_pace *pace = &g->pace;
        struct stop_paced *paced = &task->paced;
        struct stop_ran now;
        bool has_changed;

        if (!read_ran(task, &now))
                return;
        has_changed = memcmp(&now, &paced->seen, sizeof(now)) != 0;
        paced->seen = now;
        if (!pace->was_on)
                paced->sampled_ns = now.ran_ns;
        if (!has_changed && !paced->may_run) {
                paced->quiet_ns = paced->quiet_ns ? paced->quiet_ns : pace->began_ns;
                return;
        }
        paced->quiet_ns = 0;
        paced->may_have_forked = paced->may_run = true;
        ARRAY_PUSH(pace->tids, pace->n, pace->cap, task->tid);
}

static void see_tasks(struct stop_guardian *g)
{
        g->pace.n = 0;
        for (struct stop_process *p = g->processes; p; p = p->next) {
                for (struct stop_task *task = p->tasks; task && !p->is_hidden; task = task->next)
                        see_task(g, task);
        }
}

static uint64_t draw(struct stop_guardian *g, uint64_t n)
{
        return map_mix(++g->n_drawn + map_mix(g->pace.began_ns)) % n;
}

/* Interrupts the thread whose turn ended when the tracer's began, if it is one of those that have run.
 * Without what the scheduler writes, one that runs or may run on this CPU. */
static void interrupt(struct stop_guardian *g, uint64_t turn)
{
        struct stop_pace *pace = &g->pace;
        size_t from = pace->n ? draw(g, pace->n) : 0;

        for (size_t i = 0; i < pace->n; i++) {
                struct stop_task *task = stop_task_find(g, pace->tids[(from + i) % pace->n]);
                bool is_it;
                int cpu;

                task->paced.may_run = is_running(task, &cpu);
                if (!task->paced.may_run)
                        continue;
                is_it = turn ? turn_of(task->paced.sched_fd) == turn : cpu == sched_getcpu();
                if (is_it && !task->paced.is_asked && !stop_rest_moves(task) &&
                    !ptrace(PTRACE_INTERRUPT, task->tid, NULL, NULL)) {
                        task->paced.is_asked = true;
                        return;
                }
        }
}

/* The next timer expires on the CPU of a thread that has run. */
static void go_to_next_cpu(struct stop_guardian *g)
{
        struct stop_pace *pace = &g->pace;
        const struct stop_task *task = pace->n ? stop_task_find(g, pace->tids[draw(g, pace->n)]) : NULL;
        cpu_set_t one;
        int cpu = -1;

        if (task)
                is_running(task, &cpu);
        if (cpu < 0 || cpu >= CPU_SETSIZE || cpu == pace->pinned_cpu)
                return;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (!sched_setaffinity(0, sizeof(one), &one))
                pace->pinned_cpu = cpu;
}

/* A cost that is out of the ordinary, as for code that is read for the first time, counts in parts. */
static void set_pace(struct stop_guardian *g)
{
        struct stop_pace *pace = &g->pace;
        uint64_t used_ns = linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID), least_ns;
        uint64_t cost_ns = g->start.is_paced ? used_ns - pace->used_ns : pace->spent_ns;

        if (pace->used_ns) {
                cost_ns = cost_ns < MOST_TIMES * pace->cost_ns ? cost_ns : MOST_TIMES * pace->cost_ns;
                pace->cost_ns = (pace->cost_ns * (MEAN_OF_COSTS - 1) + cost_ns) / MEAN_OF_COSTS;
        }
        pace->used_ns = used_ns;
        pace->spent_ns = 0;
        least_ns = pace->cost_ns * COST_PARTS;
        pace->mean_ns = least_ns > pace->wanted_ns ? least_ns : pace->wanted_ns;
        if (pace->mean_ns > MOST_MEAN_NS)
                pace->mean_ns = MOST_MEAN_NS;
}

/* From half of the mean to one and a half. */
static uint64_t random_ns(struct stop_guardian *g)
{
        return g->pace.mean_ns / 2 + draw(g, g->pace.mean_ns);
}

/* --- children --- */

static void see_child(struct stop_guardian *g, int32_t pid, int32_t parent)
{
        bool is_new;

        if (g->pace.seen_forks.n_used > MOST_SEEN_FORKS)
                map_release(&g->pace.seen_forks);
        if (stop_process_find(g, pid))
                return;
        map_put(&g->pace.seen_forks, (uint64_t)pid, &is_new);
        if (is_new)
                stop_forks_add(&g->pace.forks, pid, parent);
}

static void find_children(struct stop_guardian *g, int32_t pid, int32_t tid)
{
        char text[4096], path[96], *at = text, *end;
        int fd;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32 "/children", pid, tid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        read_again(fd, text, sizeof(text));
        if (fd >= 0)
                close(fd);
        for (long child; (child = strtol(at, &end, 10)) > 0 && end > at; at = end)
                see_child(g, (int32_t)child, pid);
}

/* Only a thread that has run can have forked. */
static void find_forks(struct stop_guardian *g)
{
        const struct stop_forks *forks = &g->pace.forks;

        for (struct stop_process *p = g->processes; p; p = p->next) {
                for (struct stop_task *task = p->tasks; task; task = task->next) {
                        if (task->paced.may_have_forked)
                                find_children(g, p->pid, task->tid);
                        task->paced.may_have_forked = false;
                }
        }
        for (size_t i = 0, n = forks->n; i < n; i++)
                find_children(g, forks->items[i].pid, forks->items[i].pid);
}

/* The search is rare if there are many threads. */
static void see_forks(struct stop_guardian *g)
{
        struct stop_pace *pace = &g->pace;
        uint64_t before_ns;

        if (pace->began_ns >= pace->forks_ns) {
                before_ns = linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
                find_forks(g);
                pace->forks_ns = pace->began_ns + FORKS_NS +
                                 FORK_PARTS * (linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
        }
        stop_forks_look(g, &pace->forks);
}

/* --- for the tracer --- */

/* Without priority the tracer may have to wait until the scheduler looks again, which it also does in some
 * system calls. So a look that begins late stops nothing. On a slow machine most of them are late: the limit
 * grows until one of five is not. */
static bool see_delay(struct stop_pace *pace, uint64_t delay_ns)
{
        bool is_prompt = delay_ns < pace->prompt_ns;

        pace->prompt_ns += is_prompt ? -(pace->prompt_ns / 16) : pace->prompt_ns / 64;
        if (pace->prompt_ns < LEAST_PROMPT_NS)
                pace->prompt_ns = LEAST_PROMPT_NS;
        if (pace->prompt_ns > MOST_PROMPT_NS)
                pace->prompt_ns = MOST_PROMPT_NS;
        return is_prompt;
}

static void begin_look(struct stop_guardian *g, uint64_t now_ns, bool is_woken)
{
        struct stop_pace *pace = &g->pace;
        bool is_prompt = is_woken && (pace->has_priority || see_delay(pace, now_ns - pace->due_ns));
        uint64_t turn;

        if (pace->own_fd < 0)
                pace->own_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
        turn = turn_of(pace->own_fd);
        pace->began_ns = now_ns;
        set_pace(g);
        pace->n = 0;
        if (g->is_on)
                see_tasks(g);
        pace->was_on = g->is_on;
        if (is_prompt)
                interrupt(g, turn);
        go_to_next_cpu(g); /* the interrupted thread may now run */
        if (g->start.is_paced)
                see_forks(g);
        g->facts->counts.n_looks++;
        pace->due_ns = now_ns + random_ns(g);
        pace->spent_ns += linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - pace->used_ns;
}

void stop_pace_look(struct stop_guardian *g, bool is_woken)
{
        uint64_t now_ns;

        if ((!g->start.is_paced && !g->pace.n_tasks) || atomic_load(&g->quits))
                return;
        now_ns = os_monotonic_ns();
        if (now_ns >= g->pace.due_ns)
                begin_look(g, now_ns, is_woken);
}

uint64_t stop_pace_wait_ns(const struct stop_guardian *g)
{
        enum { LEAST_NS = 1000 };
        uint64_t now_ns;

        if (!g->start.is_paced && !g->pace.n_tasks)
                return 0;
        now_ns = os_monotonic_ns();
        return g->pace.due_ns > now_ns + LEAST_NS ? g->pace.due_ns - now_ns : LEAST_NS;
}

bool stop_pace_waits(const struct stop_guardian *g)
{
        for (const struct stop_process *p = g->processes; p; p = p->next) {
                for (const struct stop_task *task = p->tasks; task; task = task->next) {
                        if (task->paced.is_asked || stop_rest_moves(task))
                                return true;
                }
        }
        return false;
}

uint64_t stop_pace_quiet_ns(const struct stop_task *task)
{
        struct stop_ran now;

        /* It got a CPU once, for the stop. */
        if (!task->paced.quiet_ns || !read_ran(task, &now) || now.n_runs > task->paced.seen.n_runs + 1)
                return 0;
        return task->paced.quiet_ns;
}

/* --- a stop --- */

/* The kernel has counted all of the thread's time only when its registers were read, as for `standing`. */
static void take_sample(struct stop_guardian *g, struct stop_task *task, enum stop_standing standing)
{
        struct stop_paced *paced = &task->paced;
        struct stop_ran now;

        if (!read_ran(task, &now) || now.ran_ns <= paced->sampled_ns)
                return;
        if (standing == STOP_STANDING_UNKNOWN || standing == STOP_IN_BROKEN_CALL) {
                g->facts->counts.n_repeats++;
                return;
        }
        paced->weight_ns = now.ran_ns - paced->sampled_ns;
        stop_sample_take(g, task);
        if (g->record.len)
                paced->sampled_ns = now.ran_ns;
}

void stop_pace_see(struct stop_guardian *g, struct stop_task *task, bool is_job)
{
        enum stop_standing standing = stop_restart_standing(task->tid);
        uint64_t before_ns = linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID);

        task->paced.is_asked = false;
        if (!is_job && !atomic_load(&g->quits))
                take_sample(g, task, standing);
        if (!is_job && standing == STOP_IN_CALL)
                stop_rest_begin(task);
        g->pace.spent_ns += linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
}
