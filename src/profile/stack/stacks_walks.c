/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts walks: converts the frames of a stack, or the words of a call chain, to addresses to look up. */
#include <string.h>

#include "stacks_internal.h"

void stack_walk_begin(struct stacks *stacks, struct world *world, struct stack_walk *walk, int32_t pid,
                      const struct stack_frame *frames, size_t n_frames)
{
        uint32_t keys[2] = {0}; /* for sampled addresses, and for callers */
        uint16_t misc = UINT16_MAX;

        walk->n = walk->n_all = n_frames;
        walk->pid = pid;
        walk->node = STACKS_NONE;
        walk->n_same = 0;
        walk->has_unwound = true;
        for (size_t i = 0; i < n_frames; i++) {
                const struct stack_frame *frame = &frames[i];

                if (frame->misc != misc) {
                        misc = frame->misc;
                        stacks_get_keys(stacks, world, pid, misc, keys);
                }
                walk->queries[i] = (struct place_query){frame->addr - frame->is_return,
                                                        keys[frame->is_return], misc, frame->is_return};
                walk->is_unwound[i] = frame->is_unwound;
                places_expect(&stacks->places, &walk->queries[i]);
        }
}

/* --- Call chains --- */

/* The number of outermost words that are callers in the previous walk too: consecutive samples of a process
 * have most of them in common. Counts only words of the last context in the chain, without its first frame,
 * which is not a caller. */
static size_t count_same(const struct stack_walk *before, const struct waiting_chain *w)
{
        const size_t n = (size_t)w->sample.n_chain;
        size_t same = 0;

        while (same + 1 < n && same + 1 < before->n_all) {
                const struct place_query *query = &before->queries[before->n_all - 1 - same];
                uint64_t word = w->words[n - 1 - same];

                if (query->addr != word - 1 || !query->is_caller || word >= PERF_CONTEXT_MAX ||
                    w->words[n - 2 - same] >= PERF_CONTEXT_MAX)
                        break;
                same++;
        }
        return same;
}

/* State while reading a chain. */
struct chain_reader {
        uint32_t keys[2];
        uint16_t misc;
        bool is_return; /* the next word is a return address */
        size_t n;       /* number of frames */
};

static void enter_context(struct stacks *stacks, struct world *world, const struct waiting_chain *w,
                          struct chain_reader *r)
{
        r->is_return = false;
        if (r->misc == PERF_MISC_USER)
                memcpy(r->keys, w->user_keys, sizeof(r->keys));
        else if (r->misc == PERF_MISC_KERNEL)
                memcpy(r->keys, w->kernel_keys, sizeof(r->keys));
        else
                stacks_get_keys(stacks, world, w->sample.pid, r->misc, r->keys);
}

/* Reads the frames of the innermost `n` words. */
static struct chain_reader read_words(struct stacks *stacks, struct world *world,
                                      const struct waiting_chain *w, size_t n, struct place_query *queries)
{
        const uint16_t of_sample = w->sample.misc & PERF_MISC_CPUMODE_MASK;
        struct chain_reader r = {.misc = of_sample};

        enter_context(stacks, world, w, &r);
        for (size_t i = 0; i < n; i++) {
                uint64_t word = w->words[i];

                if (word >= PERF_CONTEXT_MAX) {
                        stack_context_of(word, &r.misc);
                        enter_context(stacks, world, w, &r);
                        /* The next word identifies the record that will have the frames. */
                        i += word == PERF_CONTEXT_USER_DEFERRED;
                        continue;
                }
                /* The sample's own address may be more precise than the kernel's chain. */
                if (!r.n && w->sample.ip && r.misc == of_sample)
                        word = w->sample.ip;
                queries[r.n] =
                        (struct place_query){word - r.is_return, r.keys[r.is_return], r.misc, r.is_return};
                places_expect(&stacks->places, &queries[r.n++]);
                r.is_return = true;
        }
        return r;
}

void stack_walk_begin_chain(struct stacks *stacks, struct world *world, struct stack_walk *walk,
                            const struct stack_walk *before, const struct waiting_chain *w)
{
        const size_t n_words = (size_t)w->sample.n_chain;
        size_t same = before && before->pid == w->sample.pid ? count_same(before, w) : 0;
        const struct place_query *rest = same ? &before->queries[before->n_all - same] : NULL;
        struct chain_reader r = read_words(stacks, world, w, n_words - same, walk->queries);

        /* The addresses are equal, but the CPU mode is not. */
        if (same && (!r.is_return || r.keys[true] != rest->key)) {
                same = 0;
                r = read_words(stacks, world, w, n_words, walk->queries);
        }
        if (same)
                memcpy(&walk->queries[r.n], rest, same * sizeof(*rest));
        if (!r.n) {
                r = (struct chain_reader){.misc = w->sample.misc & PERF_MISC_CPUMODE_MASK};
                enter_context(stacks, world, w, &r);
                walk->queries[r.n++] = (struct place_query){w->sample.ip, r.keys[false], r.misc, false};
        }
        walk->n = walk->n_all = r.n + same;
        walk->n_same = same;
        walk->pid = w->sample.pid;
        walk->node = STACKS_NONE;
        walk->has_unwound = false;
}
