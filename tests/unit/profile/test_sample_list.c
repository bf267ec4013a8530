/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample_list.h"

#include "budget.h"
#include "tap.h"

TEST(texts_have_one_number)
{
        AUTO(sample_list) list = sample_list_new();
        uint32_t a = sample_list_add_text(list, "a"), b = sample_list_add_text(list, "b");

        EXPECT_CMP(a, !=, b);
        EXPECT_INT(sample_list_add_text(list, "b"), b);
        EXPECT_INT(sample_list_add_text(list, "a"), a);
        EXPECT_STR(sample_list_text(list, a), "a");
        EXPECT_STR(sample_list_text(list, sample_list_add_text(list, "")), "");
}

TEST(samples_stay_in_order)
{
        enum { N = 100000 };
        AUTO(sample_list) list = sample_list_new();
        size_t n_wrong = 0;

        EXPECT_INT(sample_list_n(list), 0);
        for (uint64_t i = 0; i < N; i++)
                sample_list_add(list,
                                &(struct listed_sample){.time_ns = i * 3, .node = (uint32_t)i, .tid = -1});
        EXPECT_INT(sample_list_n(list), N);
        for (size_t i = 0; i < N; i++)
                n_wrong += sample_list_get(list, i)->time_ns != i * 3 || sample_list_get(list, i)->node != i;
        EXPECT_INT(n_wrong, 0);
}

TEST(the_beginning_of_a_sample_is_known_or_its_weight_before_it)
{
        enum { N = 20000, LIMIT_BYTES = 3 << 19 };
        struct sample_list *list = sample_list_new();
        struct budget budget;
        size_t n_known = 0;

        budget_init(&budget, LIMIT_BYTES);
        sample_list_set_budget(list, &budget);
        while (sample_list_n(list) < N && sample_list_make_room(list)) {
                uint64_t i = sample_list_n(list);

                sample_list_add(list, &(struct listed_sample){.time_ns = 2 + i, .weight = 3});
                if (i % 2)
                        sample_list_set_begin(list, 1000 + i);
        }
        ASSERT_TRUE(sample_list_n(list) > 1000 && sample_list_n(list) < N);
        for (size_t i = 0; i < sample_list_n(list); i++) {
                uint64_t expected = i < 2 ? 0 : i - 1;

                if (sample_list_knows_begin(list, i)) {
                        EXPECT_TRUE(i % 2);
                        expected = 1000 + i;
                        n_known++;
                }
                EXPECT_INT(sample_list_begin(list, i), expected);
        }
        EXPECT_TRUE(n_known >= 500);
        EXPECT_TRUE(budget.used_bytes <= LIMIT_BYTES);
        sample_list_free(list);
        EXPECT_INT(budget.used_bytes, 0);
        budget_release(&budget);
}

/* Each with a text of its own. */
TEST(samples_over_the_limit_are_left_out)
{
        enum { N = 100000, LIMIT_BYTES = 4 << 20 };
        struct sample_list *list = sample_list_new();
        struct budget budget;

        budget_init(&budget, LIMIT_BYTES);
        sample_list_set_budget(list, &budget);
        for (uint64_t i = 0; i < N; i++) {
                struct listed_sample sample = {.time_ns = i};
                char text[16];

                if (!sample_list_make_room(list))
                        continue;
                snprintf(text, sizeof(text), "thread %u", (unsigned)i);
                sample.comm = sample_list_add_text(list, text);
                sample_list_add(list, &sample);
        }
        EXPECT_TRUE(sample_list_n(list) > 1000 && sample_list_n(list) < N / 2);
        EXPECT_TRUE(budget_has_left_out(&budget, BUDGET_SAMPLES));
        EXPECT_TRUE(budget.used_bytes > LIMIT_BYTES / 2 && budget.used_bytes <= LIMIT_BYTES / 8 * 5);
        EXPECT_INT(sample_list_get(list, 999)->time_ns, 999);
        sample_list_free(list);
        EXPECT_INT(budget.used_bytes, 0);
        budget_release(&budget);
}

TAP_MAIN
