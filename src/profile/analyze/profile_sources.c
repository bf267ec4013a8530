/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of Arm SPE by their sources. */
#include <stdlib.h>

#include "mem.h"
#include "profile_internal.h"

struct found_source *profile_source_slot(struct profile *profile, const struct found_source *wanted)
{
        uint64_t hash = wanted->addr ^ wanted->version << 48 ^ (uint64_t)wanted->event << 40;

        if (!profile->found_sources)
                profile->found_sources = mem_new(SOURCE_SLOTS, sizeof(*profile->found_sources));
        return &profile->found_sources[map_mix(hash ^ (uint64_t)wanted->source << 20) % SOURCE_SLOTS];
}

void profile_count_cpus(struct profile *profile)
{
        if (profile->n_last_cpu)
                *map_put(&profile->cpu_counts, profile->last_cpu, NULL) += profile->n_last_cpu;
        profile->n_last_cpu = 0;
}

void profile_count_cpu(struct profile *profile, uint32_t cpu, uint64_t n)
{
        if (profile->last_cpu != cpu)
                profile_count_cpus(profile);
        profile->last_cpu = cpu;
        profile->n_last_cpu += n;
}

static void add_cpu(void *ctx, uint64_t cpu, uint64_t *count)
{
        struct profile *whole = ctx;

        *map_put(&whole->cpu_counts, cpu, NULL) += *count;
}

void profile_merge_cpus(struct profile *whole, const struct profile *part)
{
        map_each(&part->cpu_counts, add_cpu, whole);
}

uint64_t profile_spe_count(const struct profile *profile, uint32_t cpu)
{
        const uint64_t *count = map_find(&profile->cpu_counts, cpu);

        return count ? *count : 0;
}

struct profile_cpus {
        uint32_t *items;
        size_t n, cap;
};

static void list_cpu(void *ctx, uint64_t cpu, uint64_t *count)
{
        struct profile_cpus *list = ctx;

        (void)count;
        ARRAY_PUSH(list->items, list->n, list->cap, (uint32_t)cpu);
}

static int compare_cpus(const void *x, const void *y)
{
        const uint32_t *a = x, *b = y;

        return (*a > *b) - (*a < *b);
}

uint32_t *profile_spe_cpus(const struct profile *profile, size_t *ret_n)
{
        struct profile_cpus list = {0};

        map_each(&profile->cpu_counts, list_cpu, &list);
        if (list.n)
                qsort(list.items, list.n, sizeof(*list.items), compare_cpus);
        *ret_n = list.n;
        return list.items;
}

/* Moves a place and its samples to the event of its source. */
static void move_place(struct profile *profile, struct profile_place *place, uint32_t event)
{
        struct profile_totals *from, *to = profile_totals_of(profile, event);

        from = profile_totals_of(profile, place->event);
        from->n_samples -= place->count;
        from->weight -= place->weight;
        to->n_samples += place->count;
        to->weight += place->weight;
        place->event = event;
        place->source = 0;
}

/* Places are in the order of their first samples. */
uint32_t *profile_split_sources(struct profile *profile, uint32_t first_event, size_t *ret_n)
{
        struct map event_of = {0}; /* source -> event */
        uint32_t *sources = NULL;
        size_t n = 0, cap = 0;

        for (size_t i = 0; i < profile->n_places; i++) {
                struct profile_place *place = &profile->places[i];
                uint64_t *event;
                bool is_new;

                if (!place->source)
                        continue;
                event = map_put(&event_of, place->source, &is_new);
                if (is_new) {
                        *event = first_event + n;
                        ARRAY_PUSH(sources, n, cap, place->source);
                }
                move_place(profile, place, (uint32_t)*event);
        }
        map_release(&event_of);
        profile->keys &= ~(unsigned)PROFILE_SOURCE;
        *ret_n = n;
        return sources;
}
