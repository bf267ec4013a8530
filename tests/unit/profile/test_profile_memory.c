/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows and branches when their memory is used up: no sample is lost. */
#include "branches.h"
#include "map.h"
#include "profile.h"
#include "tap.h"
#include "world.h"

enum { N_SAMPLES = 50000, N_EVENTS = 10, LIMIT_BYTES = 1 << 20 };

/* Each has its own thread and address, outside all mappings. */
static struct sample sample_at(uint64_t i)
{
        return (struct sample){
                .pid = 10, .tid = 10 + (int32_t)i, .misc = PERF_MISC_USER, .ip = 0x1000 + 16 * i};
}

static void expect_counts(const struct profile *profile)
{
        uint64_t counts[N_EVENTS] = {0}, weight = 0;

        for (size_t i = 0; i < profile_n_places(profile); i++) {
                const struct profile_place *place = profile_get_place(profile, i);

                counts[place->event] += place->count;
                weight += place->weight;
        }
        for (size_t i = 0; i < N_EVENTS; i++)
                EXPECT_INT(counts[i], N_SAMPLES / N_EVENTS);
        EXPECT_INT(weight, 2 * N_SAMPLES);
        EXPECT_INT(profile_get_totals(profile, UINT32_MAX).n_samples, N_SAMPLES);
}

static void check_profile(unsigned keys, uint64_t limit_bytes, bool is_short)
{
        AUTO(world) w = world_new();
        struct profile *profile = profile_new(keys, NULL);
        struct budget budget;

        budget_init(&budget, limit_bytes);
        profile_set_budget(profile, &budget);
        for (uint64_t i = 0; i < N_SAMPLES; i++) {
                const struct sample sample = sample_at(i);

                EXPECT_TRUE(profile_add(profile, w, (uint32_t)(i % N_EVENTS), &sample, 2));
        }
        profile_catch_up(profile, w);
        profile_finish(profile);
        expect_counts(profile);
        EXPECT_INT(profile_n_places(profile) < N_SAMPLES, is_short);
        EXPECT_INT(budget_has_left_out(&budget, BUDGET_ADDRESSES), is_short);
        EXPECT_CMP(budget.used_bytes, <=, limit_bytes);
        profile_free(profile);
        EXPECT_INT(budget.used_bytes, 0);
        budget_release(&budget);
}

TEST(rows_by_address)
{
        check_profile(PROFILE_SYMBOL, LIMIT_BYTES, true);
        check_profile(PROFILE_SYMBOL, 64 * LIMIT_BYTES, false);
}

TEST(rows_by_thread)
{
        check_profile(PROFILE_THREAD, LIMIT_BYTES, true);
        check_profile(PROFILE_THREAD, 64 * LIMIT_BYTES, false);
}

TEST(branches)
{
        AUTO(world) w = world_new();
        struct branches *branches = branches_new();
        uint64_t count = 0;
        struct budget budget;

        budget_init(&budget, LIMIT_BYTES);
        branches_set_budget(branches, &budget);
        for (uint64_t i = 0; i < N_SAMPLES; i++) {
                const uint64_t words[3] = {0x1000 + i, 0x2000 + i % 7, 0};
                const struct sample sample = {
                        .pid = 10, .n_branches = 1, .branches = cursor_make(words, sizeof(words))};

                branches_add(branches, w, 0, &sample);
        }
        for (size_t i = 0; i < branches_n_edges(branches); i++)
                count += branches_get_edge(branches, i)->count;
        EXPECT_INT(count, N_SAMPLES);
        EXPECT_TRUE(branches_n_edges(branches) > 100 && branches_n_edges(branches) < N_SAMPLES / 2);
        EXPECT_TRUE(budget_has_left_out(&budget, BUDGET_ADDRESSES));
        branches_free(branches);
        EXPECT_INT(budget.used_bytes, 0);
        budget_release(&budget);
}

TAP_MAIN
