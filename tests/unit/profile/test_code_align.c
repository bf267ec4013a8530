/* SPDX-License-Identifier: BSD-3-Clause */
/* Alignment of sequences: equal elements in order, and the limit. */
#include <stdlib.h>
#include <string.h>

#include "code_align.h"
#include "mem.h"
#include "tap.h"

/* Aligns letters; the result has a digit or letter of `b`'s index for each element of `a`, and '-' for
 * none. */
static void expect_align(const char *a, const char *b, const char *wanted)
{
        static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
        uint64_t x[64], y[64];
        size_t to_b[64], n = strlen(a), m = strlen(b);
        struct code_align align = {.a = x, .b = y, .to_b = to_b};
        char found[65] = "";

        for (size_t i = 0; i < n; i++) {
                x[i] = (uint8_t)a[i];
                to_b[i] = CODE_ALIGN_NONE;
        }
        for (size_t i = 0; i < m; i++)
                y[i] = (uint8_t)b[i];
        code_align_range(&align, 0, n, 0, m);
        for (size_t i = 0; i < n; i++)
                found[i] = to_b[i] == CODE_ALIGN_NONE ? '-' : digits[to_b[i]];
        EXPECT_STR(found, wanted);
        EXPECT_TRUE(!align.is_too_large);
}

TEST(equal_and_empty)
{
        expect_align("", "", "");
        expect_align("abc", "", "---");
        expect_align("", "abc", "");
        expect_align("abc", "abc", "012");
}

TEST(inserted_removed_replaced)
{
        expect_align("abcd", "abXcd", "0134");
        expect_align("abXcd", "abcd", "01-23");
        expect_align("abXcd", "abYcd", "01-34");
        expect_align("abc", "xyz", "---");
}

TEST(a_moved_element_is_left_out)
{
        expect_align("abcdef", "bcdefa", "-01234");
        expect_align("XaYbZ", "ZaXbY", "-1-3-");
}

TEST(repeated_elements_are_aligned_by_a_table)
{
        expect_align("aabbaabb", "abbaab", "0-1234-5");
        expect_align("jjjj", "jj", "01--");
}

TEST(sequences_that_nothing_divides_are_too_large)
{
        enum { N = 5000 };
        uint64_t *hashes = mem_new(2 * N, sizeof(*hashes));
        size_t *to_b = mem_new(N, sizeof(*to_b));
        struct code_align align = {.a = hashes, .b = hashes + N, .to_b = to_b};

        for (size_t i = 0; i < N; i++) {
                to_b[i] = CODE_ALIGN_NONE;
                hashes[i] = 1 + i % 2;
                hashes[N + i] = 1 + i % 3 / 2;
        }
        hashes[0] = hashes[N - 1] = 8; /* no equal ends */
        code_align_range(&align, 0, N, 0, N);
        EXPECT_TRUE(align.is_too_large);
        free(hashes);
        free(to_b);
}

TAP_MAIN
