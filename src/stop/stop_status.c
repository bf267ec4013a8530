/* SPDX-License-Identifier: BSD-3-Clause */
/* The status of a thread in /proc: its process, and the signals that it blocks or ignores. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os.h"
#include "stop_internal.h"

/* The text after "\nKEY:" in the thread's status; NULL if the thread has ended. */
static const char *find_line(int32_t tid, const char *key, struct buf *status)
{
        enum { STATUS_LIMIT = 16384 };
        char path[64];
        const char *line;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", tid);
        if (!os_read_file(path, STATUS_LIMIT, status, NULL))
                return NULL;
        line = strstr(buf_text(status), key);
        return line ? line + strlen(key) : NULL;
}

int32_t stop_status_pid(int32_t tid)
{
        AUTO_RELEASE(buf) status = {0};
        const char *value = find_line(tid, "\nTgid:", &status);
        int32_t pid;

        return value && sscanf(value, "%" SCNd32, &pid) == 1 ? pid : 0;
}

bool stop_status_runs(int32_t tid)
{
        AUTO_RELEASE(buf) status = {0};
        const char *value = find_line(tid, "\nState:\t", &status);

        return value && *value != 'Z' && *value != 'X';
}

static bool has_bit(int32_t tid, const char *key, int bit)
{
        AUTO_RELEASE(buf) status = {0};
        const char *value = find_line(tid, key, &status);
        uint64_t mask;

        return value && sscanf(value, "%" SCNx64, &mask) == 1 && mask >> bit & 1;
}

bool stop_status_may_trace(void)
{
        enum { CAP_SYS_PTRACE = 19 };

        return has_bit(getpid(), "\nCapEff:", CAP_SYS_PTRACE);
}

bool stop_status_blocks(int32_t tid, int sig)
{
        return has_bit(tid, "\nSigBlk:", sig - 1);
}

bool stop_status_catches(int32_t tid, int sig)
{
        return has_bit(tid, "\nSigCgt:", sig - 1);
}

bool stop_status_is_filtered(int32_t tid)
{
        AUTO_RELEASE(buf) status = {0};
        const char *value = find_line(tid, "\nSeccomp:\t", &status);

        return value && *value != '0';
}

bool stop_status_ignores(int32_t tid, int sig)
{
        return has_bit(tid, "\nSigIgn:", sig - 1);
}
