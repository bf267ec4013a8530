/* SPDX-License-Identifier: BSD-3-Clause */
/* What all code that opens events needs: the system call, the CPUs, the limit of descriptors. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch.h"
#include "err.h"
#include "linux_events.h"
#include "mem.h"
#include "os.h"
#include "text_number.h"

#define OPEN_CGROUP  4u
#define OPEN_CLOEXEC 8u

enum { MAX_CPUS = 8192 };

/* Numbers below -1 are the descriptors of control groups. */
enum { EVERYBODY = -1 };

int32_t linux_event_everybody(const struct target *target)
{
        return target->cgroup ? EVERYBODY - 1 - target->cgroup_fd : EVERYBODY;
}

int linux_event_open(const struct perf_attr *attr, int32_t task, int32_t cpu, int group_fd)
{
        bool is_cgroup = task < EVERYBODY;

        return (int)syscall(SYS_perf_event_open, attr, is_cgroup ? EVERYBODY - 1 - task : task, cpu, group_fd,
                            OPEN_CLOEXEC | (is_cgroup ? OPEN_CGROUP : 0));
}

bool linux_event_serves(const struct event *event, uint32_t cpu)
{
        if (!event->cpus)
                return true;
        for (size_t i = 0; i < event->n_cpus; i++) {
                if (event->cpus[i] == cpu)
                        return true;
        }
        return false;
}

/* Each event needs a descriptor for each CPU, and a limit of 1,024 is too low on a machine with 128 CPUs. */
void machine_raise_file_limit(void)
{
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit))
                return;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
}

const struct arch *linux_arch(void)
{
#if defined(__aarch64__)
        return &arch_arm64;
#else
        return &arch_x86_64;
#endif
}

uint64_t linux_cpu_ns(clockid_t clock)
{
        struct timespec now;

        clock_gettime(clock, &now);
        return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Uses the lines "cpu0 ..." of /proc/stat. */
static void add_counted_cpus(struct buf *out)
{
        AUTO_RELEASE(buf) text = {0};
        unsigned cpu;

        if (!os_read_file("/proc/stat", 1 << 20, &text, NULL))
                return;
        for (const char *line = strstr(buf_text(&text), "\ncpu"); line; line = strstr(line + 1, "\ncpu")) {
                if (sscanf(line, "\ncpu%u ", &cpu) == 1)
                        buf_printf(out, "%s%u", out->len ? "," : "", cpu);
        }
}

/* Uses the CPUs that this process may run on. */
static void add_own_cpus(struct buf *out)
{
        uint8_t mask[MAX_CPUS / 8] = {0};
        long n_bytes = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);

        for (long cpu = 0; cpu < n_bytes * 8; cpu++) {
                if (mask[cpu / 8] >> cpu % 8 & 1)
                        buf_printf(out, "%s%ld", out->len ? "," : "", cpu);
        }
}

/* Appends a list such as "0-3,8". A container may not have /sys, nor even /proc. */
static void list_online(struct buf *ret)
{
        if (os_read_file("/sys/devices/system/cpu/online", 65536, ret, NULL)) {
                buf_truncate(ret, strcspn(buf_text(ret), "\n"));
                return;
        }
        add_counted_cpus(ret);
        if (!ret->len)
                add_own_cpus(ret);
}

static void refuse_cpu(uint32_t cpu, const char *online, bool is_sampling, struct err *err)
{
        enum { LEAST_PERIOD = 1000 };
        char hint[48] = "";

        if (is_sampling && cpu >= LEAST_PERIOD)
                snprintf(hint, sizeof(hint), "; for a period write cycles:%" PRIu32, cpu);
        err_set(err, ERR_USAGE, "no such CPU: %" PRIu32 " (online are %s)%s", cpu, online, hint);
}

uint32_t *machine_cpus(const uint32_t *asked, size_t n_asked, bool is_sampling, size_t *ret_n,
                       struct err *err)
{
        AUTO_RELEASE(buf) text = {0};
        uint32_t *online = mem_new(MAX_CPUS, sizeof(*online));
        size_t n = 0;

        list_online(&text);
        if (!text_to_cpu_list(buf_text(&text), MAX_CPUS, online, MAX_CPUS, &n, err)) {
                free(online);
                return NULL;
        }
        for (size_t i = 0; i < n_asked; i++) {
                if (!bsearch(&asked[i], online, n, sizeof(*online), text_compare_u32)) {
                        refuse_cpu(asked[i], buf_text(&text), is_sampling, err);
                        free(online);
                        return NULL;
                }
        }
        if (n_asked) {
                n = n_asked;
                memcpy(online, asked, n * sizeof(*online));
        }
        *ret_n = n;
        return online;
}
