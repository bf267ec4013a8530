/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads memory of this process, as if it were a stopped thread. */
#include "stop_reader.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

enum { PAGE = 4096, N_PAGES = 200 };

static struct stop_reader reader;
static struct reader_ranges ranges;
static struct stop_thread thread;
static uint8_t *memory;

static uint64_t addr_of(size_t page, size_t off)
{
        return (uint64_t)(uintptr_t)(memory + page * PAGE + off);
}

/* False where processes can't be read: under qemu-user. */
static bool begin(void)
{
        uint64_t word;

        thread = (struct stop_thread){.pid = getpid(), .tid = gettid()};
        ranges = (struct reader_ranges){0};
        memory = mmap(NULL, N_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (size_t i = 0; i < N_PAGES * PAGE; i++)
                memory[i] = (uint8_t)(i / 8 + i / PAGE * 3);
        return stop_thread_read(&thread, addr_of(0, 0), &word, sizeof(word)) == sizeof(word);
}

static void finish(void)
{
        munmap(memory, N_PAGES * PAGE);
        stop_reader_release(&reader);
}

/* Whether a stop reads what is there now at each of `n` pages; *ret_n_ahead is how many were read ahead. */
static bool read_pages(const size_t *pages, size_t n, size_t *ret_n_ahead)
{
        bool is_right = true;
        uint8_t bytes[100];

        *ret_n_ahead = 0;
        stop_reader_begin(&reader, &thread, &ranges);
        for (size_t i = 0; i < n; i++) {
                uint64_t addr = addr_of(pages[i], 500);

                *ret_n_ahead += stop_reader_find(&reader, addr, sizeof(bytes)) != NULL;
                is_right &= stop_reader_read(&reader, addr, bytes, sizeof(bytes)) &&
                            !memcmp(bytes, memory + pages[i] * PAGE + 500, sizeof(bytes));
        }
        stop_reader_end(&reader);
        return is_right;
}

TEST(what_a_stop_has_read_is_read_ahead)
{
        const size_t pages[] = {50, 3, 90, 17}, others[] = {17, 120};
        size_t n;

        if (!begin())
                SKIP("process_vm_readv");
        EXPECT_TRUE(read_pages(pages, 4, &n));
        EXPECT_INT(n, 0);
        EXPECT_TRUE(read_pages(pages, 4, &n));
        EXPECT_INT(n, 4);
        /* What it is now, not what it was. */
        memset(memory + 3 * PAGE, 7, PAGE);
        EXPECT_TRUE(read_pages(pages, 4, &n));
        EXPECT_INT(n, 4);
        /* Once in a while another stack does no harm, but what is not read any more is given up. */
        EXPECT_TRUE(read_pages(others, 2, &n));
        EXPECT_INT(n, 1);
        EXPECT_INT(ranges.n, 5);
        EXPECT_TRUE(read_pages(others, 2, &n));
        EXPECT_INT(n, 2);
        EXPECT_INT(ranges.n, 2);
        finish();
}

TEST(ranges_of_a_page_are_read_as_one)
{
        uint8_t bytes[64];

        if (!begin())
                SKIP("process_vm_readv");
        stop_reader_begin(&reader, &thread, &ranges);
        for (size_t off = 3000; off + 64 <= 4096; off -= 600) {
                EXPECT_TRUE(stop_reader_read(&reader, addr_of(5, off), bytes, sizeof(bytes)));
                if (off < 1200)
                        break;
        }
        EXPECT_TRUE(stop_reader_read(&reader, addr_of(9, 8), bytes, sizeof(bytes)));
        stop_reader_end(&reader);
        EXPECT_INT(ranges.n, 2);
        EXPECT_INT((int64_t)(ranges.items[0].addr - addr_of(5, 0)), 600);
        EXPECT_INT(ranges.items[0].size, 2464);
        finish();
}

TEST(memory_that_is_gone)
{
        const size_t pages[] = {10, 20, 30}, left[] = {10, 30};
        uint8_t bytes[100];
        size_t n;

        if (!begin())
                SKIP("process_vm_readv");
        EXPECT_TRUE(read_pages(pages, 3, &n));
        munmap(memory + 20 * PAGE, PAGE);
        EXPECT_TRUE(read_pages(left, 2, &n));
        EXPECT_INT(n, 1); /* behind the page, nothing was read ahead */
        EXPECT_TRUE(read_pages(left, 2, &n));
        EXPECT_INT(n, 2);
        stop_reader_begin(&reader, &thread, &ranges);
        EXPECT_TRUE(!stop_reader_read(&reader, addr_of(20, 500), bytes, sizeof(bytes)));
        stop_reader_end(&reader);
        EXPECT_INT(ranges.n, 2);
        finish();
}

/* More than there is room for. */
TEST(many_ranges)
{
        size_t pages[N_PAGES], n;

        if (!begin())
                SKIP("process_vm_readv");
        for (size_t i = 0; i < N_PAGES; i++)
                pages[i] = (i * 37) % N_PAGES;
        for (int stop = 0; stop < 3; stop++) {
                EXPECT_TRUE(read_pages(pages, N_PAGES, &n));
                EXPECT_TRUE(n <= READER_MAX_RANGES && ranges.n <= READER_MAX_RANGES);
                EXPECT_TRUE(!stop || n >= READER_MAX_RANGES / 4);
        }
        finish();
}

TAP_MAIN
