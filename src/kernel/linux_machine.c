/* SPDX-License-Identifier: BSD-3-Clause */
/* What the machine has for everything that opens events: the system call, CPUs, room for descriptors. */
#include <inttypes.h>
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

#define OPEN_CLOEXEC 8u

int linux_event_open(const struct perf_attr *attr, int32_t tid, int32_t cpu, int group_fd)
{
        return (int)syscall(SYS_perf_event_open, attr, tid, cpu, group_fd, OPEN_CLOEXEC);
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

/* Each descriptor counts, and 1,024 are few on a machine of 128 CPUs. */
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

uint32_t *machine_cpus(const uint32_t *asked, size_t n_asked, const char *hint, size_t *ret_n,
                       struct err *err)
{
        enum { MAX_CPUS = 8192 };
        AUTO_RELEASE(buf) text = {0};
        uint32_t *online = mem_new(MAX_CPUS, sizeof(*online));
        size_t n = 0;

        if (!os_read_file("/sys/devices/system/cpu/online", 65536, &text, err)) {
                free(online);
                return NULL;
        }
        text.data[strcspn(text.data, "\n")] = '\0';
        if (!text_to_cpu_list(text.data, MAX_CPUS, online, MAX_CPUS, &n, err)) {
                free(online);
                return NULL;
        }
        for (size_t i = 0; i < n_asked; i++) {
                if (!bsearch(&asked[i], online, n, sizeof(*online), text_compare_u32)) {
                        err_set(err, ERR_USAGE, "no such CPU: %" PRIu32 " (online are %s)%s", asked[i],
                                text.data, hint);
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
