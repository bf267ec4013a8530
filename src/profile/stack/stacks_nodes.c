/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the nodes of frames. The tables are large and lookups random, so several stacks are walked at a time,
 * one step each, and memory is prefetched a step ahead. */
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "stacks_internal.h"

enum {
        CACHED_SLOTS = 1 << 14 /* with more slots, prefetching pays off, unless functions share most nodes */
};

/* The slot contains the whole key, so that a step reads one cache line. */
struct child_slot {
        uint32_t parent, place;
        uint32_t child; /* + 1; 0 if free */
        uint32_t unused;
};

struct child_slot *stacks_slots_new(size_t n)
{
        return mem_new(n, sizeof(struct child_slot));
}

static size_t first_slot(const struct stacks *stacks, uint32_t parent, uint32_t place)
{
        uint64_t hash = ((uint64_t)parent << 32 | place) * map_factors[2];

        return (size_t)(hash ^ hash >> 32) & (stacks->n_slots - 1);
}

static struct child_slot *slot_of(const struct stacks *stacks, uint32_t parent, uint32_t place)
{
        size_t i = first_slot(stacks, parent, place);

        while (stacks->slots[i].child &&
               (stacks->slots[i].place != place || stacks->slots[i].parent != parent))
                i = (i + 1) & (stacks->n_slots - 1);
        return &stacks->slots[i];
}

static void grow_slots(struct stacks *stacks)
{
        free(stacks->slots);
        stacks->n_slots *= 2;
        stacks->slots = stacks_slots_new(stacks->n_slots);
        for (uint32_t i = 0; i < stacks->n_nodes; i++) {
                const struct stack_node *node = &stacks->nodes[i];

                *slot_of(stacks, node->parent, node->place) =
                        (struct child_slot){node->parent, node->place, i + 1, 0};
        }
}

static uint32_t add_child(struct stacks *stacks, struct child_slot *slot, const struct stack_node *child)
{
        ARRAY_PUSH(stacks->nodes, stacks->n_nodes, stacks->cap_nodes, *child);
        *slot = (struct child_slot){child->parent, child->place, (uint32_t)stacks->n_nodes, 0};
        if (stacks->n_nodes * 3 > stacks->n_slots * 2)
                grow_slots(stacks);
        return (uint32_t)stacks->n_nodes - 1;
}

uint32_t stacks_child(struct stacks *stacks, const struct stack_node *child)
{
        struct child_slot *slot = slot_of(stacks, child->parent, child->place);

        return slot->child ? slot->child - 1 : add_child(stacks, slot, child);
}

uint32_t stacks_without_callers(struct stacks *stacks, uint32_t place)
{
        uint32_t cut =
                places_add(&stacks->places, &(struct code_place){.module = MODULE_NONE, .is_cut = true});
        uint32_t mark = stacks_child(stacks, &(struct stack_node){.parent = STACKS_NONE, .place = cut});

        if (place == cut)
                return mark;
        return stacks_child(stacks, &(struct stack_node){.parent = mark, .place = place});
}

/* --- Walks --- */

void stacks_share_place(struct stacks *stacks, uint32_t place, uint32_t other)
{
        if (place >= stacks->n_shared) {
                size_t n = stacks->places.cap;

                stacks->shared = mem_resize(stacks->shared, n, sizeof(*stacks->shared));
                for (size_t i = stacks->n_shared; i < n; i++)
                        stacks->shared[i] = (uint32_t)i;
                stacks->n_shared = n;
        }
        stacks->shared[place] = other;
}

/* The place that replaces the place of a frame that is neither innermost nor outermost. */
static uint32_t shared_place(const struct stacks *stacks, uint32_t place)
{
        return place < stacks->n_shared ? stacks->shared[place] : place;
}

/* Starts with the outermost frame, the order in which nodes are added. */
static void find_places(struct stacks *stacks, struct world *world, struct stack_walk *walk)
{
        const struct stack_walk *before = walk - 1;

        if (walk->n_same)
                memcpy(&walk->places[walk->n_all - walk->n_same],
                       &before->places[before->n_all - walk->n_same], walk->n_same * sizeof(*walk->places));
        for (size_t i = walk->n_all - walk->n_same; i-- > 0;) {
                uint32_t place = places_find(&stacks->places, world, walk->pid, &walk->queries[i]);

                walk->places[i] = i && i + 1 < walk->n_all ? shared_place(stacks, place) : place;
        }
}

static void expect_step(const struct stacks *stacks, const struct stack_walk *walk)
{
        if (walk->n)
                __builtin_prefetch(&stacks->slots[first_slot(stacks, walk->node, walk->places[walk->n - 1])]);
}

static void arrive(struct stack_walk *walk, uint32_t node)
{
        walk->node = node;
        walk->nodes[--walk->n] = node;
}

/* Follows the previous walk through the frames that both have. False if that walk has not passed them yet. */
static bool follow(struct stack_walk *walk)
{
        const struct stack_walk *before = walk - 1;
        size_t n_walked = walk->n_all - walk->n, n_before;

        if (n_walked >= walk->n_same)
                return true;
        n_before = before->n_all - before->n;
        if (n_before > walk->n_same)
                n_before = walk->n_same;
        if (n_before > n_walked) {
                memcpy(&walk->nodes[walk->n_all - n_before], &before->nodes[before->n_all - n_before],
                       (n_before - n_walked) * sizeof(*walk->nodes));
                walk->n = walk->n_all - n_before;
                walk->node = walk->nodes[walk->n];
        }
        return n_before == walk->n_same;
}

/* Walks one step. False if the walk is at its end or the next node does not exist. */
static bool step(const struct stacks *stacks, struct stack_walk *walk)
{
        const struct child_slot *slot;

        if (!walk->n)
                return false;
        slot = slot_of(stacks, walk->node, walk->places[walk->n - 1]);
        if (!slot->child)
                return false;
        arrive(walk, slot->child - 1);
        expect_step(stacks, walk);
        return true;
}

/* Walks nodes that exist. A walk that shares frames with the previous one waits until that has passed them or
 * ended. */
static void walk_known(const struct stacks *stacks, struct stack_walk *walks, size_t n)
{
        bool has_ended[STACK_WALKS] = {0};
        size_t n_open = n;

        for (size_t i = 0; i < n; i++)
                expect_step(stacks, &walks[i]);
        while (n_open) {
                n_open = 0;
                for (size_t i = 0; i < n; i++) {
                        if (has_ended[i])
                                continue;
                        if (!follow(&walks[i]))
                                has_ended[i] = has_ended[i - 1];
                        else
                                has_ended[i] = !step(stacks, &walks[i]);
                        n_open += !has_ended[i];
                }
        }
}

static void walk_new(struct stacks *stacks, struct stack_walk *walk)
{
        follow(walk);
        while (walk->n) {
                size_t i = walk->n - 1;
                const struct stack_node child = {walk->node, walk->places[i], walk->queries[i].is_caller,
                                                 walk->has_unwound && walk->is_unwound[i]};
                struct child_slot *slot = slot_of(stacks, child.parent, child.place);

                if (!slot->child && !budget_share_take(&stacks->share, BUDGET_STACKS, NODE_BYTES)) {
                        walk->node = stacks_without_callers(stacks, walk->places[0]);
                        return;
                }
                arrive(walk, slot->child ? slot->child - 1 : add_child(stacks, slot, &child));
        }
}

void stack_walks_end(struct stacks *stacks, struct world *world, struct stack_walk *walks, size_t n)
{
        for (size_t i = 0; i < n; i++)
                find_places(stacks, world, &walks[i]);
        if (!stacks->n_shared && stacks->n_slots > CACHED_SLOTS)
                walk_known(stacks, walks, n);
        for (size_t i = 0; i < n; i++)
                walk_new(stacks, &walks[i]);
}
