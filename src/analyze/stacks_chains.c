/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples by their call chains alone.  A chain is counted some samples after it was taken: first the slot of its key is asked
 * for, half the ring later its count, and at the end of the ring both are there. */
#include <string.h>

#include "arena.h"
#include "stacks_internal.h"

enum { LOOK_AFTER = WAITING_CHAINS / 2, MAX_WAITING_WORDS = 1024 };

struct waiting_chain {
        struct chain_key key;
        uint32_t series;
        uint32_t known; /* index + 1; 0: not looked for, or not there */
        uint64_t weight;
        struct sample sample; /* its chain is in words */
        uint64_t words[MAX_WAITING_WORDS];
        uint64_t apart[16]; /* rings of a power of two would fight for the same lines of the cache */
};

struct waiting_chain *stacks_waiting_new(void)
{
        return mem_new(WAITING_CHAINS, sizeof(struct waiting_chain));
}

static struct waiting_chain *waiting_at(const struct stacks *stacks, size_t index)
{
        return &stacks->waiting[index % WAITING_CHAINS];
}

/* Two words at a time: the one's product need not wait for the other's.  The sample's own address is a word of most
 * chains too, and is mixed first lest the two cancel. */
static struct chain_key make_key(const struct waiting_chain *w, uint64_t versions)
{
        uint64_t even = versions ^ w->series, odd = map_mix(w->sample.ip) ^ (uint64_t)w->sample.misc << 48;
        size_t n = (size_t)w->sample.n_chain, i = 0;

        for (; i + 1 < n; i += 2) {
                even = stacks_mix(even, w->words[i]);
                odd = stacks_mix(odd, w->words[i + 1]);
        }
        if (i < n)
                even = stacks_mix(even, w->words[i]);
        odd = stacks_mix(odd, n);
        return (struct chain_key){
                .hash = map_mix(even ^ (odd << 32 | odd >> 32)),
                .check = (uint32_t)map_mix(even + odd),
        };
}

static void end_walks(struct stacks *stacks, struct world *world)
{
        stack_walks_end(stacks, world, stacks->walks, stacks->n_walks);
        for (size_t i = 0; i < stacks->n_walks; i++)
                stacks->known.chains[stacks->walks[i].known].node = stacks->walks[i].node;
        stacks->n_walks = 0;
}

static void forget_known(struct stacks *stacks, struct world *world)
{
        struct known_chains *known = &stacks->known;

        end_walks(stacks, world);
        for (size_t i = 0; i < known->n; i++) {
                const struct known_chain *chain = &known->chains[i];

                if (chain->count)
                        stacks_count(stacks, chain->series, chain->node, chain->count, chain->weight);
        }
        for (size_t i = stacks->n_counted; i < stacks->n_taken; i++)
                waiting_at(stacks, i)->known = 0;
        known_chains_clear(known);
        stacks->last_known = KNOWN_NONE;
}

static void add_new(struct stacks *stacks, struct world *world, const struct waiting_chain *w)
{
        struct known_chain chain = {.series = w->series, .count = 1, .weight = w->weight};
        bool is_cut = false, has_user = false;
        size_t n = stack_frames_of_chain(&w->sample, stacks->frames, &is_cut, &has_user);
        struct stack_walk *walk;

        if (!n)
                stacks->frames[n++] = stack_frame_of_sample(&w->sample);
        if (stacks->known.n == stacks->max_known)
                forget_known(stacks, world);
        if (stacks->n_walks == STACK_WALKS)
                end_walks(stacks, world);
        stacks->last_known = (uint32_t)stacks->known.n;
        known_chains_add(&stacks->known, &w->key, &chain);
        walk = &stacks->walks[stacks->n_walks++];
        walk->known = stacks->last_known;
        stack_walk_begin(stacks, world, walk, stacks->n_walks > 1 ? walk - 1 : NULL, w->sample.pid,
                         stacks->frames, n);
}

static void count_oldest(struct stacks *stacks, struct world *world)
{
        struct waiting_chain *w = waiting_at(stacks, stacks->n_counted++);
        struct known_chain *known;

        /* The same chain may have come before it in the ring. */
        if (!w->known)
                w->known = known_chains_find(&stacks->known, &w->key);
        if (!w->known) {
                add_new(stacks, world, w);
                return;
        }
        known = &stacks->known.chains[w->known - 1];
        known->count++;
        known->weight += w->weight;
        stacks->last_known = w->known - 1;
}

static void look_up(const struct stacks *stacks, struct waiting_chain *w)
{
        w->known = known_chains_find(&stacks->known, &w->key);
        if (w->known)
                __builtin_prefetch(&stacks->known.chains[w->known - 1], 1);
}

bool stacks_can_add_chain(const struct sample *sample)
{
        return sample->n_chain && sample->n_chain <= MAX_WAITING_WORDS;
}

void stacks_add_chain(struct stacks *stacks, struct world *world, uint32_t event, const struct sample *sample,
                      uint64_t weight)
{
        size_t size = (size_t)sample->n_chain * sizeof(uint64_t);
        struct waiting_chain *w;

        if (stacks->n_taken - stacks->n_counted == WAITING_CHAINS)
                count_oldest(stacks, world);
        w = waiting_at(stacks, stacks->n_taken++);
        memcpy(w->words, sample->chain.at, size);
        w->series = stacks_find_series(stacks, world, event, sample);
        w->weight = weight;
        w->known = 0;
        w->sample.pid = sample->pid;
        w->sample.misc = sample->misc;
        w->sample.ip = sample->ip;
        w->sample.n_chain = sample->n_chain;
        w->sample.chain = cursor_make(w->words, size);
        w->sample.chain.swap = sample->chain.swap;
        w->key = make_key(w, world_version(world, sample->pid, PERF_MISC_USER) << 32 ^
                                     world_version(world, sample->pid, PERF_MISC_KERNEL));
        known_chains_expect(&stacks->known, &w->key);
        if (stacks->n_taken - stacks->n_counted > LOOK_AFTER)
                look_up(stacks, waiting_at(stacks, stacks->n_taken - 1 - LOOK_AFTER));
}

void stacks_catch_up(struct stacks *stacks, struct world *world)
{
        while (stacks->n_counted < stacks->n_taken)
                count_oldest(stacks, world);
        if (stacks->n_walks)
                end_walks(stacks, world);
}

uint32_t stacks_last(struct stacks *stacks, struct world *world)
{
        stacks_catch_up(stacks, world);
        return stacks->last_known == KNOWN_NONE ? stacks->last_node
                                                : stacks->known.chains[stacks->last_known].node;
}

void stacks_finish(struct stacks *stacks, struct world *world)
{
        stacks_catch_up(stacks, world);
        forget_known(stacks, world);
        places_finish(&stacks->places);
        stacks_sort_ends(stacks);
}
