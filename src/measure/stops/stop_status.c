/* SPDX-License-Identifier: BSD-3-Clause */
/* The status of a thread in /proc: its process, its state, and SIGTRAP in its mask and queue. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "os.h"
#include "stop_internal.h"

/* Reads a file of a thread; "" if that has ended. */
static const char *read_of(int32_t tid, const char *name, struct buf *text)
{
        enum { LIMIT = 16384 };
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/%s", tid, name);
        return os_read_file(path, LIMIT, text, NULL) ? buf_text(text) : "";
}

/* The text after "\nKEY:"; NULL if there is none. */
static const char *find_line(const char *status, const char *key)
{
        const char *line = strstr(status, key);

        return line ? line + strlen(key) : NULL;
}

static bool has_bit(const char *status, const char *key, int bit)
{
        const char *value = find_line(status, key);
        uint64_t mask;

        return value && sscanf(value, "%" SCNx64, &mask) == 1 && mask >> bit & 1;
}

int32_t stop_status_tracer(int32_t tid)
{
        AUTO_RELEASE(buf) text = {0};
        const char *value = find_line(read_of(tid, "status", &text), "\nTracerPid:");
        int32_t pid;

        return value && sscanf(value, "%" SCNd32, &pid) == 1 ? pid : 0;
}

int64_t stop_status_uid(int32_t pid)
{
        AUTO_RELEASE(buf) text = {0};
        const char *value = find_line(read_of(pid ? pid : getpid(), "status", &text), "\nUid:");
        int64_t uid;

        return value && sscanf(value, "%" SCNd64, &uid) == 1 ? uid : -1;
}

uint32_t stop_status_cpu(int32_t tid)
{
        enum { CPU_FIELD = 36 }; /* counted from the state, which follows the name in parentheses */
        AUTO_RELEASE(buf) text = {0};
        const char *at = strrchr(read_of(tid, "stat", &text), ')');

        for (int i = 0; i <= CPU_FIELD && at; i++) {
                at = strchr(at, ' ');
                at = at ? at + 1 : NULL;
        }
        return at ? (uint32_t)strtoul(at, NULL, 10) : UINT32_MAX;
}

bool stop_status_runs(int32_t tid)
{
        char state = stop_status_read(tid).state;

        return state && state != 'Z' && state != 'X';
}

bool stop_status_may_trace(void)
{
        enum { CAP_SYS_PTRACE = 19 };
        AUTO_RELEASE(buf) text = {0};

        return has_bit(read_of(getpid(), "status", &text), "\nCapEff:", CAP_SYS_PTRACE);
}

bool stop_status_has_filter(void)
{
        AUTO_RELEASE(buf) text = {0};
        const char *mode = find_line(read_of(getpid(), "status", &text), "\nSeccomp:\t");

        return mode && *mode == '2';
}

bool stop_status_handles(int32_t tid, int sig)
{
        AUTO_RELEASE(buf) text = {0};

        return has_bit(read_of(tid, "status", &text), "\nSigCgt:", sig - 1);
}

/* While a thread is in sigtimedwait, the kernel shows what it waits for as not blocked. */
static bool waits_for_trap(int32_t tid)
{
        AUTO_RELEASE(buf) text = {0};
        uint64_t set = 0, addr;
        struct iovec to = {&set, sizeof(set)}, from = {NULL, sizeof(set)};
        long number;

        if (sscanf(read_of(tid, "syscall", &text), "%ld %" SCNx64, &number, &addr) != 2 ||
            number != SYS_rt_sigtimedwait)
                return false;
        from.iov_base = (void *)(uintptr_t)addr;
        return process_vm_readv(tid, &to, 1, &from, 1, 0) == sizeof(set) && set >> (SIGTRAP - 1) & 1;
}

/* Of glibc, which lets no program block it. */
enum { CANCEL_SIGNAL = 32 };

struct stop_status stop_status_read(int32_t tid)
{
        AUTO_RELEASE(buf) text = {0};
        const char *status = read_of(tid, "status", &text), *state = find_line(status, "\nState:\t");
        struct stop_status ret = {
                .state = state ? *state : 0,
                .blocks = has_bit(status, "\nSigBlk:", SIGTRAP - 1),
                .blocks_internal = has_bit(status, "\nSigBlk:", CANCEL_SIGNAL - 1),
                .is_pending = has_bit(status, "\nSigPnd:", SIGTRAP - 1),
        };

        ret.blocks = ret.blocks || (ret.state == 'S' && waits_for_trap(tid));
        return ret;
}

uint64_t stop_status_ran_ns(int32_t tid)
{
        AUTO_RELEASE(buf) text = {0};
        uint64_t ran_ns;

        return sscanf(read_of(tid, "schedstat", &text), "%" SCNu64, &ran_ns) == 1 ? ran_ns : 0;
}
