/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples without events, which containers and hardened kernels refuse. At random moments around a pace the
 * tracer wakes on a CPU that traced threads use, and interrupts the one that it has taken the CPU from. That
 * one stands where the timer found it. On another CPU it would go on until the interrupt has come, and if it
 * makes a system call before, it stands there: a program with a call each 25 us had 67 % of its samples in
 * it. A sample stands for the CPU time of its thread since the thread's last one, so it does not matter how
 * many threads share the moments. A thread that waits is not interrupted; one that begins to wait in between
 * has no sample, and its time is the next one's. The looks become rarer when they and the stops cost too
 * much. */
#include <errno.h>
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
        COST_PARTS = 70,   /* the guardian may use this part of the time of a CPU */
        MEAN_OF_COSTS = 8, /* looks */
        FIRST_COST_NS = 100000,
        MOST_MEAN_NS = 500000000,
        PATIENCE_NS = 3000000,   /* for a thread to stop, before others are interrupted */
        QUEUE_SLACK_NS = 100000, /* a thread that waited longer for a CPU did so before the look */
        FORKS_NS = 5000000,      /* between two searches for children */
        MOST_SEEN_FORKS = 65536,
};

void stop_pace_begin(struct stop_guardian *g)
{
        g->pace = (struct stop_pace){.wanted_ns = stop_event_period(&g->start.attr),
                                     .cost_ns = FIRST_COST_NS,
                                     .next_cpu = -1,
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

void stop_pace_add(struct stop_guardian *g, struct stop_task *task)
{
        struct stop_paced *paced = &task->paced;

        if (paced->schedstat_fd >= 0 || atomic_load(&g->quits))
                return;
        paced->schedstat_fd = open_of(task, "schedstat");
        paced->stat_fd = open_of(task, "stat");
        paced->may_run = true;
        if (read_ran(task, &paced->seen))
                paced->sampled_ns = paced->seen.ran_ns;
        else
                g->facts->counts.n_not_opened++;
}

void stop_pace_drop(struct stop_task *task)
{
        if (task->paced.schedstat_fd >= 0)
                close(task->paced.schedstat_fd);
        if (task->paced.stat_fd >= 0)
                close(task->paced.stat_fd);
        task->paced.schedstat_fd = task->paced.stat_fd = -1;
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
        int cpu;

        if (!read_ran(task, &now))
                return;
        has_changed = memcmp(&now, &paced->seen, sizeof(now)) != 0;
        paced->seen = now;
        if (!g->pace.was_on)
                paced->sampled_ns = now.ran_ns;
        if (!has_changed && !paced->may_run) {
                paced->quiet_ns = paced->quiet_ns ? paced->quiet_ns : g->pace.began_ns;
                return;
        }
        paced->quiet_ns = 0;
        paced->may_have_forked = true;
        paced->may_run = is_running(task, &cpu);
        if (map_mix(++g->n_drawn + map_mix(pace->began_ns)) % ++pace->n_ran == 0)
                pace->next_cpu = cpu;
        if (paced->may_run && cpu == pace->cpu)
                ARRAY_PUSH(pace->tids, pace->n, pace->cap, task->tid);
}

static void see_tasks(struct stop_guardian *g)
{
        g->pace.n = g->pace.next = g->pace.n_ran = 0;
        g->pace.cpu = sched_getcpu();
        for (struct stop_process *p = g->processes; p; p = p->next) {
                for (struct stop_task *task = p->tasks; task && !p->is_hidden; task = task->next)
                        see_task(g, task);
        }
}

/* What is left over when the next look begins is not always the same. */
static void mix(struct stop_guardian *g)
{
        struct stop_pace *pace = &g->pace;

        for (size_t i = pace->n; i > 1; i--) {
                size_t other = map_mix(++g->n_drawn + map_mix(pace->began_ns)) % i;
                int32_t tid = pace->tids[i - 1];

                pace->tids[i - 1] = pace->tids[other];
                pace->tids[other] = tid;
        }
}

/* A cost that is out of the ordinary, as for code that is read for the first time, counts in parts. */
static void set_pace(struct stop_guardian *g)
{
        struct stop_pace *pace = &g->pace;
        uint64_t used_ns = linux_cpu_ns(CLOCK_THREAD_CPUTIME_ID), cost_ns = used_ns - pace->used_ns;
        uint64_t least_ns;

        if (pace->used_ns) {
                cost_ns = cost_ns < 2 * pace->cost_ns ? cost_ns : 2 * pace->cost_ns;
                pace->cost_ns = (pace->cost_ns * (MEAN_OF_COSTS - 1) + cost_ns) / MEAN_OF_COSTS;
        }
        pace->used_ns = used_ns;
        least_ns = pace->cost_ns * COST_PARTS;
        pace->mean_ns = least_ns > pace->wanted_ns ? least_ns : pace->wanted_ns;
        if (pace->mean_ns > MOST_MEAN_NS)
                pace->mean_ns = MOST_MEAN_NS;
}

/* From half of the mean to one and a half. */
static uint64_t random_ns(struct stop_guardian *g)
{
        uint64_t random = map_mix(++g->n_drawn + map_mix(g->pace.began_ns));

        return g->pace.mean_ns / 2 + random % g->pace.mean_ns;
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

/* Only a thread that has run can have forked. Children that are not traced yet may have children, too. */
static void see_forks(struct stop_guardian *g)
{
        struct stop_forks *forks = &g->pace.forks;

        if (g->pace.began_ns < g->pace.forks_ns + FORKS_NS)
                return;
        g->pace.forks_ns = g->pace.began_ns;
        for (struct stop_process *p = g->processes; p; p = p->next) {
                for (struct stop_task *task = p->tasks; task; task = task->next) {
                        if (task->paced.may_have_forked)
                                find_children(g, p->pid, task->tid);
                        task->paced.may_have_forked = false;
                }
        }
        for (size_t i = 0, n = forks->n; i < n; i++)
                find_children(g, forks->items[i].pid, forks->items[i].pid);
        stop_forks_look(g, forks);
}

/* --- interrupting --- */

/* Interrupts the next thread that still runs. */
static void ask_next(struct stop_guardian *g)
{
        struct stop_pace *pace = &g->pace;

        while (pace->next < pace->n && !pace->asked) {
                struct stop_task *task = stop_task_find(g, pace->tids[pace->next++]);
                int cpu;

                if (!task || task->paced.is_asked || task->process->is_hidden)
                        continue;
                task->paced.may_run = pace->next == 1 || is_running(task, &cpu);
                if (!task->paced.may_run || ptrace(PTRACE_INTERRUPT, task->tid, NULL, NULL))
                        continue;
                task->paced.is_asked = true;
                pace->asked = task->tid;
                pace->asked_ns = os_monotonic_ns();
        }
}

/* A thread that is in the kernel stops when it leaves it. */
static void lose_patience(struct stop_pace *pace, uint64_t now_ns)
{
        if (pace->asked && now_ns > pace->asked_ns + PATIENCE_NS)
                pace->asked = 0;
}

/* The next timer expires on this CPU, too. */
static void go_to_next_cpu(struct stop_pace *pace)
{
        cpu_set_t one;

        if (pace->next_cpu < 0 || pace->next_cpu >= CPU_SETSIZE || pace->next_cpu == pace->pinned_cpu)
                return;
        CPU_ZERO(&one);
        CPU_SET(pace->next_cpu, &one);
        if (!sched_setaffinity(0, sizeof(one), &one))
                pace->pinned_cpu = pace->next_cpu;
}

static void begin_look(struct stop_guardian *g, uint64_t now_ns)
{
        struct stop_pace *pace = &g->pace;

        pace->began_ns = now_ns;
        set_pace(g);
        if (g->is_on)
                see_tasks(g);
        pace->was_on = g->is_on;
        mix(g);
        see_forks(g);
        g->facts->counts.n_looks++;
        pace->due_ns = now_ns + random_ns(g);
}

void stop_pace_look(struct stop_guardian *g)
{
        uint64_t now_ns;

        if (!g->start.is_paced || atomic_load(&g->quits))
                return;
        now_ns = os_monotonic_ns();
        lose_patience(&g->pace, now_ns);
        if (now_ns >= g->pace.due_ns)
                begin_look(g, now_ns);
        ask_next(g);
        if (!g->pace.asked)
                go_to_next_cpu(&g->pace);
}

uint64_t stop_pace_wait_ns(const struct stop_guardian *g)
{
        enum { LEAST_NS = 1000 };
        uint64_t now_ns, due_ns = g->pace.due_ns;

        if (!g->start.is_paced)
                return 0;
        now_ns = os_monotonic_ns();
        if (g->pace.asked && g->pace.next < g->pace.n && g->pace.asked_ns + PATIENCE_NS < due_ns)
                due_ns = g->pace.asked_ns + PATIENCE_NS;
        return due_ns > now_ns + LEAST_NS ? due_ns - now_ns : LEAST_NS;
}

bool stop_pace_waits(const struct stop_guardian *g)
{
        for (const struct stop_process *p = g->processes; p; p = p->next) {
                for (const struct stop_task *task = p->tasks; task; task = task->next) {
                        if (task->paced.is_asked)
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

/* A thread that waits for a CPU after a system call has not used its time there. */
static bool has_queued(const struct stop_guardian *g, const struct stop_task *task,
                       const struct stop_ran *now)
{
        uint64_t queued_ns = now->waited_ns - task->paced.seen.waited_ns;

        return now->n_runs != task->paced.seen.n_runs &&
               queued_ns > os_monotonic_ns() - g->pace.began_ns + QUEUE_SLACK_NS;
}

void stop_pace_see(struct stop_guardian *g, struct stop_task *task, bool is_job)
{
        struct stop_paced *paced = &task->paced;
        enum stop_standing standing = stop_restart_standing(task->tid);
        struct stop_ran now;

        paced->is_asked = false;
        if (g->pace.asked == task->tid)
                g->pace.asked = 0;
        /* The kernel has counted all its time only when its registers were read. */
        if (is_job || atomic_load(&g->quits) || !read_ran(task, &now) || now.ran_ns <= paced->sampled_ns)
                return;
        if (standing == STOP_STANDING_UNKNOWN || standing == STOP_IN_BROKEN_CALL ||
            (standing == STOP_IN_CALL && has_queued(g, task, &now))) {
                g->facts->counts.n_repeats++;
                return;
        }
        paced->weight_ns = now.ran_ns - paced->sampled_ns;
        stop_sample_take(g, task);
        if (g->record.len)
                paced->sampled_ns = now.ran_ns;
}
