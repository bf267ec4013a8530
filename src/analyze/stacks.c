/* SPDX-License-Identifier: BSD-3-Clause */
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "map.h"

enum { CACHE_SLOTS = 1 << 17, CHAIN_BUCKETS = 1 << 17 };

/* The child that an address led to while the maps had this version. */
struct cached {
        uint64_t addr, version;
        uint32_t parent, child;
};

/* A chain that was there before, by two hashes of it that do not depend on each other, with the samples that it had
 * since: most samples touch nothing else. */
struct known_chain {
        uint64_t hash; /* 0: free */
        uint32_t check;
        uint32_t node, series;
        uint32_t count;
        uint64_t weight;
};

enum { BUCKET_BYTES = 64 };

/* The one that was used last comes first. */
struct chain_bucket {
        struct known_chain chains[2];
};

_Static_assert(sizeof(struct chain_bucket) == BUCKET_BYTES, "a line of a cache");

struct stacks {
        struct stack_node *nodes;
        size_t n_nodes, cap_nodes;
        uint32_t *slots; /* node + 1 by its key; 0: free */
        size_t n_slots;  /* a power of two */
        struct cached *cache;
        uint8_t *bucket_bytes;
        struct chain_bucket *buckets; /* in them, where a line of a cache begins */
        struct known_chain pending;   /* asked about and not known: the next stacks_add has its node */
        struct stack_series *series;
        size_t n_series, cap_series;
        struct map by_event_and_comm; /* index + 1 */
        uint32_t last_series;
};

struct stacks *stacks_new(void)
{
        struct stacks *stacks = mem_new(1, sizeof(*stacks));

        stacks->n_slots = 1024;
        stacks->slots = mem_new(stacks->n_slots, sizeof(*stacks->slots));
        stacks->cache = mem_new(CACHE_SLOTS, sizeof(*stacks->cache));
        stacks->bucket_bytes = mem_new(CHAIN_BUCKETS + 1, BUCKET_BYTES);
        stacks->buckets = (struct chain_bucket *)(stacks->bucket_bytes +
                                                  -(uintptr_t)stacks->bucket_bytes % BUCKET_BYTES);
        return stacks;
}

void stacks_free(struct stacks *stacks)
{
        if (!stacks)
                return;
        for (size_t i = 0; i < stacks->n_series; i++)
                free(stacks->series[i].ends);
        free(stacks->series);
        map_release(&stacks->by_event_and_comm);
        free(stacks->cache);
        free(stacks->bucket_bytes);
        free(stacks->slots);
        free(stacks->nodes);
        free(stacks);
}

/* --- Frames of a sample --- */

/* False: it is an address. */
static bool take_context(uint64_t word, uint16_t *misc)
{
        switch (word) {
        case PERF_CONTEXT_KERNEL: *misc = PERF_MISC_KERNEL; return true;
        case PERF_CONTEXT_USER: *misc = PERF_MISC_USER; return true;
        case PERF_CONTEXT_HV: *misc = PERF_MISC_HYPERVISOR; return true;
        case PERF_CONTEXT_GUEST_KERNEL: *misc = PERF_MISC_GUEST_KERNEL; return true;
        case PERF_CONTEXT_GUEST:
        case PERF_CONTEXT_GUEST_USER: *misc = PERF_MISC_GUEST_USER; return true;
        default: return word >= PERF_CONTEXT_MAX;
        }
}

size_t stack_frames_of_chain(const struct sample *sample, struct stack_frame *frames, bool *ret_cut,
                             bool *ret_user)
{
        struct cursor chain = sample->chain;
        uint16_t misc = sample->misc & PERF_MISC_CPUMODE_MASK;
        bool is_return = false;
        size_t n = 0;

        for (uint64_t i = 0; i < sample->n_chain; i++) {
                uint64_t word = cursor_u64(&chain);

                if (word >= PERF_CONTEXT_MAX && take_context(word, &misc)) {
                        is_return = false;
                        /* What follows tells which record will have the frames. */
                        if (word == PERF_CONTEXT_USER_DEFERRED)
                                i += cursor_skip(&chain, sizeof(word));
                        continue;
                }
                if (n == STACKS_MAX_FRAMES) {
                        *ret_cut = true;
                        break;
                }
                /* Where hardware tells more precisely than the kernel's own chain. */
                if (!n && sample->ip && misc == (sample->misc & PERF_MISC_CPUMODE_MASK))
                        word = sample->ip;
                frames[n++] = (struct stack_frame){word, misc, is_return};
                *ret_user |= misc == PERF_MISC_USER;
                is_return = true;
        }
        return n;
}

size_t stack_frames_mark_cut(struct stack_frame *frames, size_t n)
{
        frames[n] = (struct stack_frame){.misc = STACKS_CUT};
        return n + 1;
}

/* --- Nodes --- */

static uint64_t hash_node(uint32_t parent, module_id module, uint64_t offset)
{
        return map_mix(offset ^ ((uint64_t)parent << 32 | module) * 0x9e3779b97f4a7c15u);
}

static size_t slot_of(const struct stacks *stacks, const struct stack_node *wanted)
{
        size_t mask = stacks->n_slots - 1;
        size_t i = (size_t)hash_node(wanted->parent, wanted->module, wanted->offset) & mask;

        for (; stacks->slots[i]; i = (i + 1) & mask) {
                const struct stack_node *node = &stacks->nodes[stacks->slots[i] - 1];

                if (node->offset == wanted->offset && node->parent == wanted->parent &&
                    node->module == wanted->module)
                        break;
        }
        return i;
}

static void grow_slots(struct stacks *stacks)
{
        free(stacks->slots);
        stacks->n_slots *= 2;
        stacks->slots = mem_new(stacks->n_slots, sizeof(*stacks->slots));
        for (size_t i = 0; i < stacks->n_nodes; i++)
                stacks->slots[slot_of(stacks, &stacks->nodes[i])] = (uint32_t)i + 1;
}

static uint32_t find_or_add(struct stacks *stacks, const struct stack_node *node)
{
        size_t slot = slot_of(stacks, node);

        if (stacks->slots[slot])
                return stacks->slots[slot] - 1;
        ARRAY_PUSH(stacks->nodes, stacks->n_nodes, stacks->cap_nodes, *node);
        stacks->slots[slot] = (uint32_t)stacks->n_nodes;
        if (stacks->n_nodes * 2 > stacks->n_slots)
                grow_slots(stacks);
        return (uint32_t)stacks->n_nodes - 1;
}

static uint32_t find_child(struct stacks *stacks, struct world *world, uint32_t parent, int32_t pid,
                           const struct stack_frame *frame, uint64_t version)
{
        uint64_t addr = frame->addr - frame->is_return;
        struct cached *cached = &stacks->cache[hash_node(parent, (module_id)version, addr) % CACHE_SLOTS];
        struct place at;

        if (cached->addr == addr && cached->parent == parent && cached->version == version)
                return cached->child;
        at = world_find(world, pid, frame->misc, addr);
        *cached = (struct cached){.addr = addr, .version = version, .parent = parent};
        cached->child = find_or_add(stacks, &(struct stack_node){
                                                    .parent = parent,
                                                    .module = at.module,
                                                    .offset = at.offset,
                                                    .base = at.map_start - at.map_pgoff,
                                                    .is_kernel = frame->misc == PERF_MISC_KERNEL,
                                                    .is_cut = frame->misc == STACKS_CUT,
                                            });
        return cached->child;
}

/* --- Samples --- */

static uint32_t find_series(struct stacks *stacks, uint32_t event, str_id comm)
{
        const struct stack_series *last = stacks->n_series ? &stacks->series[stacks->last_series] : NULL;
        uint64_t *known;

        if (last && last->event == event && last->comm == comm)
                return stacks->last_series;
        known = map_put(&stacks->by_event_and_comm, (uint64_t)event << 32 | comm, NULL);
        if (!*known) {
                ARRAY_PUSH(stacks->series, stacks->n_series, stacks->cap_series,
                           (struct stack_series){.event = event, .comm = comm});
                *known = stacks->n_series;
        }
        stacks->last_series = (uint32_t)*known - 1;
        return stacks->last_series;
}

static void count(struct stacks *stacks, uint32_t index, uint32_t node, uint64_t n, uint64_t weight)
{
        struct stack_series *series = &stacks->series[index];

        if (node >= series->n_ends) {
                size_t size = stacks->cap_nodes;

                series->ends = mem_resize(series->ends, size, sizeof(*series->ends));
                memset(series->ends + series->n_ends, 0, (size - series->n_ends) * sizeof(*series->ends));
                series->n_ends = size;
        }
        series->ends[node].count += n;
        series->ends[node].weight += weight;
}

static struct known_chain hash_chain(struct world *world, const struct sample *sample, uint32_t series)
{
        const uint8_t *at = sample->chain.at;
        uint64_t hash = world_version(world, sample->pid, PERF_MISC_USER) << 32 ^
                        world_version(world, sample->pid, PERF_MISC_KERNEL);
        uint64_t check = map_mix(sample->ip) ^ (uint64_t)series << 32 ^ sample->misc;

        for (uint64_t i = 0; i < sample->n_chain; i++, at += sizeof(uint64_t)) {
                uint64_t word;

                memcpy(&word, at, sizeof(word));
                hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
                hash ^= hash >> 29;
                check = (check + word) * 0xd6e8feb86659fd93u;
                check ^= check >> 32;
        }
        return (struct known_chain){
                .hash = map_mix(hash ^ series) | 1, .check = (uint32_t)check, .series = series};
}

static struct chain_bucket *bucket_of(const struct stacks *stacks, const struct known_chain *chain)
{
        return &stacks->buckets[(chain->hash >> 1) % CHAIN_BUCKETS];
}

static bool is_known(const struct known_chain *known, const struct known_chain *wanted)
{
        return known->hash == wanted->hash && known->check == wanted->check &&
               known->series == wanted->series;
}

static void settle(struct stacks *stacks, struct known_chain *chain)
{
        if (chain->count)
                count(stacks, chain->series, chain->node, chain->count, chain->weight);
        chain->count = 0;
        chain->weight = 0;
}

bool stacks_add_again(struct stacks *stacks, struct world *world, uint32_t event, const struct sample *sample,
                      uint64_t weight)
{
        uint32_t series = find_series(stacks, event, world_thread_name_id(world, sample->pid, sample->tid));
        struct known_chain wanted = hash_chain(world, sample, series);
        struct known_chain *chains = bucket_of(stacks, &wanted)->chains;

        if (!is_known(&chains[0], &wanted)) {
                struct known_chain second = chains[1];

                if (!is_known(&second, &wanted)) {
                        stacks->pending = wanted;
                        return false;
                }
                chains[1] = chains[0];
                chains[0] = second;
        }
        if (chains[0].count == UINT32_MAX)
                settle(stacks, &chains[0]);
        chains[0].count++;
        chains[0].weight += weight;
        return true;
}

static void keep_pending(struct stacks *stacks, uint32_t node)
{
        struct known_chain *chains = bucket_of(stacks, &stacks->pending)->chains;

        if (!stacks->pending.hash)
                return;
        settle(stacks, &chains[1]);
        chains[1] = chains[0];
        chains[0] = stacks->pending;
        chains[0].node = node;
        stacks->pending.hash = 0;
}

void stacks_add(struct stacks *stacks, struct world *world, uint32_t event, const struct sample *sample,
                const struct stack_frame *frames, size_t n_frames, uint64_t weight)
{
        uint32_t series = find_series(stacks, event, world_thread_name_id(world, sample->pid, sample->tid));
        uint32_t at = STACKS_NONE;
        uint16_t misc = UINT16_MAX;
        uint64_t version = 0;

        for (size_t i = n_frames; i-- > 0;) {
                if (frames[i].misc != misc) {
                        misc = frames[i].misc;
                        version = world_version(world, sample->pid, misc);
                }
                at = find_child(stacks, world, at, sample->pid, &frames[i], version);
        }
        count(stacks, series, at, 1, weight);
        keep_pending(stacks, at);
}

void stacks_finish(struct stacks *stacks)
{
        for (size_t i = 0; i < CHAIN_BUCKETS; i++) {
                settle(stacks, &stacks->buckets[i].chains[0]);
                settle(stacks, &stacks->buckets[i].chains[1]);
        }
        free(stacks->bucket_bytes);
        free(stacks->cache);
        stacks->bucket_bytes = NULL;
        stacks->cache = NULL;
}

/* --- Looking --- */

size_t stacks_n_nodes(const struct stacks *stacks)
{
        return stacks->n_nodes;
}

const struct stack_node *stacks_get_node(const struct stacks *stacks, uint32_t node)
{
        return &stacks->nodes[node];
}

size_t stacks_n_series(const struct stacks *stacks)
{
        return stacks->n_series;
}

const struct stack_series *stacks_get_series(const struct stacks *stacks, size_t index)
{
        return &stacks->series[index];
}
