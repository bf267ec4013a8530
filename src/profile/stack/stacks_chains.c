/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds samples by their call chains. A chain is counted some samples after it was added: first the slot of
 * its key is prefetched, half a ring later its count, and at the end of the ring both are in the cache. */
#include <string.h>

#include "mem.h"
#include "stacks_internal.h"

enum { LOOK_AFTER = WAITING_CHAINS / 2, CHAINS_TO_SKIP = 1 << 18 };

struct waiting_chain *stacks_waiting_new(void)
{
        return mem_new(WAITING_CHAINS, sizeof(struct waiting_chain));
}

static struct waiting_chain *waiting_at(const struct stacks *stacks, size_t index)
{
        return &stacks->waiting[index % WAITING_CHAINS];
}

/* Hashes two words at a time, so that the multiplications do not depend on each other. The sample's own
 * address is usually a word of the chain too, so it is mixed first to prevent the two from cancelling. */
static struct chain_key make_key(const struct waiting_chain *w, uint64_t versions)
{
        uint64_t even = versions ^ w->series, odd = map_mix(w->sample.ip) ^ (uint64_t)w->sample.misc << 48;
        const uint64_t factor = map_factors[2];
        size_t n = (size_t)w->sample.n_chain, i = 0;

        for (; i + 1 < n; i += 2) {
                even = stacks_mix(even, w->words[i], factor);
                odd = stacks_mix(odd, w->words[i + 1], factor);
        }
        if (i < n)
                even = stacks_mix(even, w->words[i], factor);
        odd = stacks_mix(odd, n, factor);
        return (struct chain_key){
                .hash = map_mix(even ^ (odd << 32 | odd >> 32)),
                .check = (uint32_t)map_mix(even + odd),
        };
}

static void end_walks(struct stacks *stacks, struct world *world)
{
        stack_walks_end(stacks, world, stacks->walks, stacks->n_walks);
        for (size_t i = 0; i < stacks->n_walks; i++) {
                const struct stack_walk *walk = &stacks->walks[i];

                if (walk->known != KNOWN_NONE)
                        stacks->known.chains[walk->known].node = walk->node;
                else
                        stacks_count(stacks, walk->series, walk->node, 1, walk->weight);
                stacks->last_node = walk->node;
        }
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
        struct stack_walk *walk;

        if (stacks->known.n == stacks->max_known)
                forget_known(stacks, world);
        if (stacks->n_walks == STACK_WALKS)
                end_walks(stacks, world);
        stacks->last_known = w->has_key ? (uint32_t)stacks->known.n : KNOWN_NONE;
        if (w->has_key)
                known_chains_add(&stacks->known, &w->key, &chain);
        walk = &stacks->walks[stacks->n_walks++];
        walk->known = stacks->last_known;
        walk->series = w->series;
        walk->weight = w->weight;
        stack_walk_begin_chain(stacks, world, walk, stacks->n_walks > 1 ? walk - 1 : NULL, w);
}

static void count_oldest(struct stacks *stacks, struct world *world)
{
        struct waiting_chain *w = waiting_at(stacks, stacks->n_counted++);
        struct known_chain *known;

        /* The same chain may have been added by an earlier sample of the ring. */
        if (!w->known && w->has_key)
                w->known = known_chains_find(&stacks->known, &w->key);
        if (!w->known) {
                add_new(stacks, world, w);
                return;
        }
        stacks->n_found++;
        known = &stacks->known.chains[w->known - 1];
        known->count++;
        known->weight += w->weight;
        stacks->last_known = w->known - 1;
}

static void look_up(const struct stacks *stacks, struct waiting_chain *w)
{
        if (!w->has_key)
                return;
        w->known = known_chains_find(&stacks->known, &w->key);
        if (w->known)
                __builtin_prefetch(&stacks->known.chains[w->known - 1], 1);
}

/* Once functions share their nodes, a walk costs less than searching for a chain that usually is not known.
 * The search is tried again later. */
static void judge_known(struct stacks *stacks)
{
        stacks->skips_known =
                stacks->n_shared && !stacks->skips_known && stacks->n_found < CHAINS_TO_JUDGE / 3;
        stacks->judge_at += stacks->skips_known ? CHAINS_TO_SKIP : CHAINS_TO_JUDGE;
        stacks->n_found = 0;
}

/* --- Adding a sample --- */

void stacks_get_keys(struct stacks *stacks, struct world *world, int32_t pid, uint16_t misc,
                     uint32_t ret_keys[2])
{
        uint64_t version = world_version(world, pid, misc);

        ret_keys[0] = places_key(&stacks->places, version, misc, false);
        ret_keys[1] = places_key(&stacks->places, version, misc, true);
}

static const struct chain_thread *get_thread(struct stacks *stacks, struct world *world, uint32_t event,
                                             const struct sample *sample)
{
        struct chain_thread *t = &stacks->threads[((uint32_t)sample->tid ^ event) % CHAIN_THREADS];

        if (t->era == stacks->era && t->epoch == stacks->places.epoch && t->pid == sample->pid &&
            t->tid == sample->tid && t->event == event)
                return t;
        *t = (struct chain_thread){
                .era = stacks->era,
                .pid = sample->pid,
                .tid = sample->tid,
                .event = event,
                .series = stacks_find_series(stacks, world, event, sample),
                .versions = world_version(world, sample->pid, PERF_MISC_USER) << 32 ^
                            world_version(world, sample->pid, PERF_MISC_KERNEL),
        };
        stacks_get_keys(stacks, world, sample->pid, PERF_MISC_USER, t->user_keys);
        stacks_get_keys(stacks, world, sample->pid, PERF_MISC_KERNEL, t->kernel_keys);
        t->epoch = stacks->places.epoch;
        return t;
}

static void copy_words(struct waiting_chain *w, const struct sample *sample)
{
        size_t n = (size_t)sample->n_chain;

        memcpy(w->words, sample->chain.at, n * sizeof(*w->words));
        for (size_t i = 0; sample->chain.swap && i < n; i++)
                w->words[i] = __builtin_bswap64(w->words[i]);
}

bool stacks_can_add_chain(const struct sample *sample)
{
        return sample->n_chain && sample->n_chain <= MAX_WAITING_WORDS;
}

void stacks_add_chain(struct stacks *stacks, struct world *world, uint32_t event, const struct sample *sample,
                      uint64_t weight)
{
        const struct chain_thread *thread;
        struct waiting_chain *w;

        if (stacks->n_taken - stacks->n_counted == WAITING_CHAINS)
                count_oldest(stacks, world);
        if (stacks->n_taken == stacks->judge_at)
                judge_known(stacks);
        thread = get_thread(stacks, world, event, sample);
        w = waiting_at(stacks, stacks->n_taken++);
        copy_words(w, sample);
        w->series = thread->series;
        w->weight = weight;
        w->known = 0;
        w->sample.pid = sample->pid;
        w->sample.misc = sample->misc;
        w->sample.ip = sample->ip;
        w->sample.n_chain = sample->n_chain;
        memcpy(w->user_keys, thread->user_keys, sizeof(w->user_keys));
        memcpy(w->kernel_keys, thread->kernel_keys, sizeof(w->kernel_keys));
        w->has_key = !stacks->skips_known;
        if (w->has_key) {
                w->key = make_key(w, thread->versions);
                known_chains_expect(&stacks->known, &w->key);
        }
        if (!stacks->skips_known && stacks->n_taken - stacks->n_counted > LOOK_AFTER)
                look_up(stacks, waiting_at(stacks, stacks->n_taken - 1 - LOOK_AFTER));
}

void stacks_catch_up(struct stacks *stacks, struct world *world)
{
        stacks->era++;
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
