/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains that have no room for all frames. */
#include "stop_merge.h"

#include "tap.h"

static size_t n_words_of(size_t max_words, bool *ret_has_all)
{
        static const struct unwind_frame natives[] = {{.pc = 0x1000}, {.pc = 0x2000}, {.pc = 0x3000}};
        AUTO(stop_python) python = stop_python_new();
        AUTO(stop_merge) merge = stop_merge_new(python, "/tmp/x.pysyms");
        AUTO_RELEASE(buf) out = {0};

        *ret_has_all = stop_merge_add(merge, natives, 3, UNWIND_END_OUTERMOST, max_words, &out);
        return out.len / sizeof(uint64_t);
}

TEST(what_has_no_room_is_told)
{
        bool has_all;

        EXPECT_INT(n_words_of(3, &has_all), 3);
        EXPECT_TRUE(has_all);
        EXPECT_INT(n_words_of(2, &has_all), 2);
        EXPECT_TRUE(!has_all);
        EXPECT_INT(n_words_of(0, &has_all), 0);
        EXPECT_TRUE(!has_all);
}

TAP_MAIN
