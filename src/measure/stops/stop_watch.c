/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds interpreters among the descendants of the command, which start untraced: a dummy event that they
 * inherit reports forks and execs. After an exec the program is checked at once; a fork is looked at by
 * stop_forks.c. The tracer does the tracing. Meanwhile, this thread reaps threads that the tracer can't wait
 * for. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "mem.h"
#include "os.h"
#include "stop_internal.h"

enum {
        RING_BYTES = 32768, /* for about 200 short processes */
        STORM_PAUSE_MS = 1, /* pause in which the records of many processes accumulate */
        STORM_WAKEUPS = 12, /* after this many wakeups in quick succession, start to pause */
        BUSY_WAIT_MS = 1,   /* while the tracer has work to do */
        STUCK_MS = 5,       /* after this time, a process that is being traced may wait to be reaped */
};

struct stop_watch {
        struct stop_guardian *guardian;
        pthread_t thread;
        int wake_fd;
        int *fds; /* event descriptors, one for each CPU */
        struct ring *rings;
        size_t n;
        struct joined {
                int fd, ring_fd;
        } * more; /* of more tasks; their records come by the ring of the CPU */
        size_t n_more, cap_more;
        struct buf records;
        struct stop_forks forks;
        uint64_t woken_ns; /* last time that records woke the thread */
        unsigned n_woken;  /* wakeups in quick succession */
        bool sees_all;     /* the events see all processes, of which these are watched: */
        struct map members;
};

/* --- records --- */

static struct perf_attr watch_attr(void)
{
        struct perf_attr attr = linux_attr_dummy().attr;

        attr.size = sizeof(attr);
        attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
        attr.flags |= PERF_ATTR_INHERIT | PERF_ATTR_TASK | PERF_ATTR_COMM | PERF_ATTR_COMM_EXEC |
                      PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_WATERMARK | PERF_ATTR_USE_CLOCKID;
        attr.clockid = PERF_CLOCK_MONOTONIC;
        attr.wakeup = 1; /* in bytes: records other than samples do not count towards wakeup_events */
        return attr;
}

static void see_fork(struct stop_watch *w, const struct record_task *task)
{
        if (task->pid != task->ppid &&
            (stop_process_is_traced(w->guardian, task->ppid) || stop_forks_have(&w->forks, task->ppid)))
                stop_forks_add(&w->forks, task->pid, task->ppid);
        if (task->pid != task->ppid && stop_switch_is_wanted(w->guardian, task->ppid))
                stop_late_ask(w->guardian, task->ppid);
        if (w->sees_all && task->pid != task->ppid && map_find(&w->members, (uint64_t)task->ppid))
                *map_put(&w->members, (uint64_t)task->pid, NULL) = 1;
}

static void see_end(struct stop_watch *w, int32_t pid)
{
        stop_forks_drop(&w->forks, pid);
        if (w->sees_all)
                map_remove(&w->members, (uint64_t)pid);
}

static void see_exec(struct stop_watch *w, int32_t pid)
{
        stop_forks_drop(&w->forks, pid);
        if (w->sees_all && !map_find(&w->members, (uint64_t)pid))
                return;
        if (!stop_process_is_traced(w->guardian, pid) && stop_interpreter_is(w->guardian, pid))
                stop_late_ask(w->guardian, pid);
}

static void see_record(struct stop_watch *w, const struct perf_header *header, struct cursor record)
{
        struct record_task task;
        struct record_comm comm;

        switch (header->type) {
        case PERF_RECORD_FORK:
                if (record_task_parse(record, &task))
                        see_fork(w, &task);
                break;
        case PERF_RECORD_EXIT:
                if (record_task_parse(record, &task) && task.pid == task.tid)
                        see_end(w, task.pid);
                break;
        case PERF_RECORD_COMM:
                if (header->misc & PERF_MISC_COMM_EXEC && record_comm_parse(record, &comm))
                        see_exec(w, comm.pid);
                break;
        default: break;
        }
}

static void read_rings(struct stop_watch *w)
{
        struct cursor all, record;
        struct perf_header header;

        buf_clear(&w->records);
        for (size_t i = 0; i < w->n; i++)
                ring_drain(&w->rings[i], &w->records);
        all = cursor_make(w->records.data, w->records.len);
        while (record_next(&all, &header, &record))
                see_record(w, &header, record);
}

/* --- waiting --- */

/* UINT64_MAX: no limit. */
static uint64_t wait_ns(const struct stop_watch *w)
{
        uint64_t now_ns = os_monotonic_ns(), due_ns = stop_forks_due_ns(&w->forks);

        if (stop_late_is_busy(w->guardian))
                return BUSY_WAIT_MS * NS_PER_MS;
        if (due_ns == UINT64_MAX)
                return UINT64_MAX;
        return due_ns > now_ns ? due_ns - now_ns : 0;
}

static int wait_for_records(const struct stop_watch *w, struct pollfd *fds)
{
        uint64_t longest_ns = wait_ns(w);
        const struct timespec time = {(time_t)(longest_ns / NS_PER_S), (long)(longest_ns % NS_PER_S)};

        return ppoll(fds, w->n + 1, longest_ns == UINT64_MAX ? NULL : &time, NULL);
}

/* --- the thread --- */

/* PTRACE_SEIZE waits for an exec of its target to finish. The exec waits until the other threads of the
 * target are reaped, which only the tracing process can do. */
static void help_tracer(struct stop_guardian *g, uint64_t *busy_since_ns)
{
        uint64_t now_ns = os_monotonic_ns();

        if (!stop_late_is_busy(g)) {
                *busy_since_ns = 0;
                return;
        }
        *busy_since_ns = *busy_since_ns ? *busy_since_ns : now_ns;
        if (now_ns - *busy_since_ns > STUCK_MS * 1000000ull)
                stop_late_reap(g);
        stop_tracer_wake(g);
}

/* Each record wakes the thread, so that interpreters are found at once, but each wakeup costs time in the
 * process that caused it. If they come in quick succession, wait for several. */
static void pause_in_storm(struct stop_watch *w, struct pollfd *wake)
{
        uint64_t now_ns = os_monotonic_ns();

        if (now_ns - w->woken_ns < 2 * STORM_PAUSE_MS * 1000000ull)
                w->n_woken++;
        else
                w->n_woken = 0;
        w->woken_ns = now_ns;
        if (w->n_woken < STORM_WAKEUPS)
                return;
        poll(wake, 1, STORM_PAUSE_MS);
        w->woken_ns = os_monotonic_ns();
}

static void *watch_main(void *arg)
{
        struct stop_watch *w = arg;
        struct pollfd *fds = mem_new(w->n + 1, sizeof(*fds));
        uint64_t busy_since_ns = 0;

        for (size_t i = 0; i < w->n; i++)
                fds[i] = (struct pollfd){.fd = w->fds[i], .events = POLLIN};
        fds[w->n] = (struct pollfd){.fd = w->wake_fd, .events = POLLIN};
        while (!atomic_load(&w->guardian->has_ended)) {
                uint64_t n;

                if (wait_for_records(w, fds) > 0)
                        pause_in_storm(w, &fds[w->n]);
                /* A ring whose tasks have all ended returns POLLHUP forever. */
                for (size_t i = 0; i < w->n; i++)
                        fds[i].fd = fds[i].revents & ~POLLIN ? -1 : fds[i].fd;
                if (fds[w->n].revents && read(w->wake_fd, &n, sizeof(n)) < 0)
                        continue;
                read_rings(w);
                stop_forks_look(w->guardian, &w->forks);
                help_tracer(w->guardian, &busy_since_ns);
        }
        free(fds);
        return NULL;
}

/* The tasks whose descendants are watched, for linux_event_open. */
static int32_t *watched_tasks(const struct stop_guardian *g, size_t *ret_n)
{
        int32_t *tids = NULL, one = g->attach ? linux_event_everybody(g->attach) : g->command;
        bool has_pids = g->attach && !g->attach->system_wide;
        size_t n = 0, cap = 0;

        for (size_t i = 0; has_pids && i < g->attach->n_pids; i++)
                proc_threads(g->attach->pids[i], &tids, &n);
        if (!has_pids)
                ARRAY_PUSH(tids, n, cap, one);
        *ret_n = n;
        return tids;
}

/* Of each CPU the first event has the ring; those of other tasks, in order of CPUs, write to it. Returns 0 or
 * an errno. */
static int open_on_cpu(struct stop_watch *w, int32_t cpu, const int32_t *tids, size_t n_tids)
{
        const struct perf_attr attr = watch_attr();
        int first = -1, error = 0;

        for (size_t i = 0; i < n_tids; i++) {
                int fd = linux_event_open(&attr, tids[i], cpu, -1);

                if (fd < 0) {
                        error = errno;
                } else if (first < 0) {
                        first = w->fds[w->n++] = fd;
                } else {
                        ARRAY_PUSH(w->more, w->n_more, w->cap_more, ((struct joined){fd, first}));
                }
        }
        return first < 0 ? error : 0;
}

/* Returns 0 or an errno. */
static int open_on_cpus(struct stop_watch *w, const uint32_t *cpus, size_t n_cpus)
{
        static const int32_t everybody = -1;
        size_t n_tids;
        int32_t *tids = watched_tasks(w->guardian, &n_tids);
        int error = 0;

        /* For many threads, as sampling_opener decides for the ring's events. */
        w->sees_all = n_tids > n_cpus && linux_may_sample_all();
        for (size_t i = 0; i < n_cpus; i++) {
                int e = open_on_cpu(w, (int32_t)cpus[i], w->sees_all ? &everybody : tids,
                                    w->sees_all ? 1 : n_tids);

                error = e ? e : error;
        }
        for (size_t i = 0; w->sees_all && i < w->guardian->attach->n_pids; i++)
                *map_put(&w->members, (uint64_t)w->guardian->attach->pids[i], NULL) = 1;
        free(tids);
        return error;
}

static bool open_events(struct stop_watch *w, struct err *err)
{
        size_t bytes = RING_BYTES, n_cpus;
        uint32_t *cpus = machine_cpus(NULL, 0, false, &n_cpus, err);
        int error;

        if (!cpus)
                return false;
        w->fds = mem_new(n_cpus, sizeof(*w->fds));
        error = open_on_cpus(w, cpus, n_cpus);
        free(cpus);
        if (!w->n)
                return err_os(err, ERR_DENIED, error, "can't open an event that reports forks");
        w->rings = mem_new(w->n, sizeof(*w->rings));
        if (!rings_open(w->rings, w->fds, w->n, &bytes, err))
                return false;
        for (size_t i = 0; i < w->n_more; i++)
                ioctl(w->more[i].fd, IOC_SET_OUTPUT, w->more[i].ring_fd);
        return true;
}

static void close_rings(struct stop_watch *w)
{
        for (size_t i = 0; i < w->n_more; i++)
                close(w->more[i].fd);
        for (size_t i = 0; i < w->n; i++) {
                if (w->rings)
                        ring_close(&w->rings[i]);
                close(w->fds[i]);
        }
}

struct stop_watch *stop_watch_new(struct stop_guardian *guardian, struct err *err)
{
        struct stop_watch *w = mem_new(1, sizeof(*w));
        int error = 0;

        w->guardian = guardian;
        w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (open_events(w, err) && !(error = stop_tracer_start_thread(&w->thread, watch_main, w)))
                return w;
        if (error)
                err_os(err, ERR_LIMIT, error, "can't start a thread");
        close_rings(w);
        stop_watch_free(w);
        return NULL;
}

void stop_watch_end(struct stop_watch *w)
{
        const uint64_t one = 1;

        while (write(w->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
                ;
        pthread_join(w->thread, NULL);
        close_rings(w);
}

void stop_watch_free(struct stop_watch *w)
{
        if (!w)
                return;
        close(w->wake_fd);
        free(w->fds);
        free(w->rings);
        free(w->more);
        stop_forks_release(&w->forks);
        buf_release(&w->records);
        map_release(&w->members);
        free(w);
}
