/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of stacks.h share. */
#ifndef STACKS_INTERNAL_H
#define STACKS_INTERNAL_H

#include "known_chains.h"
#include "map.h"
#include "stacks.h"

struct step_bucket;
struct waiting_chain;

/* Samples between being taken and being counted, while memory answers. */
enum { WAITING_CHAINS = 16 };

struct stacks {
        struct stack_node *nodes;
        size_t n_nodes, cap_nodes;
        uint32_t *slots; /* node + 1 by its key; 0: free */
        size_t n_slots;  /* a power of two */
        uint8_t *bucket_bytes;
        struct step_bucket *buckets; /* in them, where a line of a cache begins */
        struct step_bucket *found[STACKS_MAX_FRAMES + 1];
        struct stack_frame frames[STACKS_MAX_FRAMES + 1];
        struct known_chains known;
        struct waiting_chain *waiting; /* a ring */
        size_t n_taken, n_counted;     /* of all; what is between them is in the ring */
        struct stack_series *series;
        size_t n_series, cap_series;
        struct map by_event_and_comm; /* index + 1 */
        uint32_t last_series;
};

uint32_t stacks_find_series(struct stacks *stacks, struct world *world, uint32_t event,
                            const struct sample *sample);
void stacks_count(struct stacks *stacks, uint32_t series, uint32_t node, uint64_t n, uint64_t weight);

/* The node where the frames end, made where it was not there. */
uint32_t stacks_find_node(struct stacks *stacks, struct world *world, int32_t pid,
                          const struct stack_frame *frames, size_t n_frames);

static inline uint64_t stacks_mix(uint64_t hash, uint64_t word)
{
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        return hash ^ hash >> 29;
}

struct waiting_chain *stacks_waiting_new(void);

#endif
