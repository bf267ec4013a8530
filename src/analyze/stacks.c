/* SPDX-License-Identifier: BSD-3-Clause */
/* From frames to nodes, and the series that samples are counted in. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "stacks_internal.h"

enum { STEP_BUCKETS = 1 << 16, BUCKET_BYTES = 64 };

/* The child that an address led to while the maps had this version. */
struct step {
        uint64_t addr, version;
        uint32_t parent, child;
};

/* The one that was taken last comes first. */
struct step_bucket {
        struct step steps[2];
        uint64_t padding[2];
};

_Static_assert(sizeof(struct step_bucket) == BUCKET_BYTES, "a line of a cache");

struct stacks *stacks_new(void)
{
        struct stacks *stacks = mem_new(1, sizeof(*stacks));

        stacks->n_slots = 1024;
        stacks->slots = mem_new(stacks->n_slots, sizeof(*stacks->slots));
        stacks->waiting = stacks_waiting_new();
        stacks->bucket_bytes = mem_new(STEP_BUCKETS + 1, BUCKET_BYTES);
        stacks->buckets = (struct step_bucket *)(stacks->bucket_bytes +
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
        known_chains_release(&stacks->known);
        free(stacks->waiting);
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

struct stack_frame stack_frame_of_sample(const struct sample *sample)
{
        return (struct stack_frame){sample->ip, sample->misc & PERF_MISC_CPUMODE_MASK, false};
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

static bool is_same_step(const struct step *a, const struct step *b)
{
        return a->addr == b->addr && a->parent == b->parent && a->version == b->version;
}

static uint32_t find_child(struct stacks *stacks, struct world *world, int32_t pid, const struct step *wanted,
                           const struct stack_frame *frame, struct step_bucket *bucket)
{
        struct step *steps = bucket->steps, second = steps[1];
        struct place at;

        if (is_same_step(&steps[0], wanted))
                return steps[0].child;
        steps[1] = steps[0];
        if (is_same_step(&second, wanted)) {
                steps[0] = second;
                return second.child;
        }
        at = world_find(world, pid, frame->misc, wanted->addr);
        steps[0] = *wanted;
        steps[0].child = find_or_add(stacks, &(struct stack_node){
                                                     .parent = wanted->parent,
                                                     .module = at.module,
                                                     .offset = at.offset,
                                                     .base = at.map_start - at.map_pgoff,
                                                     .is_kernel = frame->misc == PERF_MISC_KERNEL,
                                                     .is_cut = frame->misc == STACKS_CUT,
                                                     .is_return = frame->is_return,
                                                     .is_unwound = frame->is_unwound,
                                             });
        return steps[0].child;
}

/* --- Samples --- */

uint32_t stacks_find_series(struct stacks *stacks, struct world *world, uint32_t event,
                            const struct sample *sample)
{
        str_id comm = world_thread_name_id(world, sample->pid, sample->tid);
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

void stacks_count(struct stacks *stacks, uint32_t index, uint32_t node, uint64_t n, uint64_t weight)
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

/* The places of a path's steps are asked for before any of them is looked at: they come together. */
static void find_buckets(struct stacks *stacks, const struct stack_frame *frames, size_t n_frames,
                         uint64_t version)
{
        uint64_t hash = version;

        for (size_t i = n_frames; i-- > 0;) {
                hash = stacks_mix(hash, frames[i].addr);
                stacks->found[i] = &stacks->buckets[(hash ^ hash >> 32) % STEP_BUCKETS];
                __builtin_prefetch(stacks->found[i], 1);
        }
}

uint32_t stacks_find_node(struct stacks *stacks, struct world *world, int32_t pid,
                          const struct stack_frame *frames, size_t n_frames)
{
        struct step step = {.child = STACKS_NONE};
        uint16_t misc = UINT16_MAX;

        find_buckets(stacks, frames, n_frames, world_version(world, pid, PERF_MISC_USER));
        for (size_t i = n_frames; i-- > 0;) {
                if (frames[i].misc != misc) {
                        misc = frames[i].misc;
                        step.version = world_version(world, pid, misc);
                }
                step.parent = step.child;
                step.addr = frames[i].addr - frames[i].is_return;
                step.child = find_child(stacks, world, pid, &step, &frames[i], stacks->found[i]);
        }
        return step.child;
}

void stacks_add(struct stacks *stacks, struct world *world, uint32_t event, const struct sample *sample,
                const struct stack_frame *frames, size_t n_frames, uint64_t weight)
{
        stacks->last_node = stacks_find_node(stacks, world, sample->pid, frames, n_frames);
        stacks_count(stacks, stacks_find_series(stacks, world, event, sample), stacks->last_node, 1, weight);
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
