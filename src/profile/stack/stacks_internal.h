/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that implement stacks.h. */
#ifndef STACKS_INTERNAL_H
#define STACKS_INTERNAL_H

#include "known_chains.h"
#include "map.h"
#include "places.h"
#include "stacks.h"

struct child_slot;
struct stack_walk;
struct node_end;

/* Samples between being added and being counted, while memory is prefetched; and stacks that are walked
 * together. */
enum { WAITING_CHAINS = 16, STACK_WALKS = 16, MAX_WAITING_WORDS = 1024 };

struct waiting_chain {
        struct chain_key key;
        bool has_key; /* false if it is not searched for */
        uint32_t series;
        uint32_t known; /* index + 1; 0 if not searched for or not found */
        uint64_t weight;
        struct sample sample;                  /* its chain is in `words` */
        uint32_t user_keys[2], kernel_keys[2]; /* of places: sampled addresses and callers */
        uint64_t words[MAX_WAITING_WORDS];
        /* padding: entries with a size of a power of two would compete for the same cache lines */
        uint64_t apart[16];
};

/* Data that samples of one thread and event share as long as the world does not change. */
struct chain_thread {
        uint64_t era, epoch; /* era of the stacks and epoch of their places when it was filled; 0 if never */
        int32_t pid, tid;
        uint32_t event, series;
        uint64_t versions;
        uint32_t user_keys[2], kernel_keys[2];
};

enum { CHAIN_THREADS = 64, CHAINS_TO_JUDGE = 1 << 13 };

struct stacks {
        struct places places;
        struct budget_share share; /* also used by `places` */
        uint32_t *shared;          /* for each place: the place that replaces it in nodes */
        size_t n_shared;
        struct stack_node *nodes;
        size_t n_nodes, cap_nodes;
        struct child_slot *slots; /* parent and place to node */
        size_t n_slots;           /* a power of two */
        struct node_end *ends;    /* samples by node and series, until they are sorted */
        size_t n_ends, cap_ends;
        uint32_t *first_end; /* for each node: index in `ends` + 1; 0 for none */
        size_t n_first_ends;
        struct chain_thread threads[CHAIN_THREADS];
        uint64_t era;     /* changes with the world */
        bool skips_known; /* do not search for known chains */
        size_t judge_at;  /* value of n_taken at which that is decided again */
        size_t n_found;   /* known chains since the last decision */
        struct known_chains known;
        size_t max_known;              /* at most KNOWN_CHAINS_MAX */
        struct waiting_chain *waiting; /* a ring buffer */
        size_t n_taken, n_counted;     /* counters; the samples between them are in the ring buffer */
        struct stack_walk *walks;      /* walks of chains that were not known */
        size_t n_walks;
        struct stack_series *series;
        size_t n_series, cap_series;
        struct map by_event_and_comm; /* index + 1 */
        uint32_t last_series;
        uint32_t last_known; /* chain of the sample that was counted last, or KNOWN_NONE */
        uint32_t last_node;  /* if KNOWN_NONE: node of that sample */
};

#define KNOWN_NONE UINT32_MAX

/* Memory for one of each, including its part of the tables. A node includes its first end, because ends are
 * allocated late. */
enum { NODE_BYTES = 128, END_BYTES = 64, SERIES_BYTES = 512 };

uint32_t stacks_find_series(struct stacks *stacks, struct world *world, uint32_t event,
                            const struct sample *sample);
uint32_t stacks_series_of(struct stacks *stacks, uint32_t event, str_id comm);
void stacks_count(struct stacks *stacks, uint32_t series, uint32_t node, uint64_t n, uint64_t weight);

/* Moves the counted ends into the series, in order of nodes. */
void stacks_sort_ends(struct stacks *stacks);

/* --- Nodes (stacks_nodes.c) --- */

/* The frames of a stack, innermost first. */
struct stack_walk {
        /* index of its chain; KNOWN_NONE: it has none, and the next two are used when the walk ends */
        uint32_t known;
        uint32_t series;
        uint64_t weight;
        int32_t pid;
        size_t n; /* frames that remain to be walked */
        size_t n_all;
        uint32_t node; /* current node */
        /* number of outermost frames that equal those of the previous walk, whose places and nodes are
         * reused */
        size_t n_same;
        struct place_query queries[STACKS_ROOM];
        bool has_unwound; /* is_unwound is valid */
        bool is_unwound[STACKS_ROOM];
        uint32_t places[STACKS_ROOM], nodes[STACKS_ROOM];
};

struct child_slot *stacks_slots_new(size_t n);

/* Starts a walk of frames and prefetches what it needs first. */
void stack_walk_begin(struct stacks *stacks, struct world *world, struct stack_walk *walk, int32_t pid,
                      const struct stack_frame *frames, size_t n_frames);

/* The same for a call chain. `before` is the previous walk if both end together, or NULL. */
void stack_walk_begin_chain(struct stacks *stacks, struct world *world, struct stack_walk *walk,
                            const struct stack_walk *before, const struct waiting_chain *waiting);

/* Gets the keys of places for a process in a CPU mode: for sampled addresses and for callers. */
void stacks_get_keys(struct stacks *stacks, struct world *world, int32_t pid, uint16_t misc,
                     uint32_t ret_keys[2]);

/* Sets *misc to the CPU mode of a context mark in a chain; unchanged if the mark is unknown. */
void stack_context_of(uint64_t mark, uint16_t *misc);

/* Completes the walks, in order: finds or adds the nodes of their frames. */
void stack_walks_end(struct stacks *stacks, struct world *world, struct stack_walk *walks, size_t n);

/* Returns the child with this parent and place; adds it if there is none. */
uint32_t stacks_child(struct stacks *stacks, const struct stack_node *child);

/* The node for a stack without memory for its callers: `place` below the mark of a cut stack. */
uint32_t stacks_without_callers(struct stacks *stacks, uint32_t place);

/* The caller loads `factor`, one of map_factors, once for many words. */
static inline uint64_t stacks_mix(uint64_t hash, uint64_t word, uint64_t factor)
{
        hash = (hash ^ word) * factor;
        return hash ^ hash >> 29;
}

struct waiting_chain *stacks_waiting_new(void);

#endif
