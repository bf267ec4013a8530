/* SPDX-License-Identifier: BSD-3-Clause */
#include "known_chains.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { FIRST_SLOTS = 1024 };

struct known_slot {
        uint64_t hash;
        uint32_t check;
        uint32_t number; /* index + 1; 0 if the slot is free */
};

uint32_t known_chains_find(const struct known_chains *known, const struct chain_key *key)
{
        size_t mask = known->n_slots - 1;

        if (!known->n_slots)
                return 0;
        for (size_t i = key->hash & mask; known->slots[i].number; i = (i + 1) & mask) {
                if (known->slots[i].hash == key->hash && known->slots[i].check == key->check)
                        return known->slots[i].number;
        }
        return 0;
}

void known_chains_expect(const struct known_chains *known, const struct chain_key *key)
{
        if (known->n_slots)
                __builtin_prefetch(&known->slots[key->hash & (known->n_slots - 1)]);
}

static void put(struct known_slot *slots, size_t n_slots, const struct known_slot *slot)
{
        size_t i = slot->hash & (n_slots - 1);

        while (slots[i].number)
                i = (i + 1) & (n_slots - 1);
        slots[i] = *slot;
}

static void grow(struct known_chains *known)
{
        size_t n_slots = known->n_slots ? known->n_slots * 2 : FIRST_SLOTS;
        struct known_slot *slots = mem_new(n_slots, sizeof(*slots));

        for (size_t i = 0; i < known->n_slots; i++) {
                if (known->slots[i].number)
                        put(slots, n_slots, &known->slots[i]);
        }
        free(known->slots);
        known->slots = slots;
        known->n_slots = n_slots;
}

void known_chains_add(struct known_chains *known, const struct chain_key *key,
                      const struct known_chain *chain)
{
        assert(known->n < KNOWN_CHAINS_MAX);
        if (known->n * 4 >= known->n_slots * 3)
                grow(known);
        ARRAY_PUSH(known->chains, known->n, known->cap, *chain);
        put(known->slots, known->n_slots, &(struct known_slot){key->hash, key->check, (uint32_t)known->n});
}

void known_chains_clear(struct known_chains *known)
{
        known->n = 0;
        if (known->n_slots)
                memset(known->slots, 0, known->n_slots * sizeof(*known->slots));
}

void known_chains_release(struct known_chains *known)
{
        free(known->chains);
        free(known->slots);
        *known = (struct known_chains){0};
}
