/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that do not stop although their process is traced: the ring's samples of them are kept. The
 * guardian tells which they are; if the ring has samples of a thread that it has not told of, it is asked
 * to look again. */
#include <stdlib.h>

#include "mem.h"
#include "stop_engine_internal.h"

/* A thread is not asked about again within this time. */
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
        uint64_t *place = map_put(&e->seen, (uint64_t)tid, NULL);

        free((void *)(uintptr_t)*place);
        *place = (uintptr_t)mem_new(1, sizeof(struct stop_seen));
}

/* --- threads that ended long ago --- */

struct thread_sweep {
        uint64_t now_ns;
        uint64_t *tids;
        size_t n_tids, cap_tids;
};

static void sweep_thread(void *ctx, uint64_t tid, uint64_t *value)
{
        struct thread_sweep *sweep = ctx;
        const struct stop_seen *seen = (const struct stop_seen *)(uintptr_t)*value;

        if (seen->ended_ns && sweep->now_ns > seen->ended_ns + STOP_RING_NS)
                ARRAY_PUSH(sweep->tids, sweep->n_tids, sweep->cap_tids, tid);
}

static void sweep_threads(struct stop_engine *e, uint64_t now_ns)
{
        struct thread_sweep sweep = {.now_ns = now_ns};

        if (now_ns < e->seen_swept_ns + STOP_RING_NS)
                return;
        e->seen_swept_ns = now_ns;
        map_each(&e->seen, sweep_thread, &sweep);
        for (size_t i = 0; i < sweep.n_tids; i++) {
                free(find(e, (int32_t)sweep.tids[i]));
                map_remove(&e->seen, sweep.tids[i]);
        }
        free(sweep.tids);
}

/* The ring may still hold samples of it, so its state stays for a while. */
void stop_seen_end(struct stop_engine *e, int32_t tid, uint64_t time_ns)
{
        struct stop_seen *seen = find(e, tid);

        if (seen)
                seen->ended_ns = time_ns;
        sweep_threads(e, time_ns);
}

/* --- threads that run --- */

void stop_seen_stop(struct stop_engine *e, int32_t tid, uint64_t time_ns)
{
        struct stop_seen *seen = find(e, tid);

        if (!seen)
                return;
        seen->stopped_ns = time_ns;
        seen->n_unstopped = 0;
}

void stop_seen_keep(struct stop_engine *e, int32_t tid, uint64_t from_ns)
{
        struct stop_seen *seen = find(e, tid);

        if (!seen)
                return;
        seen->kept_from_ns = from_ns;
        seen->kept_to_ns = UINT64_MAX;
}

void stop_seen_keep_end(struct stop_engine *e, int32_t tid, uint64_t to_ns)
{
        struct stop_seen *seen = find(e, tid);

        if (seen)
                seen->kept_to_ns = to_ns;
}

bool stop_seen_keeps(struct stop_engine *e, int32_t tid, uint64_t time_ns)
{
        struct stop_seen *seen = find(e, tid);
        bool is_kept;

        if (!seen)
                return false;
        is_kept = time_ns >= seen->kept_from_ns && time_ns < seen->kept_to_ns;
        if (++seen->n_unstopped > MOST_UNSTOPPED && time_ns > seen->asked_ns + RECENT_NS) {
                seen->asked_ns = time_ns;
                stop_engine_check(e, tid);
        }
        return is_kept;
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
