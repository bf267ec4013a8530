/* SPDX-License-Identifier: BSD-3-Clause */
#include "resource_list.h"

#include <stdlib.h>

#include "tap.h"

/* CM_RESOURCE_LIST with one CM_FULL_RESOURCE_DESCRIPTOR and two CM_PARTIAL_RESOURCE_DESCRIPTORs. */
enum {
        BUSES_OFF = 0,      /* Count */
        RESOURCES_OFF = 16, /* Count of PartialResourceList */
        INTERRUPT_OFF = 20,
        MEMORY_OFF = 40,
        TYPE_OFF = 0, /* in a resource */
        START_OFF = 4,
        LENGTH_OFF = 12,
        LIST_BYTES = 60,
};

/* One bus with an interrupt and 4 KiB of memory at 0x1234567800. */
static const uint8_t list[LIST_BYTES] = {
        [BUSES_OFF] = 1,
        [RESOURCES_OFF] = 2,
        [INTERRUPT_OFF + TYPE_OFF] = 2,
        [MEMORY_OFF + TYPE_OFF] = 3,
        [MEMORY_OFF + START_OFF + 1] = 0x78,
        [MEMORY_OFF + START_OFF + 2] = 0x56,
        [MEMORY_OFF + START_OFF + 3] = 0x34,
        [MEMORY_OFF + START_OFF + 4] = 0x12,
        [MEMORY_OFF + LENGTH_OFF + 1] = 0x10,
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
                {BUSES_OFF, 0},
                {RESOURCES_OFF, 1},               /* the interrupt */
                {MEMORY_OFF + TYPE_OFF, 1},       /* a port */
                {MEMORY_OFF + LENGTH_OFF + 1, 0}, /* no bytes */
                {RESOURCES_OFF, 0xff}, /* more resources than there are, after memory of no bytes */
        };
        uint8_t copy[LIST_BYTES];
        uint64_t first;
        uint32_t n;

        for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
                memcpy(copy, list, sizeof(copy));
                copy[changes[i].at] = changes[i].value;
                if (changes[i].value == 0xff)
                        copy[MEMORY_OFF + LENGTH_OFF + 1] = 0;
                EXPECT_TRUE(!find(copy, sizeof(copy), &first, &n));
        }
        memcpy(copy, list, sizeof(copy));
        memset(copy + MEMORY_OFF + START_OFF, 0xff, 8);
        EXPECT_TRUE(!find(copy, sizeof(copy), &first, &n)); /* memory beyond the last address */
}

TAP_MAIN
