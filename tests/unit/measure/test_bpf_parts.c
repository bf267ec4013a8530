/* SPDX-License-Identifier: BSD-3-Clause */
#include "bpf_parts.h"

#include "tap.h"

enum { TID = 5 };

TEST(parts_of_two_threads)
{
        AUTO(bpf_parts) parts = bpf_parts_new();

        buf_add_str(bpf_parts_get(parts, TID, 100), "first ");
        buf_add_str(bpf_parts_get(parts, TID + 1, 100), "other");
        buf_add_str(bpf_parts_get(parts, TID, 100), "second");
        EXPECT_STR(buf_text(bpf_parts_get(parts, TID, 100)), "first second");
        bpf_parts_end(parts, TID);
        EXPECT_INT(bpf_parts_get(parts, TID, 100)->len, 0);
        EXPECT_STR(buf_text(bpf_parts_get(parts, TID + 1, 100)), "other");
}

TEST(parts_whose_rest_was_lost)
{
        AUTO(bpf_parts) parts = bpf_parts_new();

        buf_add_str(bpf_parts_get(parts, TID, 100), "lost");
        buf_add_str(bpf_parts_get(parts, TID, 200), "next");
        EXPECT_STR(buf_text(bpf_parts_get(parts, TID, 200)), "next");
        for (int32_t tid = TID; tid < TID + 1000; tid++)
                buf_add_str(bpf_parts_get(parts, tid, 300), "lost");
        EXPECT_STR(buf_text(bpf_parts_get(parts, TID + 999, 300)), "lost");
        EXPECT_INT(bpf_parts_get(parts, TID, 300)->len, 0);
}

TAP_MAIN
