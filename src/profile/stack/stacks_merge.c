/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges stacks that threads made of parts of a session, with the numbers that a single thread would give. */
#include <assert.h>
#include <stdlib.h>

#include "mem.h"
#include "stacks_internal.h"

struct stacks_mark stacks_get_mark(const struct stacks *stacks)
{
        return (struct stacks_mark){
                .n_places = stacks->places.n, .n_nodes = stacks->n_nodes, .n_series = stacks->n_series};
}

/* A part, and the numbers of its places, nodes and series in the merged stacks. */
struct merged_part {
        struct stacks *stacks;
        struct stacks_mark done;
        uint32_t *places, *nodes, *series;
};

struct stacks_merge {
        struct stacks *whole;
        struct merged_part *parts;
        size_t n_parts;
};

struct stacks_merge *stacks_merge_begin(struct stacks *const *parts, size_t n_parts)
{
        struct stacks_merge *merge = mem_new(1, sizeof(*merge));

        merge->whole = stacks_new(false);
        merge->parts = mem_new(n_parts, sizeof(*merge->parts));
        merge->n_parts = n_parts;
        for (size_t i = 0; i < n_parts; i++) {
                merge->parts[i] = (struct merged_part){
                        .stacks = parts[i],
                        .places = mem_new(parts[i]->places.n, sizeof(uint32_t)),
                        .nodes = mem_new(parts[i]->n_nodes, sizeof(uint32_t)),
                        .series = mem_new(parts[i]->n_series, sizeof(uint32_t)),
                };
        }
        return merge;
}

static void take_nodes(struct stacks *whole, struct merged_part *part, size_t n)
{
        for (; part->done.n_nodes < n; part->done.n_nodes++) {
                struct stack_node node = part->stacks->nodes[part->done.n_nodes];

                if (node.parent != STACKS_NONE)
                        node.parent = part->nodes[node.parent];
                node.place = part->places[node.place];
                part->nodes[part->done.n_nodes] = stacks_child(whole, &node);
        }
}

void stacks_merge_take(struct stacks_merge *merge, size_t index, const struct stacks_mark *until)
{
        struct merged_part *part = &merge->parts[index];

        assert(index < merge->n_parts && until->n_nodes >= part->done.n_nodes);
        for (; part->done.n_places < until->n_places; part->done.n_places++)
                part->places[part->done.n_places] =
                        places_add(&merge->whole->places, &part->stacks->places.items[part->done.n_places]);
        take_nodes(merge->whole, part, until->n_nodes);
        for (; part->done.n_series < until->n_series; part->done.n_series++) {
                const struct stack_series *series = &part->stacks->series[part->done.n_series];

                part->series[part->done.n_series] =
                        stacks_series_of(merge->whole, series->event, series->comm);
        }
}

static void take_ends(struct stacks *whole, const struct merged_part *part)
{
        for (size_t i = 0; i < part->stacks->n_series; i++) {
                const struct stack_series *series = &part->stacks->series[i];

                for (size_t k = 0; k < series->n_ends; k++)
                        stacks_count(whole, part->series[i], part->nodes[series->ends[k].node],
                                     series->ends[k].count, series->ends[k].weight);
        }
}

/* The merged stacks take the memory that they need from the shares of the parts; they are never larger than
 * all parts. */
static void keep_shares(struct stacks_merge *merge)
{
        struct stacks *whole = merge->whole;
        uint64_t bytes = whole->n_nodes * (uint64_t)NODE_BYTES + whole->places.n * (uint64_t)PLACE_BYTES +
                         whole->n_ends * (uint64_t)END_BYTES + whole->n_series * (uint64_t)SERIES_BYTES;

        for (size_t i = 0; i < merge->n_parts; i++) {
                struct budget_share *share = &merge->parts[i].stacks->share;

                whole->share.budget = share->budget;
                whole->share.taken_bytes += share->taken_bytes;
                *share = (struct budget_share){0};
        }
        budget_share_keep(&whole->share, bytes);
}

struct stacks *stacks_merge_end(struct stacks_merge *merge)
{
        struct stacks *whole = merge->whole;

        for (size_t i = 0; i < merge->n_parts; i++) {
                struct merged_part *part = &merge->parts[i];

                take_ends(whole, part);
                free(part->places);
                free(part->nodes);
                free(part->series);
        }
        keep_shares(merge);
        free(merge->parts);
        free(merge);
        places_finish(&whole->places);
        stacks_sort_ends(whole);
        return whole;
}
