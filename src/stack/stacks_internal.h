/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of stacks.h share. */
#ifndef STACKS_INTERNAL_H
#define STACKS_INTERNAL_H

#include "known_chains.h"
#include "map.h"
#include "places.h"
#include "stacks.h"

struct child_slot;
struct stack_walk;
struct node_end;

/* Samples between being taken and being counted, while memory answers; and stacks that are walked together. */
enum { WAITING_CHAINS = 16, STACK_WALKS = 16, MAX_WAITING_WORDS = 1024 };

struct waiting_chain {
        struct chain_key key;
        bool has_key; /* else it is not looked for */
        uint32_t series;
        uint32_t known; /* index + 1; 0: not looked for, or not there */
        uint64_t weight;
        struct sample sample;                  /* its chain is in words */
        uint32_t user_keys[2], kernel_keys[2]; /* of places: where samples are, and callers */
        uint64_t words[MAX_WAITING_WORDS];
        uint64_t apart[16]; /* rings of a power of two would fight for the same lines of the cache */
};

/* What samples of one thread and event have in common as long as the world does not change. */
struct chain_thread {
        uint64_t era, epoch; /* of the stacks and their places, when it was filled; 0: never */
        int32_t pid, tid;
        uint32_t event, series;
        uint64_t versions;
        uint32_t user_keys[2], kernel_keys[2];
};

enum { CHAIN_THREADS = 64, CHAINS_TO_JUDGE = 1 << 13 };

struct stacks {
        struct places places;
        struct budget_share share; /* `places` takes from it too */
        uint32_t *shared;          /* of a place: the one that stands for it in nodes */
        size_t n_shared;
        struct stack_node *nodes;
        size_t n_nodes, cap_nodes;
        struct child_slot *slots; /* nodes by parent and place */
        size_t n_slots;           /* a power of two */
        struct node_end *ends;    /* samples by node and series, until they are sorted */
        size_t n_ends, cap_ends;
        uint32_t *first_end; /* of a node: index in `ends` + 1; 0: none */
        size_t n_first_ends;
        struct chain_thread threads[CHAIN_THREADS];
        uint64_t era;     /* of the world */
        bool skips_known; /* chains are not looked for */
        size_t judge_at;  /* of n_taken: when that is judged again */
        size_t n_found;   /* of the chains since then */
        struct known_chains known;
        size_t max_known;              /* at most KNOWN_CHAINS_MAX */
        struct waiting_chain *waiting; /* a ring */
        size_t n_taken, n_counted;     /* of all; what is between them is in the ring */
        struct stack_walk *walks;      /* of chains that were not known */
        size_t n_walks;
        struct stack_series *series;
        size_t n_series, cap_series;
        struct map by_event_and_comm; /* index + 1 */
        uint32_t last_series;
        uint32_t last_known; /* chain of the sample that was counted last, or KNOWN_NONE: */
        uint32_t last_node;  /* its node */
};

#define KNOWN_NONE UINT32_MAX

/* Memory for one of them, with its part of the tables.  A node pays for the first of its ends too: ends are made late. */
enum { NODE_BYTES = 128, END_BYTES = 64, SERIES_BYTES = 512 };

uint32_t stacks_find_series(struct stacks *stacks, struct world *world, uint32_t event,
                            const struct sample *sample);
uint32_t stacks_series_of(struct stacks *stacks, uint32_t event, str_id comm);
void stacks_count(struct stacks *stacks, uint32_t series, uint32_t node, uint64_t n, uint64_t weight);

/* Sorts what was counted into the series. */
void stacks_sort_ends(struct stacks *stacks);

/* --- Nodes (stacks_nodes.c) --- */

/* The frames of a stack, outermost last. */
struct stack_walk {
        uint32_t known; /* index of its chain; KNOWN_NONE: it has none, and is counted when the walk ends: */
        uint32_t series;
        uint64_t weight;
        int32_t pid;
        size_t n; /* frames that are still to be walked */
        size_t n_all;
        uint32_t node; /* where the walk has come to */
        size_t n_same; /* outermost frames that are those of the walk before, whose places and nodes they have */
        struct place_query queries[STACKS_MAX_FRAMES + 1];
        bool has_unwound; /* the next are valid */
        bool is_unwound[STACKS_MAX_FRAMES + 1];
        uint32_t places[STACKS_MAX_FRAMES + 1], nodes[STACKS_MAX_FRAMES + 1];
};

struct child_slot *stacks_slots_new(size_t n);

/* Makes a walk of frames and asks memory for what it needs first. */
void stack_walk_begin(struct stacks *stacks, struct world *world, struct stack_walk *walk, int32_t pid,
                      const struct stack_frame *frames, size_t n_frames);

/* The same of a call chain.  `before` is the walk before it that ends together with it, or NULL. */
void stack_walk_begin_chain(struct stacks *stacks, struct world *world, struct stack_walk *walk,
                            const struct stack_walk *before, const struct waiting_chain *waiting);

/* Keys of places of a process in a CPU mode: where samples are, and callers. */
void stacks_get_keys(struct stacks *stacks, struct world *world, int32_t pid, uint16_t misc,
                     uint32_t ret_keys[2]);

/* The CPU mode that a mark in a chain stands for, unchanged where it is unknown. */
void stack_context_of(uint64_t mark, uint16_t *misc);

/* Walks to the nodes where the frames end, made where they were not there, in the order of the walks. */
void stack_walks_end(struct stacks *stacks, struct world *world, struct stack_walk *walks, size_t n);

/* The child of `parent` at a place, made where it was not there. */
uint32_t stacks_child(struct stacks *stacks, const struct stack_node *child);

/* The node that a stack is counted at when there is no memory for its callers: `place` below the mark of a cut stack. */
uint32_t stacks_without_callers(struct stacks *stacks, uint32_t place);

static inline uint64_t stacks_mix(uint64_t hash, uint64_t word)
{
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        return hash ^ hash >> 29;
}

struct waiting_chain *stacks_waiting_new(void);

#endif
