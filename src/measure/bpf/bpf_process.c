/* SPDX-License-Identifier: BSD-3-Clause */
/* Each process may fill its own part of the memory, so that one can't displace the code of others. */
#include "bpf_process.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"

enum {
        MAX_BYTES_OF_PROCESS = 32 << 20,
        MAX_BYTES = 256 << 20,
        MAX_PROCESSES = 16384,
};

struct bpf_process {
        int32_t pid;
        uint64_t born_ns;
        uint32_t image;
        uint64_t used;    /* the use at which it was used last */
        struct map codes; /* by address, hash and part: struct kept_code * */
        size_t n_bytes;
};

struct bpf_processes {
        struct map by_pid;
        uint32_t n_images;
        uint64_t n_uses;
        size_t n_bytes;
        void (*on_forget)(void *ctx, int32_t pid);
        void (*on_end)(void *ctx, uint32_t image);
        void *ctx;
};

struct kept_code {
        size_t size;
        uint8_t bytes[];
};

struct bpf_processes *bpf_processes_new(void (*on_forget)(void *ctx, int32_t pid),
                                        void (*on_end)(void *ctx, uint32_t image), void *ctx)
{
        struct bpf_processes *ps = mem_new(1, sizeof(*ps));

        ps->on_forget = on_forget;
        ps->on_end = on_end;
        ps->ctx = ctx;
        return ps;
}

static void free_code(void *ctx, uint64_t key, uint64_t *value)
{
        free((struct kept_code *)(uintptr_t)*value);
}

static void free_process(struct bpf_processes *ps, struct bpf_process *p)
{
        ps->n_bytes -= p->n_bytes;
        ps->on_end(ps->ctx, p->image);
        map_each(&p->codes, free_code, NULL);
        map_release(&p->codes);
        free(p);
}

static void free_each(void *ctx, uint64_t pid, uint64_t *value)
{
        free_process(ctx, (struct bpf_process *)(uintptr_t)*value);
}

void bpf_processes_free(struct bpf_processes *ps)
{
        if (!ps)
                return;
        map_each(&ps->by_pid, free_each, ps);
        map_release(&ps->by_pid);
        free(ps);
}

static struct bpf_process *find(const struct bpf_processes *ps, int32_t pid)
{
        const uint64_t *known = map_find(&ps->by_pid, (uint64_t)(uint32_t)pid);

        return known ? (struct bpf_process *)(uintptr_t)*known : NULL;
}

static void remove_process(struct bpf_processes *ps, struct bpf_process *p)
{
        map_remove(&ps->by_pid, (uint64_t)(uint32_t)p->pid);
        free_process(ps, p);
}

/* --- limits --- */

static void take_older(void *ctx, uint64_t pid, uint64_t *value)
{
        struct bpf_process *p = (struct bpf_process *)(uintptr_t)*value, **oldest = ctx;

        if (!*oldest || p->used < (*oldest)->used)
                *oldest = p;
}

static void forget(struct bpf_processes *ps, struct bpf_process *p)
{
        int32_t pid = p->pid;

        remove_process(ps, p);
        ps->on_forget(ps->ctx, pid);
}

static void forget_oldest(struct bpf_processes *ps)
{
        struct bpf_process *oldest = NULL;

        map_each(&ps->by_pid, take_older, &oldest);
        if (oldest)
                forget(ps, oldest);
}

/* --- processes --- */

struct bpf_process *bpf_processes_get(struct bpf_processes *ps, int32_t pid, uint64_t born_ns)
{
        struct bpf_process *p = find(ps, pid);

        if (p && p->born_ns > born_ns)
                return NULL;
        if (p && p->born_ns < born_ns) {
                remove_process(ps, p);
                p = NULL;
        }
        if (!p) {
                if (ps->by_pid.n_used == MAX_PROCESSES)
                        forget_oldest(ps);
                p = mem_new(1, sizeof(*p));
                p->pid = pid;
                p->born_ns = born_ns;
                p->image = ++ps->n_images;
                *map_put(&ps->by_pid, (uint64_t)(uint32_t)pid, NULL) = (uint64_t)(uintptr_t)p;
        }
        p->used = ++ps->n_uses;
        return p;
}

void bpf_processes_end(struct bpf_processes *ps, int32_t pid, uint64_t time_ns)
{
        struct bpf_process *p = find(ps, pid);

        if (p && p->born_ns < time_ns)
                remove_process(ps, p);
}

uint32_t bpf_process_image(const struct bpf_process *p)
{
        return p->image;
}

/* --- code objects --- */

static uint64_t key_of(uint64_t addr, uint64_t hash, uint64_t part)
{
        return map_mix(hash + map_mix(addr + map_mix(part)));
}

void bpf_processes_keep(struct bpf_processes *ps, struct bpf_process *p, uint64_t addr, uint64_t hash,
                        uint64_t part, struct cursor pieces)
{
        size_t size = cursor_left(&pieces);
        struct kept_code *code;
        uint64_t *slot = map_put(&p->codes, key_of(addr, hash, part), NULL);

        if (*slot)
                return;
        code = mem_new(1, sizeof(*code) + size);
        code->size = size;
        memcpy(code->bytes, pieces.at, size);
        *slot = (uint64_t)(uintptr_t)code;
        p->n_bytes += size;
        ps->n_bytes += size;
        if (p->n_bytes > MAX_BYTES_OF_PROCESS)
                forget(ps, p);
        else if (ps->n_bytes > MAX_BYTES)
                forget_oldest(ps);
}

struct cursor bpf_process_code(const struct bpf_process *p, uint64_t addr, uint64_t hash, uint64_t part)
{
        const uint64_t *known = map_find(&p->codes, key_of(addr, hash, part));
        const struct kept_code *code = known ? (const struct kept_code *)(uintptr_t)*known : NULL;

        return code ? cursor_make(code->bytes, code->size) : cursor_make(NULL, 0);
}
