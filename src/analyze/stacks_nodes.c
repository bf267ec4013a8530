/* SPDX-License-Identifier: BSD-3-Clause */
/* From frames to nodes.  The tables are large and the questions come in no order, so several stacks are walked at a time, a step
 * of each in turn, and memory is asked for a step before it is needed. */
#include <stdlib.h>

#include "arena.h"
#include "stacks_internal.h"

/* The whole key stands in the slot: a step reads one line of the cache. */
struct child_slot {
        uint32_t parent, place;
        uint32_t child; /* + 1; 0: free */
        uint32_t unused;
};

struct child_slot *stacks_slots_new(size_t n)
{
        return mem_new(n, sizeof(struct child_slot));
}

static size_t first_slot(const struct stacks *stacks, uint32_t parent, uint32_t place)
{
        uint64_t hash = ((uint64_t)parent << 32 | place) * 0x9e3779b97f4a7c15u;

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

uint32_t stacks_child(struct stacks *stacks, const struct stack_node *child)
{
        struct child_slot *slot = slot_of(stacks, child->parent, child->place);

        if (slot->child)
                return slot->child - 1;
        ARRAY_PUSH(stacks->nodes, stacks->n_nodes, stacks->cap_nodes, *child);
        *slot = (struct child_slot){child->parent, child->place, (uint32_t)stacks->n_nodes, 0};
        if (stacks->n_nodes * 3 > stacks->n_slots * 2)
                grow_slots(stacks);
        return (uint32_t)stacks->n_nodes - 1;
}

/* --- Walks --- */

static struct place_query query_of(const struct stack_walk *walk, const struct stack_frame *frame,
                                   uint64_t version)
{
        return (struct place_query){
                .addr = frame->addr - frame->is_return,
                .version = version,
                .pid = walk->pid,
                .misc = frame->misc,
                .is_caller = frame->is_return,
        };
}

void stack_walk_begin(const struct stacks *stacks, struct world *world, struct stack_walk *walk, int32_t pid,
                      const struct stack_frame *frames, size_t n_frames)
{
        uint64_t version = 0;
        uint16_t misc = UINT16_MAX;

        walk->n = n_frames;
        walk->pid = pid;
        walk->node = STACKS_NONE;
        for (size_t i = 0; i < n_frames; i++) {
                struct place_query query;

                if (frames[i].misc != misc) {
                        misc = frames[i].misc;
                        version = world_version(world, pid, misc);
                }
                walk->frames[i] = frames[i];
                query = query_of(walk, &frames[i], version);
                places_expect(&stacks->places, &query);
        }
}

/* Outermost first, as their nodes are made. */
static void find_places(struct stacks *stacks, struct world *world, struct stack_walk *walk)
{
        uint64_t version = 0;
        uint16_t misc = UINT16_MAX;

        for (size_t i = walk->n; i-- > 0;) {
                struct place_query query;

                if (walk->frames[i].misc != misc) {
                        misc = walk->frames[i].misc;
                        version = world_version(world, walk->pid, misc);
                }
                query = query_of(walk, &walk->frames[i], version);
                walk->places[i] = places_find(&stacks->places, world, &query);
        }
}

static void expect_step(const struct stacks *stacks, const struct stack_walk *walk)
{
        if (walk->n)
                __builtin_prefetch(&stacks->slots[first_slot(stacks, walk->node, walk->places[walk->n - 1])]);
}

/* One step; false: it ends here, or the next node is not there. */
static bool step(const struct stacks *stacks, struct stack_walk *walk)
{
        const struct child_slot *slot;

        if (!walk->n)
                return false;
        slot = slot_of(stacks, walk->node, walk->places[walk->n - 1]);
        if (!slot->child)
                return false;
        walk->node = slot->child - 1;
        walk->n--;
        expect_step(stacks, walk);
        return true;
}

static void walk_known(const struct stacks *stacks, struct stack_walk *walks, size_t n)
{
        struct stack_walk *open[STACK_WALKS];
        size_t n_open = n;

        for (size_t i = 0; i < n; i++) {
                open[i] = &walks[i];
                expect_step(stacks, open[i]);
        }
        while (n_open) {
                size_t n_left = 0;

                for (size_t i = 0; i < n_open; i++) {
                        if (step(stacks, open[i]))
                                open[n_left++] = open[i];
                }
                n_open = n_left;
        }
}

static void walk_new(struct stacks *stacks, struct stack_walk *walk)
{
        while (walk->n) {
                const struct stack_frame *frame = &walk->frames[--walk->n];
                const struct stack_node child = {walk->node, walk->places[walk->n], frame->is_return,
                                                 frame->is_unwound};

                walk->node = stacks_child(stacks, &child);
        }
}

void stack_walks_end(struct stacks *stacks, struct world *world, struct stack_walk *walks, size_t n)
{
        for (size_t i = 0; i < n; i++)
                find_places(stacks, world, &walks[i]);
        walk_known(stacks, walks, n);
        for (size_t i = 0; i < n; i++)
                walk_new(stacks, &walks[i]);
}
