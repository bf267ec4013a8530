/* SPDX-License-Identifier: BSD-3-Clause */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum {
        FIRST_FOUND_BITS = 10, /* log2 of the number of buckets; it grows as they fill up */
        MAX_FOUND_BITS = 16,
        FIRST_SLOTS = 1024,
        BUCKET_BYTES = 64
};

_Static_assert(sizeof(struct found_place) * FOUND_WAYS == BUCKET_BYTES, "a line of a cache");

/* Contains what distinguishes most places, so that the item need not be read. */
struct place_slot {
        uint64_t offset;
        module_id module;
        uint32_t number; /* + 1; 0 if free */
};

static void make_found(struct places *p, unsigned bits)
{
        free(p->found_bytes);
        p->found_bytes = mem_new(((size_t)1 << bits) + 1, BUCKET_BYTES);
        p->found = (struct found_place *)(p->found_bytes + -(uintptr_t)p->found_bytes % BUCKET_BYTES);
        p->found_bits = bits;
        p->n_looked_up = 0;
}

void places_init(struct places *p, bool merges_strays)
{
        *p = (struct places){.merges_strays = merges_strays};
        make_found(p, FIRST_FOUND_BITS);
}

void places_finish(struct places *p)
{
        free(p->found_bytes);
        free(p->slots);
        p->found_bytes = NULL;
        p->slots = NULL;
        p->n_slots = 0;
}

void places_release(struct places *p)
{
        places_finish(p);
        free(p->items);
}

/* --- Places by module and offset --- */

static uint64_t hash_place(const struct code_place *place)
{
        uint64_t sort = place->module == MODULE_NONE
                                ? 1u + place->is_kernel + 2u * (place->is_cut || place->state)
                                : 0;

        return map_mix(place->offset ^ ((uint64_t)place->module << 2 | sort) * map_factors[2]);
}

static bool is_at(const struct places *p, const struct place_slot *slot, const struct code_place *place)
{
        const struct code_place *known = &p->items[slot->number - 1];

        return slot->offset == place->offset && slot->module == place->module &&
               (place->module != MODULE_NONE ||
                (known->is_kernel == place->is_kernel && known->is_cut == place->is_cut &&
                 known->state == place->state));
}

static void put_slot(struct place_slot *slots, size_t n_slots, const struct code_place *place, size_t number)
{
        size_t i = hash_place(place) & (n_slots - 1);

        while (slots[i].number)
                i = (i + 1) & (n_slots - 1);
        slots[i] = (struct place_slot){place->offset, place->module, (uint32_t)number + 1};
}

static void grow_slots(struct places *p)
{
        size_t n_slots = p->n_slots ? p->n_slots * 2 : FIRST_SLOTS;
        struct place_slot *slots = mem_new(n_slots, sizeof(*slots));

        for (size_t i = 0; i < p->n; i++)
                put_slot(slots, n_slots, &p->items[i], i);
        free(p->slots);
        p->slots = slots;
        p->n_slots = n_slots;
}

/* The place without module and offset replaces those for which there is no memory; it is always added. */
static bool may_add(struct places *p, const struct code_place *place, enum budget_use use)
{
        return !p->share || (place->module == MODULE_NONE && !place->offset) ||
               budget_share_take(p->share, use, PLACE_BYTES);
}

static uint32_t find_or_add(struct places *p, const struct code_place *place, enum budget_use use)
{
        size_t i;

        if (p->n * 3 >= p->n_slots * 2)
                grow_slots(p);
        for (i = hash_place(place) & (p->n_slots - 1); p->slots[i].number; i = (i + 1) & (p->n_slots - 1)) {
                if (is_at(p, &p->slots[i], place))
                        return p->slots[i].number - 1;
        }
        if (!may_add(p, place, use))
                return places_add(p,
                                  &(struct code_place){.module = MODULE_NONE, .is_kernel = place->is_kernel});
        ARRAY_PUSH(p->items, p->n, p->cap, *place);
        p->slots[i] = (struct place_slot){place->offset, place->module, (uint32_t)p->n};
        return (uint32_t)p->n - 1;
}

uint32_t places_add(struct places *p, const struct code_place *place)
{
        return find_or_add(p, place, BUDGET_ADDRESSES);
}

/* --- Places by address --- */

static void begin_epoch(struct places *p, uint64_t epoch)
{
        memset(p->found, 0, (size_t)BUCKET_BYTES << p->found_bits);
        p->epoch = epoch;
}

uint32_t places_key(struct places *p, uint64_t version, uint16_t misc, bool is_caller)
{
        if (version >> PLACE_VERSION_BITS != p->epoch)
                begin_epoch(p, version >> PLACE_VERSION_BITS);
        return (uint32_t)version << PLACE_KEY_BITS | (uint32_t)is_caller << 3 | (misc & PLACE_CUT);
}

static uint32_t look_up(struct places *p, struct world *world, int32_t pid, const struct place_query *q)
{
        struct code_place place = {.module = MODULE_NONE, .is_cut = q->misc == PLACE_CUT};
        struct place at;

        if (q->misc == PLACE_STATE) {
                place.state = (uint8_t)q->addr;
                place.offset = place.state;
        } else if (!place.is_cut) {
                at = world_find(world, pid, q->misc, q->addr);
                place.module = at.module;
                place.offset = at.offset;
                place.base = at.map_start - at.map_pgoff;
                place.is_kernel = q->misc == PERF_MISC_KERNEL;
                if (at.module == MODULE_NONE && q->is_caller && p->merges_strays)
                        place.offset = 0;
        }
        /* Callers may use less of the budget, to leave room for sampled addresses. */
        return find_or_add(p, &place, q->is_caller ? BUDGET_STACKS : BUDGET_ADDRESSES);
}

uint32_t places_find_new(struct places *p, struct world *world, int32_t pid, const struct place_query *q)
{
        struct found_place *bucket = places_bucket(p, q->addr, q->key), found = {q->addr, q->key, 0};

        found.number = look_up(p, world, pid, q);
        /* The new cache is empty; its entries are looked up again. */
        if (++p->n_looked_up >> p->found_bits && p->found_bits < MAX_FOUND_BITS) {
                make_found(p, p->found_bits + 2);
                bucket = places_bucket(p, q->addr, q->key);
        }
        memmove(bucket + 1, bucket, (FOUND_WAYS - 1) * sizeof(*bucket));
        bucket[0] = found;
        return found.number;
}
