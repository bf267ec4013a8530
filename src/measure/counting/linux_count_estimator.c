/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts software events for users who may not open them, from data that every user can read: /proc while a
 * process runs, and wait4 after the command has ended. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux_count.h"
#include "mem.h"
#include "os.h"

enum { SMALL_LIMIT = 65536 };

static enum count_source source_of(uint64_t config)
{
        switch (config) {
        case PERF_COUNT_SW_CPU_CLOCK:
        case PERF_COUNT_SW_TASK_CLOCK: return SOURCE_CPU_TIME;
        case PERF_COUNT_SW_CONTEXT_SWITCHES: return SOURCE_SWITCHES;
        case PERF_COUNT_SW_PAGE_FAULTS: return SOURCE_FAULTS;
        case PERF_COUNT_SW_PAGE_FAULTS_MIN: return SOURCE_MINOR_FAULTS;
        case PERF_COUNT_SW_PAGE_FAULTS_MAJ: return SOURCE_MAJOR_FAULTS;
        default: return SOURCE_COUNTER;
        }
}

enum count_source count_source_instead(const struct count_request *request, const struct event *event,
                                       int error)
{
        bool refused = error == EACCES || error == EPERM || error == ENOSYS;
        /* For an attached process, nothing in /proc is per CPU. A command is pinned to its CPUs. */
        bool everywhere = !request->target.n_cpus || !request->target.n_pids;

        if (!refused || !everywhere || event->attr.type != PERF_TYPE_SOFTWARE ||
            count_request_is_system_wide(request))
                return SOURCE_COUNTER;
        return source_of(event->attr.config);
}

uint64_t estimator_usage(const struct usage *u, enum count_source source)
{
        switch (source) {
        case SOURCE_CPU_TIME: return u->cpu_ns;
        case SOURCE_SWITCHES: return u->switches;
        case SOURCE_FAULTS: return u->minor_faults + u->major_faults;
        case SOURCE_MINOR_FAULTS: return u->minor_faults;
        case SOURCE_MAJOR_FAULTS: return u->major_faults;
        default: return 0;
        }
}

/* --- one process --- */

static const char *read_text(struct estimator *e, const char *path)
{
        buf_clear(&e->text);
        return os_read_file(path, SMALL_LIMIT, &e->text, NULL) ? buf_text(&e->text) : "";
}

/* Reads faults and CPU time, which include those of children that were waited for. */
static bool read_stat(struct estimator *e, int32_t pid, struct usage *ret)
{
        const uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
        uint64_t minor, child_minor, major, child_major, user, kernel, child_user, child_kernel;
        const char *after_name;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
        after_name = strrchr(read_text(e, path), ')');
        if (!after_name || sscanf(after_name + 1,
                                  " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                                  " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                                  &minor, &child_minor, &major, &child_major, &user, &kernel, &child_user,
                                  &child_kernel) != 8)
                return false;
        ret->minor_faults = minor + child_minor;
        ret->major_faults = major + child_major;
        ret->cpu_ns = tick_ns * (user + kernel + child_user + child_kernel);
        return true;
}

static uint64_t number_behind(const char *text, const char *key)
{
        const char *at = strstr(text, key);

        return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Sums the files of the process's threads. Threads that have ended have no files; usage_keep prevents the sum
 * from falling. */
static void read_threads(struct estimator *e, int32_t pid, struct usage *ret)
{
        int32_t *tids = NULL;
        size_t n_tids = 0;
        uint64_t cpu_ns = 0;
        char path[96];

        proc_threads(pid, &tids, &n_tids);
        for (size_t i = 0; i < n_tids; i++) {
                const char *text;

                if (e->cpu_time) {
                        snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32 "/schedstat", pid,
                                 tids[i]);
                        cpu_ns += strtoull(read_text(e, path), NULL, 10);
                }
                if (!e->switches)
                        continue;
                snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32 "/status", pid, tids[i]);
                text = read_text(e, path);
                ret->switches += number_behind(text, "\nvoluntary_ctxt_switches:");
                ret->switches += number_behind(text, "\nnonvoluntary_ctxt_switches:");
        }
        free(tids);
        /* schedstat is exact but has only running threads; stat has all threads in clock ticks. */
        if (cpu_ns > ret->cpu_ns)
                ret->cpu_ns = cpu_ns;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
        return a > b ? a : b;
}

static void usage_keep(struct usage *last, const struct usage *now)
{
        last->cpu_ns = larger(last->cpu_ns, now->cpu_ns);
        last->switches = larger(last->switches, now->switches);
        last->minor_faults = larger(last->minor_faults, now->minor_faults);
        last->major_faults = larger(last->major_faults, now->major_faults);
}

static void read_process(struct estimator *e, int32_t pid, struct usage *last)
{
        struct usage now = {0};

        if (!read_stat(e, pid, &now))
                return;
        if (e->cpu_time || e->switches)
                read_threads(e, pid, &now);
        usage_keep(last, &now);
}

static struct usage usage_at_end(const struct child *child)
{
        const struct rusage *r = &child->usage;

        return (struct usage){
                .cpu_ns = child->user_ns + child->kernel_ns,
                .switches = (uint64_t)r->ru_nvcsw + (uint64_t)r->ru_nivcsw,
                .minor_faults = (uint64_t)r->ru_minflt,
                .major_faults = (uint64_t)r->ru_majflt,
        };
}

/* --- all processes --- */

static void add_usage(struct usage *sum, const struct usage *u)
{
        sum->cpu_ns += u->cpu_ns;
        sum->switches += u->switches;
        sum->minor_faults += u->minor_faults;
        sum->major_faults += u->major_faults;
}

static struct usage difference(const struct usage *now, const struct usage *before)
{
        return (struct usage){
                .cpu_ns = now->cpu_ns - before->cpu_ns,
                .switches = now->switches - before->switches,
                .minor_faults = now->minor_faults - before->minor_faults,
                .major_faults = now->major_faults - before->major_faults,
        };
}

static struct usage read_all(struct estimator *e)
{
        struct usage sum = {0};

        if (e->is_of_child) {
                if (e->child->ended) {
                        struct usage end = usage_at_end(e->child);

                        usage_keep(&e->last[0], &end);
                } else {
                        read_process(e, e->child->pid, &e->last[0]);
                }
                add_usage(&sum, &e->last[0]);
        }
        for (size_t i = 0; i < e->n_pids; i++) {
                read_process(e, e->pids[i], &e->last[i + 1]);
                add_usage(&sum, &e->last[i + 1]);
        }
        return sum;
}

void estimator_init(struct estimator *e, const struct child *child, const struct count_request *request,
                    const struct counted *counted)
{
        *e = (struct estimator){.child = child,
                                .is_of_child = request->target.argv,
                                .pids = request->target.pids,
                                .n_pids = request->target.n_pids};
        e->last = mem_new(e->n_pids + 1, sizeof(*e->last));
        for (size_t i = 0; i < counted->n_events; i++) {
                e->cpu_time |= counted->events[i].source == SOURCE_CPU_TIME;
                e->switches |= counted->events[i].source == SOURCE_SWITCHES;
        }
}

void estimator_release(struct estimator *e)
{
        free(e->last);
        buf_release(&e->text);
}

void estimator_count(struct estimator *e, bool count)
{
        struct usage now;

        if (count == e->counting)
                return;
        now = read_all(e);
        if (count) {
                e->base = now;
        } else {
                struct usage since = difference(&now, &e->base);

                add_usage(&e->counted, &since);
        }
        e->counting = count;
}

struct usage estimator_read(struct estimator *e)
{
        struct usage sum = e->counted;

        if (e->counting) {
                struct usage now = read_all(e), since = difference(&now, &e->base);

                add_usage(&sum, &since);
        }
        return sum;
}
