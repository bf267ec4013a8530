/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of Arm SPE by source: only those of the SPE event have one, parts are merged, and each source
 * becomes an event. */
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "spe_raw.h"
#include "tap.h"
#include "world.h"

enum { KEYS = PROFILE_MODULE | PROFILE_SYMBOL | PROFILE_SOURCE, CYCLES = 0, SPE = 1, N_EVENTS = 2, LOAD = 1 };

static const uint8_t retired_load[20] = {2, [16] = LOAD}, missed_load[20] = {10, [16] = LOAD};
static const uint64_t retired = 2, missed = 10;

static uint32_t source_of_load(uint64_t events)
{
        return spe_raw_pack_source(&(struct spe_raw){.events = events, .class_id = LOAD});
}

static void add(struct profile *profile, struct world *world, uint32_t event, const uint8_t *raw, size_t size,
                uint32_t cpu)
{
        const struct sample sample = {.pid = 1,
                                      .tid = 1,
                                      .cpu = cpu,
                                      .ip = 0x1000,
                                      .misc = PERF_MISC_USER,
                                      .raw = cursor_make(raw, size)};

        EXPECT_TRUE(profile_add(profile, world, event, &sample, 10));
}

static struct profile *new_profile(void)
{
        struct profile *profile = profile_new(KEYS, NULL);

        profile_set_spe(profile, SPE);
        return profile;
}

static void expect_event(const struct profile *profile, uint32_t event, uint64_t n)
{
        struct profile_totals totals = profile_get_totals(profile, event);
        uint64_t counted = 0;

        for (size_t i = 0; i < profile_n_places(profile); i++) {
                const struct profile_place *place = profile_get_place(profile, i);

                EXPECT_INT(place->source, 0);
                counted += place->event == event ? place->count : 0;
        }
        EXPECT_INT(totals.n_samples, n);
        EXPECT_INT(totals.weight, 10 * n);
        EXPECT_INT(counted, n);
}

static void expect_split(struct profile *profile)
{
        size_t n;
        uint32_t *sources = profile_split_sources(profile, N_EVENTS, &n);

        EXPECT_INT(n, 2);
        EXPECT_INT(sources[0], source_of_load(missed));
        EXPECT_INT(sources[1], source_of_load(retired));
        free(sources);
        EXPECT_INT(profile_keys(profile) & PROFILE_SOURCE, 0);
        expect_event(profile, CYCLES, 1);
        expect_event(profile, SPE, 1);
        expect_event(profile, N_EVENTS, 1);
        expect_event(profile, N_EVENTS + 1, 3);
        EXPECT_INT(profile_get_totals(profile, UINT32_MAX).n_samples, 6);
}

static void expect_cpus(const struct profile *profile)
{
        size_t n;
        uint32_t *cpus = profile_spe_cpus(profile, &n);

        EXPECT_INT(n, 2);
        EXPECT_INT(cpus[0], 3);
        EXPECT_INT(cpus[1], 7);
        EXPECT_INT(profile_spe_count(profile, 3), 1);
        EXPECT_INT(profile_spe_count(profile, 7), 3);
        EXPECT_INT(profile_spe_count(profile, 5), 0);
        free(cpus);
}

/* A sample whose raw data is cut stays in the event that was recorded. */
static void add_first(struct profile *profile, struct world *world)
{
        add(profile, world, CYCLES, retired_load, sizeof(retired_load), 5);
        add(profile, world, SPE, missed_load, sizeof(missed_load), 7);
        add(profile, world, SPE, retired_load, sizeof(retired_load), 7);
        profile_catch_up(profile, world);
}

static void add_second(struct profile *profile, struct world *world)
{
        add(profile, world, SPE, retired_load, 10, 5);
        add(profile, world, SPE, retired_load, sizeof(retired_load), 7);
        add(profile, world, SPE, retired_load, sizeof(retired_load), 3);
        profile_catch_up(profile, world);
}

TEST(each_source_becomes_an_event)
{
        AUTO(world) w = world_new();
        AUTO(profile) profile = new_profile();

        add_first(profile, w);
        add_second(profile, w);
        profile_finish(profile);
        expect_cpus(profile);
        expect_split(profile);
}

TEST(parts_are_merged)
{
        AUTO(world) w = world_new();
        AUTO(profile) first = new_profile();
        AUTO(profile) second = new_profile();
        AUTO(profile) whole = new_profile();
        struct profile_mark done[2] = {0}, until;

        add_first(first, w);
        add_second(second, w);
        until = profile_get_mark(first);
        profile_merge_take(whole, first, &done[0], &until);
        until = profile_get_mark(second);
        profile_merge_take(whole, second, &done[1], &until);
        profile_merge_totals(whole, first);
        profile_merge_totals(whole, second);
        profile_finish(whole);
        expect_cpus(whole);
        expect_split(whole);
}

TAP_MAIN
