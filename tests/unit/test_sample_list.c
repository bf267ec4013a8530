/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample_list.h"

#include "tap.h"

TEST(texts_have_one_number)
{
        AUTO(sample_list) list = sample_list_new();
        uint32_t a = sample_list_add_text(list, "a"), b = sample_list_add_text(list, "b");

        EXPECT_TRUE(a != b);
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

TAP_MAIN
