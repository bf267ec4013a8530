/* SPDX-License-Identifier: BSD-3-Clause */
#include "waiters.h"

#include <inttypes.h>

struct waiter waiters_find(const struct waiters *waiters, int32_t pid, int32_t tid)
{
        switch (waiters->by) {
        case WAITERS_BY_THREAD:
                return (struct waiter){waiters->thread_name(waiters->ctx, pid, tid), pid, tid};
        case WAITERS_BY_PROCESS: return (struct waiter){waiters->thread_name(waiters->ctx, pid, pid), pid, 0};
        case WAITERS_BY_COMM: return (struct waiter){waiters->thread_name(waiters->ctx, pid, tid), 0, 0};
        default: return (struct waiter){"", 0, 0};
        }
}

const char *waiters_word(enum waiters_by by)
{
        static const char *const words[] = {
                [WAITERS_ALL] = "",
                [WAITERS_BY_THREAD] = "thread",
                [WAITERS_BY_PROCESS] = "process",
                [WAITERS_BY_COMM] = "comm",
        };

        return words[by];
}

void waiters_add_text(enum waiters_by by, const struct waiter *waiter, struct buf *out)
{
        buf_add_str(out, waiter->name);
        if (by == WAITERS_BY_THREAD || by == WAITERS_BY_PROCESS)
                buf_printf(out, " (%" PRId32 ")", by == WAITERS_BY_THREAD ? waiter->tid : waiter->pid);
}
