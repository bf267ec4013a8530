/* SPDX-License-Identifier: BSD-3-Clause */
#include "resource_list.h"

#include <stdlib.h>

#include "tap.h"

enum { LIST_BYTES = 4 + 16 + 2 * 20 };

/* One bus with an interrupt and 4 KiB of memory at 0x1234567800. */
static const uint8_t list[LIST_BYTES] = {
        [0] = 1,     [16] = 2,    [20] = 2,    [40] = 3,    [45] = 0x78,
        [46] = 0x56, [47] = 0x34, [48] = 0x12, [53] = 0x10,
};

/* Exactly as long as it says, so that the address sanitizer sees an access behind it. */
static bool find(const uint8_t *bytes, size_t size, uint64_t *first, uint32_t *n)
{
        uint8_t *copy = malloc(size + !size);
        bool found;

        memcpy(copy, bytes, size);
        found = resource_list_find_memory(copy, size, first, n);
        free(copy);
        return found;
}

TEST(memory_is_found)
{
        uint64_t first = 0;
        uint32_t n = 0;

        EXPECT_TRUE(find(list, sizeof(list), &first, &n));
        EXPECT_TRUE(first == 0x1234567800 && n == 0x1000);
}

TEST(every_cut_list_is_refused)
{
        uint64_t first;
        uint32_t n;

        for (size_t size = 0; size < sizeof(list); size++)
                EXPECT_TRUE(!find(list, size, &first, &n));
}

TEST(lists_that_are_not_right)
{
        static const struct {
                uint8_t at, value;
        } changes[] = {
                {0, 0},     /* no bus */
                {16, 1},    /* one resource, the interrupt */
                {40, 1},    /* a port */
                {53, 0},    /* no bytes */
                {16, 0xff}, /* more resources than there are, after memory of no bytes */
        };
        uint8_t copy[LIST_BYTES];
        uint64_t first;
        uint32_t n;

        for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
                memcpy(copy, list, sizeof(copy));
                copy[changes[i].at] = changes[i].value;
                if (changes[i].value == 0xff)
                        copy[53] = 0;
                EXPECT_TRUE(!find(copy, sizeof(copy), &first, &n));
        }
        memcpy(copy, list, sizeof(copy));
        memset(copy + 44, 0xff, 8);
        EXPECT_TRUE(!find(copy, sizeof(copy), &first, &n)); /* memory beyond the last address */
}

TAP_MAIN
