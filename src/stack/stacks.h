/* SPDX-License-Identifier: BSD-3-Clause */
/* The distinct stacks of samples, as a tree of places.  Built while a session is read; cost of a
 * frame is a look into a table, memory grows with distinct stacks.  Knows no names: stacks_tree.h. */
#ifndef STACKS_H
#define STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "places.h"
#include "record.h"
#include "world.h"

enum {
        STACKS_MAX_FRAMES = 8192, /* of a stack; of a longer one the innermost are taken */
        STACKS_CUT = PLACE_CUT,   /* in place of a CPU mode: the frame stands for missing callers */
};

/* One frame of a sample, innermost first. */
struct stack_frame {
        uint64_t addr;
        uint16_t misc;  /* its CPU mode, as in a sample's; STACKS_CUT: there are callers that are not known */
        bool is_return; /* addr is where a call returns to: the call is before it */
        bool is_unwound; /* found in a copy of the stack */
};

/* The frames of a sample's call chain, 0 of them where it has none; the first is at the sample's own address.  `frames` has room
 * for STACKS_MAX_FRAMES and the mark of a cut stack.  *ret_cut is
 * set when there were more, *ret_user when some are of user code. */
size_t stack_frames_of_chain(const struct sample *sample, struct stack_frame *frames, bool *ret_cut,
                             bool *ret_user);

/* Of a sample without a chain. */
struct stack_frame stack_frame_of_sample(const struct sample *sample);

/* A place with the path to it. */
struct stack_node {
        uint32_t parent;            /* STACKS_NONE: the outermost function */
        uint32_t place;             /* of stacks_get_place() */
        bool is_return, is_unwound; /* as the first of its frames was */
};

/* Marks a stack of `n` frames as cut; returns how many there are then. */
size_t stack_frames_mark_cut(struct stack_frame *frames, size_t n);

#define STACKS_NONE UINT32_MAX

/* Samples that ended at a node. */
struct stack_end {
        uint32_t node;
        uint64_t count, weight;
};

/* Samples of one event and of threads of one name. */
struct stack_series {
        uint32_t event;
        str_id comm;            /* of the world */
        struct stack_end *ends; /* by node, once stacks_finish() has been called */
        size_t n_ends;
};

struct stacks;

/* `merges_strays` as in places_init(). */
struct stacks *stacks_new(bool merges_strays);
void stacks_free(struct stacks *stacks);

/* Before the first sample: bounds the memory of all that is kept.  When it is used up, a new stack is counted as cut, at its
 * innermost frame; a new thread name joins the series without a name; and at last a new address counts as unknown.  No sample
 * is lost.  The budget outlives the stacks. */
void stacks_set_budget(struct stacks *stacks, struct budget *budget);

AUTO_DEFINE(stacks)

/* Whether all that is known of a sample's stack is a call chain that stacks_add_chain takes. */
bool stacks_can_add_chain(const struct sample *sample);

/* Takes a sample by its call chain.  It is counted later, by the maps of then: stacks_catch_up() comes before the world
 * changes. */
void stacks_add_chain(struct stacks *stacks, struct world *world, uint32_t event, const struct sample *sample,
                      uint64_t weight);
void stacks_catch_up(struct stacks *stacks, struct world *world);

/* From now on callers at `place` stand at `other` in the nodes, which is in the same function and was found before it.  Roots and
 * innermost frames keep their own place. */
void stacks_share_place(struct stacks *stacks, uint32_t place, uint32_t other);

/* Takes a sample's frames, whose places are looked up in the world as it is now. */
void stacks_add(struct stacks *stacks, struct world *world, uint32_t event, const struct sample *sample,
                const struct stack_frame *frames, size_t n_frames, uint64_t weight);

/* The node of the sample that was added last, which is counted for it like those before. */
uint32_t stacks_last(struct stacks *stacks, struct world *world);

/* After the last sample, before anything is looked at. */
void stacks_finish(struct stacks *stacks, struct world *world);

/* Puts nodes that have no parent, those in `wanted`, below the mark of a cut stack.  After stacks_finish(); the mark comes first, so
 * that all nodes have the next number. */
void stacks_put_below_cut(struct stacks *stacks, const bool *wanted);

/* A parent stands before its children. */
size_t stacks_n_nodes(const struct stacks *stacks);
const struct stack_node *stacks_get_node(const struct stacks *stacks, uint32_t node);

size_t stacks_n_places(const struct stacks *stacks);
const struct code_place *stacks_get_place(const struct stacks *stacks, uint32_t place);

/* The place of a node. */
const struct code_place *stacks_place_of(const struct stacks *stacks, uint32_t node);

size_t stacks_n_series(const struct stacks *stacks);
const struct stack_series *stacks_get_series(const struct stacks *stacks, size_t index);

/* --- Parts that threads made --------------------------------------------------------------------------------- */

/* How far a part had come at some time. */
struct stacks_mark {
        size_t n_places, n_nodes, n_series;
};

struct stacks_mark stacks_get_mark(const struct stacks *stacks);

struct stacks_merge;

/* The parts are finished, and kept by the caller until the end. */
struct stacks_merge *stacks_merge_begin(struct stacks *const *parts, size_t n_parts);

/* What part `index` had at `until` and not yet at its mark before; in the order of time over all parts. */
void stacks_merge_take(struct stacks_merge *merge, size_t index, const struct stacks_mark *until);

/* All of them as one, finished; the same as if one thread had read the session.  stacks_free() by the caller. */
struct stacks *stacks_merge_end(struct stacks_merge *merge);

#endif
