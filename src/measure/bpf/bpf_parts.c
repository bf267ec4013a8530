/* SPDX-License-Identifier: BSD-3-Clause */
#include "bpf_parts.h"

#include <stdlib.h>

#include "map.h"
#include "mem.h"

enum { MAX_THREADS = 256 }; /* with parts that were not complete: some lost the rest */

struct thread_parts {
        uint64_t time_ns;
        struct buf bytes;
};

struct bpf_parts {
        struct map threads; /* tid to struct thread_parts * */
};

struct bpf_parts *bpf_parts_new(void)
{
        return mem_new(1, sizeof(struct bpf_parts));
}

static void free_thread(void *ctx, uint64_t tid, uint64_t *value)
{
        struct thread_parts *thread = (struct thread_parts *)(uintptr_t)*value;

        buf_release(&thread->bytes);
        free(thread);
}

static void forget_all(struct bpf_parts *p)
{
        map_each(&p->threads, free_thread, NULL);
        map_release(&p->threads);
}

void bpf_parts_free(struct bpf_parts *p)
{
        if (!p)
                return;
        forget_all(p);
        free(p);
}

struct buf *bpf_parts_get(struct bpf_parts *p, int32_t tid, uint64_t time_ns)
{
        struct thread_parts *thread;
        uint64_t *slot;

        if (p->threads.n_used == MAX_THREADS && !map_find(&p->threads, (uint64_t)(uint32_t)tid))
                forget_all(p);
        slot = map_put(&p->threads, (uint64_t)(uint32_t)tid, NULL);
        if (!*slot)
                *slot = (uint64_t)(uintptr_t)mem_new(1, sizeof(*thread));
        thread = (struct thread_parts *)(uintptr_t)*slot;
        if (thread->time_ns != time_ns)
                buf_clear(&thread->bytes);
        thread->time_ns = time_ns;
        return &thread->bytes;
}

void bpf_parts_end(struct bpf_parts *p, int32_t tid)
{
        uint64_t *thread = map_find(&p->threads, (uint64_t)(uint32_t)tid);

        if (!thread)
                return;
        free_thread(NULL, 0, thread);
        map_remove(&p->threads, (uint64_t)(uint32_t)tid);
}
