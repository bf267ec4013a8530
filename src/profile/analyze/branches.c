/* SPDX-License-Identifier: BSD-3-Clause */
#include "branches.h"

#include <assert.h>
#include <stdlib.h>

#include "map.h"
#include "mem.h"

enum {
        CACHE_SLOTS = 1 << 14,
        EDGE_BYTES = 256 /* bytes of memory for an edge, with its slots and its row */
};

/* A cached lookup: the edge for two addresses, valid for these versions of the maps. */
struct cached {
        uint64_t from, to, from_version, to_version;
        uint32_t event, edge;
        bool is_not_taken;
};

struct branches {
        struct branch_edge *edges;
        uint32_t *nexts; /* next edge with the same hash, + 1 */
        size_t n_edges, cap_edges, n_nexts, cap_nexts;
        struct map by_hash; /* hash -> edge + 1 */
        struct cached *cache;
        struct budget_share share;
};

struct branches *branches_new(void)
{
        struct branches *b = mem_new(1, sizeof(*b));

        b->cache = mem_new(CACHE_SLOTS, sizeof(*b->cache));
        return b;
}

void branches_set_budget(struct branches *b, struct budget *budget)
{
        b->share.budget = budget;
}

void branches_free(struct branches *b)
{
        if (!b)
                return;
        map_release(&b->by_hash);
        budget_share_keep(&b->share, 0);
        free(b->edges);
        free(b->nexts);
        free(b->cache);
        free(b);
}

bool branches_are_edges(const struct perf_attr *attr)
{
        return attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
               !(attr->branch_sample_type & PERF_BRANCH_CALL_STACK);
}

static bool same_edge(const struct branch_edge *a, const struct branch_edge *b)
{
        return a->event == b->event && a->is_not_taken == b->is_not_taken &&
               a->from.module == b->from.module && a->from.offset == b->from.offset &&
               a->to.module == b->to.module && a->to.offset == b->to.offset;
}

/* For each event, one edge counts the branches for which there is no memory. */
static bool may_add(struct branches *b, const struct branch_edge *wanted)
{
        const struct branch_end nowhere = {.module = MODULE_NONE};
        const struct branch_edge lost = {
                .event = wanted->event, .from = nowhere, .to = nowhere, .is_not_taken = wanted->is_not_taken};

        return same_edge(wanted, &lost) || budget_share_take(&b->share, BUDGET_ADDRESSES, EDGE_BYTES);
}

static uint32_t find_or_add(struct branches *b, const struct branch_edge *wanted)
{
        const struct branch_end nowhere = {.module = MODULE_NONE};
        uint64_t from = map_mix(wanted->from.offset ^ (uint64_t)wanted->from.module << 40);
        uint64_t to = wanted->to.offset ^ (uint64_t)wanted->to.module << 40 ^ (uint64_t)wanted->event << 20;
        const uint64_t *known = map_find(&b->by_hash, map_mix(from + to));
        uint64_t *first;

        for (uint64_t i = known ? *known : 0; i; i = b->nexts[i - 1]) {
                if (same_edge(&b->edges[i - 1], wanted))
                        return (uint32_t)i - 1;
        }
        if (!may_add(b, wanted))
                return find_or_add(b, &(struct branch_edge){.event = wanted->event,
                                                            .from = nowhere,
                                                            .to = nowhere,
                                                            .is_not_taken = wanted->is_not_taken});
        first = map_put(&b->by_hash, map_mix(from + to), NULL);
        ARRAY_PUSH(b->nexts, b->n_nexts, b->cap_nexts, (uint32_t)*first);
        ARRAY_PUSH(b->edges, b->n_edges, b->cap_edges, *wanted);
        *first = b->n_edges;
        return (uint32_t)b->n_edges - 1;
}

/* An entry does not contain the mode of each end; the kernel uses the upper half of the address space. */
static uint16_t mode_of(uint64_t addr)
{
        return addr >> 63 ? PERF_MISC_KERNEL : PERF_MISC_USER;
}

static struct branch_end end_of(struct world *world, int32_t pid, uint64_t addr)
{
        struct place at = world_find(world, pid, mode_of(addr), addr);

        return (struct branch_end){at.module, at.offset};
}

static uint32_t find_edge(struct branches *b, struct world *world, int32_t pid, const struct cached *wanted)
{
        uint64_t hash = map_mix(map_mix(wanted->from ^ wanted->from_version << 48) + wanted->to);
        struct cached *known = &b->cache[hash % CACHE_SLOTS];

        /* Versions are never 0, so empty entries do not match. */
        if (known->from == wanted->from && known->to == wanted->to && known->event == wanted->event &&
            known->is_not_taken == wanted->is_not_taken && known->from_version == wanted->from_version &&
            known->to_version == wanted->to_version)
                return known->edge;
        *known = *wanted;
        known->edge = find_or_add(b, &(struct branch_edge){
                                             .event = wanted->event,
                                             .from = end_of(world, pid, wanted->from),
                                             .to = end_of(world, pid, wanted->to),
                                             .is_not_taken = wanted->is_not_taken,
                                     });
        return known->edge;
}

void branches_add(struct branches *b, struct world *world, uint32_t event, const struct sample *sample)
{
        uint64_t versions[2] = {world_version(world, sample->pid, PERF_MISC_USER),
                                world_version(world, sample->pid, PERF_MISC_KERNEL)};
        struct branch branch;

        for (uint64_t i = 0; sample_branch(sample, i, &branch); i++) {
                const struct cached wanted = {
                        .from = branch.from,
                        .to = branch.to,
                        .from_version = versions[branch.from >> 63],
                        .to_version = versions[branch.to >> 63],
                        .event = event,
                        .is_not_taken = branch.not_taken,
                };
                struct branch_edge *edge;
                uint32_t index;

                if (!branch.from && !branch.to)
                        continue;
                index = find_edge(b, world, sample->pid, &wanted);
                edge = &b->edges[index];
                edge->count++;
                edge->n_told += branch.predicted || branch.mispredicted;
                edge->n_mispredicted += branch.mispredicted;
                edge->n_timed += branch.cycles > 0;
                edge->cycles += branch.cycles;
        }
}

size_t branches_n_edges(const struct branches *b)
{
        return b->n_edges;
}

const struct branch_edge *branches_get_edge(const struct branches *b, size_t index)
{
        assert(index < b->n_edges);
        return &b->edges[index];
}
