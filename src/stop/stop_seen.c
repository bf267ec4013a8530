/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that block SIGTRAP never stop, and the kernel does not report it. If the ring has samples of a
 * thread that has not stopped, its signal mask is read; while it blocks the signal, the ring's samples are
 * used. */
#include <signal.h>
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

/* A thread is not checked again within this time after a stop or a check. */
#define RECENT_NS 100000000ull

/* The ring's event and the stopping event have the same frequency, so a thread should stop about once for
 * each sample of the ring. */
enum { MOST_UNSTOPPED = 8 };

static struct stop_seen *find(const struct stop_engine *e, int32_t tid)
{
        const uint64_t *found = map_find(&e->seen, (uint64_t)tid);

        return found ? (struct stop_seen *)(uintptr_t)*found : NULL;
}

void stop_seen_begin(struct stop_engine *e, int32_t tid)
{
        uint64_t *place;

        os_lock_enter(e->lock);
        place = map_put(&e->seen, (uint64_t)tid, NULL);
        free((void *)(uintptr_t)*place);
        *place = (uintptr_t)mem_new(1, sizeof(struct stop_seen));
        os_lock_leave(e->lock);
}

/* If it blocks the signal, the ring may still hold samples of it, so its state is kept. */
void stop_seen_end(struct stop_engine *e, int32_t tid)
{
        struct stop_seen *seen;

        os_lock_enter(e->lock);
        seen = find(e, tid);
        if (seen && !seen->blocks && !seen->kept_until_ns) {
                map_remove(&e->seen, (uint64_t)tid);
                free(seen);
        }
        os_lock_leave(e->lock);
}

bool stop_seen_stop(struct stop_engine *e, int32_t tid, uint64_t time_ns)
{
        struct stop_seen *seen = find(e, tid);

        if (!seen)
                return true;
        seen->stopped_ns = time_ns;
        if (!seen->blocks)
                return true;
        seen->blocks = false;
        seen->kept_until_ns = time_ns;
        return false;
}

static bool is_recent(uint64_t before_ns, uint64_t time_ns)
{
        return before_ns && before_ns + RECENT_NS > time_ns;
}

bool stop_seen_keeps(struct stop_engine *e, int32_t tid, uint64_t time_ns)
{
        struct stop_seen *seen = find(e, tid);

        if (!seen || seen->blocks || time_ns < seen->kept_until_ns)
                return seen;
        /* A thread that was created while its process was about to be traced may have no event. */
        if (!seen->stopped_ns && ++seen->n_unstopped > MOST_UNSTOPPED) {
                seen->blocks = true;
                e->counts.n_not_opened++;
                return true;
        }
        if (is_recent(seen->stopped_ns, time_ns) || is_recent(seen->checked_ns, time_ns))
                return false;
        if (!stop_status_blocks(tid, SIGTRAP)) {
                seen->checked_ns = time_ns;
                return false;
        }
        seen->blocks = true;
        e->counts.n_blocking++;
        return true;
}

static void free_seen(void *ctx, uint64_t key, uint64_t *value)
{
        (void)ctx;
        (void)key;
        free((void *)(uintptr_t)*value);
}

void stop_seen_release(struct stop_engine *e)
{
        map_each(&e->seen, free_seen, NULL);
        map_release(&e->seen);
}
