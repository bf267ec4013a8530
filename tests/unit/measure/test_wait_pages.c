/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"
#include "wait_pages.h"

enum { PAGE_BYTES = 4096, N_MAPPED = 1024 };

static bool can_read(void)
{
        static const uint64_t word = 1;
        AUTO(wait_pages) pages = wait_pages_new((int32_t)getpid());
        uint64_t got;

        return wait_pages_read(pages, (uint64_t)(uintptr_t)&word, &got, sizeof(got));
}

TEST(reads_over_the_borders_of_pages_and_not_beyond_what_is_mapped)
{
        AUTO(wait_pages) pages = wait_pages_new((int32_t)getpid());
        uint8_t *memory = mmap(NULL, (N_MAPPED + 1) * PAGE_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        uint8_t got[2 * PAGE_BYTES];

        if (!can_read())
                SKIP("process_vm_readv");
        EXPECT_TRUE(memory != MAP_FAILED);
        for (size_t i = 0; i < N_MAPPED * PAGE_BYTES; i++)
                memory[i] = (uint8_t)(i / PAGE_BYTES * 7 + i);
        EXPECT_INT(munmap(memory + N_MAPPED * PAGE_BYTES, PAGE_BYTES), 0);
        for (size_t page = 0; page + 2 < N_MAPPED; page += 3) {
                const uint8_t *at = memory + page * PAGE_BYTES + 100;

                memset(got, 0, sizeof(got));
                EXPECT_TRUE(wait_pages_read(pages, (uint64_t)(uintptr_t)at, got, sizeof(got)));
                EXPECT_TRUE(!memcmp(got, at, sizeof(got)));
        }
        EXPECT_TRUE(!wait_pages_read(pages, (uint64_t)(uintptr_t)memory + N_MAPPED * PAGE_BYTES - 4, got, 8));
        EXPECT_TRUE(wait_pages_read(pages, (uint64_t)(uintptr_t)memory + N_MAPPED * PAGE_BYTES - 8, got, 8));
        munmap(memory, N_MAPPED * PAGE_BYTES);
}

TEST(what_is_read_again_soon_is_what_was_read_first)
{
        static uint64_t word = 1;
        AUTO(wait_pages) pages = wait_pages_new((int32_t)getpid());
        uint64_t got = 0;

        if (!can_read())
                SKIP("process_vm_readv");
        EXPECT_TRUE(wait_pages_read(pages, (uint64_t)(uintptr_t)&word, &got, sizeof(got)));
        word = 2;
        EXPECT_TRUE(wait_pages_read(pages, (uint64_t)(uintptr_t)&word, &got, sizeof(got)));
        EXPECT_INT(got, 1);
}

TAP_MAIN
