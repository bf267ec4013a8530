/* SPDX-License-Identifier: BSD-3-Clause */
/* The distinct stacks of samples, as a tree of places, built while a session is read. A frame costs one table
 * lookup; memory grows with the number of distinct stacks. Has no names: see stacks_tree.h. */
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
        STACKS_MAX_FRAMES = 8192,            /* of a stack; of a deeper one the innermost are used */
        STACKS_CUT = PLACE_CUT,              /* instead of a CPU mode: the frame represents missing callers */
        STACKS_ROOM = STACKS_MAX_FRAMES + 2, /* with the mark of a cut stack, and a state */
        STACKS_STATE = PLACE_STATE, /* instead of a CPU mode: the frame represents a state of the thread */
};

/* One frame of a sample. Frames are ordered from the innermost one. */
struct stack_frame {
        uint64_t addr;
        uint16_t misc;   /* CPU mode as in a sample; STACKS_CUT if callers are missing, or STACKS_STATE */
        bool is_return;  /* addr is a return address: the call is before it */
        bool is_unwound; /* found in a stack copy */
};

/* Extracts the frames of a sample's call chain; returns their number, 0 without a chain. The first one has
 * the sample's own address. `frames` must have room for STACKS_MAX_FRAMES and the mark of a cut stack. Sets
 * *ret_cut if there were more frames, and *ret_user if some are user code. */
size_t stack_frames_of_chain(const struct sample *sample, struct stack_frame *frames, bool *ret_cut,
                             bool *ret_user);

/* The only frame of a sample without a chain. */
struct stack_frame stack_frame_of_sample(const struct sample *sample);

/* A node of the tree: a place and its callers. */
struct stack_node {
        uint32_t parent;            /* STACKS_NONE for the outermost function */
        uint32_t place;             /* index for stacks_get_place() */
        bool is_return, is_unwound; /* as in the first frame of this node */
};

/* Inserts a frame that represents a state of the thread, not 0, as the innermost one of `n` frames; returns
 * their new number. `frames` has room for STACKS_ROOM. */
size_t stack_frames_add_state(struct stack_frame *frames, size_t n, unsigned state);

/* Appends the mark of a cut stack to `n` frames, at most STACKS_MAX_FRAMES; returns their new number. */
size_t stack_frames_mark_cut(struct stack_frame *frames, size_t n);

#define STACKS_NONE UINT32_MAX

/* Samples that end at a node. */
struct stack_end {
        uint32_t node;
        uint64_t count, weight;
};

/* The samples of one event and of threads with one name. */
struct stack_series {
        uint32_t event;
        str_id comm;            /* text of the world */
        struct stack_end *ends; /* sorted by node, after stacks_finish() */
        size_t n_ends;
};

struct stacks;

/* `merges_strays` as in places_init(). */
struct stacks *stacks_new(bool merges_strays);
void stacks_free(struct stacks *stacks);

/* Call before adding the first sample. Limits the memory of everything that is kept. When it is used up, a
 * new stack is counted at its innermost frame as a cut stack, a new thread name is counted in the series
 * without a name, and finally a new address is counted as unknown. No sample is lost. The budget must outlive
 * the stacks. */
void stacks_set_budget(struct stacks *stacks, struct budget *budget);

AUTO_DEFINE(stacks)

/* Whether a sample has a call chain that stacks_add_chain accepts. */
bool stacks_can_add_chain(const struct sample *sample);

/* Adds a sample by its call chain. The sample is counted later, with the current maps, so call
 * stacks_catch_up() before the world changes. */
void stacks_add_chain(struct stacks *stacks, struct world *world, uint32_t event, const struct sample *sample,
                      uint64_t weight);
void stacks_catch_up(struct stacks *stacks, struct world *world);

/* From now on, callers at `place` use the nodes of `other`, an earlier place in the same function. Outermost
 * and innermost frames keep their own place. */
void stacks_share_place(struct stacks *stacks, uint32_t place, uint32_t other);

/* Adds a sample with its frames, which are looked up in the current world. `count` is 1, or 0 if the sample
 * was added with another part of its weight. */
void stacks_add(struct stacks *stacks, struct world *world, uint32_t event, const struct sample *sample,
                const struct stack_frame *frames, size_t n_frames, uint64_t count, uint64_t weight);

/* The node of the sample that was added last. Counts all samples that wait, like stacks_catch_up(). */
uint32_t stacks_last(struct stacks *stacks, struct world *world);

/* Call after the last sample, before reading the result. */
void stacks_finish(struct stacks *stacks, struct world *world);

/* Puts the root nodes that are set in `wanted` below the mark of a cut stack. Call after stacks_finish(). The
 * mark becomes node 0, so that the number of every other node increases by one. */
void stacks_put_below_cut(struct stacks *stacks, const bool *wanted);

/* A parent precedes its children. */
size_t stacks_n_nodes(const struct stacks *stacks);
const struct stack_node *stacks_get_node(const struct stacks *stacks, uint32_t node);

size_t stacks_n_places(const struct stacks *stacks);
const struct code_place *stacks_get_place(const struct stacks *stacks, uint32_t place);

/* The place of a node. */
const struct code_place *stacks_place_of(const struct stacks *stacks, uint32_t node);

size_t stacks_n_series(const struct stacks *stacks);
const struct stack_series *stacks_get_series(const struct stacks *stacks, size_t index);

/* --- Parts made by threads ------------------------------------------------------------------------------ */

/* The progress of a part at some time. */
struct stacks_mark {
        size_t n_places, n_nodes, n_series;
};

struct stacks_mark stacks_get_mark(const struct stacks *stacks);

struct stacks_merge;

/* The parts must be finished, and belong to the caller until stacks_merge_end. */
struct stacks_merge *stacks_merge_begin(struct stacks *const *parts, size_t n_parts);

/* Takes what part `index` added between its previous mark and `until`. Call in order of time over all
 * parts. */
void stacks_merge_take(struct stacks_merge *merge, size_t index, const struct stacks_mark *until);

/* Returns the merged stacks, finished; the same result as if one thread had read the session. Free with
 * stacks_free(). */
struct stacks *stacks_merge_end(struct stacks_merge *merge);

#endif
