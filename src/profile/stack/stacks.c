/* SPDX-License-Identifier: BSD-3-Clause */
/* Extracts the frames of samples, and counts samples in series. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "stacks_internal.h"

enum {
        FIRST_SLOTS = 1024,
        LEAST_KNOWN = 1024,    /* lower limit of known chains */
        BYTES_OF_KNOWN = 4096, /* bytes of the budget for each known chain */
};

/* Samples of one series that end at a node. */
struct node_end {
        uint32_t series;
        uint32_t next; /* next end of the same node: index + 1; 0 for none */
        uint64_t count, weight;
};

struct stacks *stacks_new(bool merges_strays)
{
        struct stacks *stacks = mem_new(1, sizeof(*stacks));

        places_init(&stacks->places, merges_strays);
        stacks->n_slots = FIRST_SLOTS;
        stacks->slots = stacks_slots_new(stacks->n_slots);
        stacks->waiting = stacks_waiting_new();
        stacks->walks = mem_new(STACK_WALKS, sizeof(*stacks->walks));
        stacks->last_known = KNOWN_NONE;
        stacks->max_known = KNOWN_CHAINS_MAX;
        stacks->judge_at = CHAINS_TO_JUDGE;
        stacks->era = 1;
        return stacks;
}

void stacks_set_budget(struct stacks *stacks, struct budget *budget)
{
        uint64_t limit = budget_limit(budget) / BYTES_OF_KNOWN;

        stacks->share.budget = budget;
        stacks->places.share = &stacks->share;
        if (limit < KNOWN_CHAINS_MAX)
                stacks->max_known = limit < LEAST_KNOWN ? LEAST_KNOWN : (size_t)limit;
}

/* Frees what is only needed while samples are added. */
static void release_tables(struct stacks *stacks)
{
        known_chains_release(&stacks->known);
        free(stacks->first_end);
        free(stacks->waiting);
        free(stacks->walks);
        free(stacks->slots);
        free(stacks->ends);
        free(stacks->shared);
        stacks->first_end = NULL;
        stacks->n_first_ends = 0;
        stacks->waiting = NULL;
        stacks->walks = NULL;
        stacks->slots = NULL;
        stacks->ends = NULL;
        stacks->shared = NULL;
        stacks->n_shared = 0;
}

void stacks_free(struct stacks *stacks)
{
        if (!stacks)
                return;
        release_tables(stacks);
        places_release(&stacks->places);
        budget_share_keep(&stacks->share, 0);
        for (size_t i = 0; i < stacks->n_series; i++)
                free(stacks->series[i].ends);
        free(stacks->series);
        map_release(&stacks->by_event_and_comm);
        free(stacks->nodes);
        free(stacks);
}

/* --- Frames of a sample --- */

void stack_context_of(uint64_t mark, uint16_t *misc)
{
        switch (mark) {
        case PERF_CONTEXT_KERNEL: *misc = PERF_MISC_KERNEL; break;
        case PERF_CONTEXT_USER: *misc = PERF_MISC_USER; break;
        case PERF_CONTEXT_HV: *misc = PERF_MISC_HYPERVISOR; break;
        case PERF_CONTEXT_GUEST_KERNEL: *misc = PERF_MISC_GUEST_KERNEL; break;
        case PERF_CONTEXT_GUEST:
        case PERF_CONTEXT_GUEST_USER: *misc = PERF_MISC_GUEST_USER; break;
        default: break;
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

                if (word >= PERF_CONTEXT_MAX) {
                        stack_context_of(word, &misc);
                        is_return = false;
                        /* The next word identifies the record that will have the frames. */
                        if (word == PERF_CONTEXT_USER_DEFERRED)
                                i += cursor_skip(&chain, sizeof(word));
                        continue;
                }
                if (n == STACKS_MAX_FRAMES) {
                        *ret_cut = true;
                        break;
                }
                /* The sample's own address may be more precise than the kernel's chain. */
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
        assert(n <= STACKS_MAX_FRAMES);
        frames[n] = (struct stack_frame){.misc = STACKS_CUT};
        return n + 1;
}

size_t stack_frames_add_state(struct stack_frame *frames, size_t n, unsigned state)
{
        assert(state && n < STACKS_ROOM);
        memmove(frames + 1, frames, n * sizeof(*frames));
        frames[0] = (struct stack_frame){.addr = state, .misc = STACKS_STATE};
        return n + 1;
}

/* --- Samples --- */

/* The series without a thread name takes samples for which there is no memory. */
static bool may_add_series(struct stacks *stacks, str_id comm)
{
        return !comm || budget_share_take(&stacks->share, BUDGET_STACKS, SERIES_BYTES);
}

uint32_t stacks_series_of(struct stacks *stacks, uint32_t event, str_id comm)
{
        uint64_t key = (uint64_t)event << 32 | comm;
        const struct stack_series *last = stacks->n_series ? &stacks->series[stacks->last_series] : NULL;
        uint64_t *known;

        if (last && last->event == event && last->comm == comm)
                return stacks->last_series;
        known = map_find(&stacks->by_event_and_comm, key);
        if (!known) {
                if (!may_add_series(stacks, comm))
                        return stacks_series_of(stacks, event, 0);
                known = map_put(&stacks->by_event_and_comm, key, NULL);
                ARRAY_PUSH(stacks->series, stacks->n_series, stacks->cap_series,
                           (struct stack_series){.event = event, .comm = comm});
                *known = stacks->n_series;
        }
        stacks->last_series = (uint32_t)*known - 1;
        return stacks->last_series;
}

uint32_t stacks_find_series(struct stacks *stacks, struct world *world, uint32_t event,
                            const struct sample *sample)
{
        return stacks_series_of(stacks, event, world_thread_name_id(world, sample->pid, sample->tid));
}

/* Makes room for all nodes that are allocated. */
static void grow_first_ends(struct stacks *stacks)
{
        size_t n = stacks->cap_nodes;

        stacks->first_end = mem_resize(stacks->first_end, n, sizeof(*stacks->first_end));
        memset(stacks->first_end + stacks->n_first_ends, 0,
               (n - stacks->n_first_ends) * sizeof(*stacks->first_end));
        stacks->n_first_ends = n;
}

static struct node_end *find_end(const struct stacks *stacks, uint32_t series, uint32_t node)
{
        if (node >= stacks->n_first_ends)
                return NULL;
        for (uint32_t at = stacks->first_end[node]; at; at = stacks->ends[at - 1].next) {
                if (stacks->ends[at - 1].series == series)
                        return &stacks->ends[at - 1];
        }
        return NULL;
}

static bool has_end(const struct stacks *stacks, uint32_t node)
{
        return node < stacks->n_first_ends && stacks->first_end[node];
}

static void add_end(struct stacks *stacks, uint32_t series, uint32_t node, uint64_t n, uint64_t weight)
{
        if (node >= stacks->n_first_ends)
                grow_first_ends(stacks);
        ARRAY_PUSH(stacks->ends, stacks->n_ends, stacks->cap_ends,
                   (struct node_end){series, stacks->first_end[node], n, weight});
        stacks->first_end[node] = (uint32_t)stacks->n_ends;
        stacks->series[series].n_ends++;
}

/* False if there is no memory for another end. */
static bool count_at(struct stacks *stacks, uint32_t series, uint32_t node, uint64_t n, uint64_t weight,
                     enum budget_use use)
{
        struct node_end *end = find_end(stacks, series, node);

        if (end) {
                end->count += n;
                end->weight += weight;
                return true;
        }
        if (has_end(stacks, node) && !budget_share_take(&stacks->share, use, END_BYTES))
                return false;
        add_end(stacks, series, node, n, weight);
        return true;
}

void stacks_count(struct stacks *stacks, uint32_t series, uint32_t node, uint64_t n, uint64_t weight)
{
        struct node_end *end;

        if (count_at(stacks, series, node, n, weight, BUDGET_STACKS))
                return;
        series = stacks_series_of(stacks, stacks->series[series].event, 0);
        if (count_at(stacks, series, node, n, weight, BUDGET_ADDRESSES))
                return;
        /* One such node for each event. */
        node = stacks_without_callers(
                stacks, places_add(&stacks->places, &(struct code_place){.module = MODULE_NONE}));
        end = find_end(stacks, series, node);
        if (!end) {
                add_end(stacks, series, node, n, weight);
                return;
        }
        end->count += n;
        end->weight += weight;
}

void stacks_sort_ends(struct stacks *stacks)
{
        for (size_t i = 0; i < stacks->n_series; i++) {
                struct stack_series *series = &stacks->series[i];

                series->ends = mem_new(series->n_ends, sizeof(*series->ends));
                series->n_ends = 0;
        }
        for (uint32_t node = 0; node < stacks->n_nodes && node < stacks->n_first_ends; node++) {
                for (uint32_t at = stacks->first_end[node]; at; at = stacks->ends[at - 1].next) {
                        const struct node_end *end = &stacks->ends[at - 1];
                        struct stack_series *series = &stacks->series[end->series];

                        series->ends[series->n_ends++] = (struct stack_end){node, end->count, end->weight};
                }
        }
        release_tables(stacks);
}

void stacks_add(struct stacks *stacks, struct world *world, uint32_t event, const struct sample *sample,
                const struct stack_frame *frames, size_t n_frames, uint64_t count, uint64_t weight)
{
        struct stack_walk *walk = stacks->walks;

        stacks_catch_up(stacks, world);
        stack_walk_begin(stacks, world, walk, sample->pid, frames, n_frames);
        stack_walks_end(stacks, world, walk, 1);
        stacks->last_known = KNOWN_NONE;
        stacks->last_node = walk->node;
        stacks_count(stacks, stacks_find_series(stacks, world, event, sample), walk->node, count, weight);
}

/* --- Reading --- */

size_t stacks_n_nodes(const struct stacks *stacks)
{
        return stacks->n_nodes;
}

const struct stack_node *stacks_get_node(const struct stacks *stacks, uint32_t node)
{
        return &stacks->nodes[node];
}

size_t stacks_n_places(const struct stacks *stacks)
{
        return stacks->places.n;
}

const struct code_place *stacks_get_place(const struct stacks *stacks, uint32_t place)
{
        return &stacks->places.items[place];
}

const struct code_place *stacks_place_of(const struct stacks *stacks, uint32_t node)
{
        return &stacks->places.items[stacks->nodes[node].place];
}

size_t stacks_n_series(const struct stacks *stacks)
{
        return stacks->n_series;
}

const struct stack_series *stacks_get_series(const struct stacks *stacks, size_t index)
{
        assert(index < stacks->n_series);
        return &stacks->series[index];
}
