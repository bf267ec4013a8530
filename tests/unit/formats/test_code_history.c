/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "code_history.h"
#include "mem.h"
#include "tap.h"

static unsigned seed = 7;

static unsigned next_number(unsigned below)
{
        seed = seed * 1103515245 + 12345;
        return seed / 65536 % below;
}

enum { SPACE = 150, TIMES = 40 };

static void make_ranges(struct code_range *ranges, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                ranges[i].start = next_number(SPACE);
                ranges[i].end = ranges[i].start + next_number(30);
                ranges[i].time = next_number(TIMES);
                ranges[i].off = 1000 + i * 100;
        }
}

static bool covers(const struct code_range *range, uint64_t addr)
{
        return addr >= range->start && addr < range->end;
}

/* The last range there at `time`, UINT32_MAX: none. */
static uint32_t search(const struct code_range *ranges, size_t n, uint64_t addr, uint64_t time)
{
        uint32_t found = UINT32_MAX;

        for (size_t i = 0; i < n; i++) {
                if (covers(&ranges[i], addr) && ranges[i].time <= time &&
                    (found == UINT32_MAX || ranges[i].time >= ranges[found].time))
                        found = (uint32_t)i;
        }
        return found;
}

static uint32_t search_first(const struct code_range *ranges, size_t n, uint64_t addr)
{
        uint32_t found = UINT32_MAX;

        for (size_t i = 0; i < n; i++) {
                if (covers(&ranges[i], addr) && (found == UINT32_MAX || ranges[i].time < ranges[found].time))
                        found = (uint32_t)i;
        }
        return found;
}

static void check_at(const struct code_history *h, const struct code_range *ranges, size_t n, uint64_t addr,
                     uint64_t time)
{
        uint32_t want = search(ranges, n, addr, time);
        struct code_found found = {.range = UINT32_MAX};
        uint64_t off = 0;

        EXPECT_INT(code_history_find(h, addr, time, CODE_TOLD_BEFORE, &found), want != UINT32_MAX);
        EXPECT_INT(found.range, want);
        EXPECT_TRUE(found.same_from <= addr && addr < found.same_to);
        want = want == UINT32_MAX ? search_first(ranges, n, addr) : want;
        found.range = UINT32_MAX;
        EXPECT_INT(code_history_find(h, addr, time, CODE_TOLD_LATE, &found), want != UINT32_MAX);
        EXPECT_INT(found.range, want);
        EXPECT_INT(code_history_to_off(h, addr, time, &off), want != UINT32_MAX);
        EXPECT_INT(off, want == UINT32_MAX ? 0 : ranges[want].off + addr - ranges[want].start);
        if (want == UINT32_MAX)
                return;
        EXPECT_TRUE(code_history_find_off(h, off, &found));
        EXPECT_INT(found.range, want);
}

TEST(code_history_agrees_with_a_plain_search)
{
        enum { N = 120 };

        for (unsigned round = 0; round < 8; round++) {
                struct code_range ranges[N];
                AUTO(code_history) history = NULL;
                size_t n = round ? N >> round : N;
                bool has_changes = false;

                make_ranges(ranges, n);
                history = code_history_new(ranges, n);
                for (uint64_t addr = 0; addr < SPACE + 40; addr++) {
                        size_t n_covering = 0;

                        for (size_t i = 0; i < n; i++)
                                n_covering += covers(&ranges[i], addr);
                        has_changes |= n_covering > 1;
                        for (uint64_t time = 0; time <= TIMES; time++)
                                check_at(history, ranges, n, addr, time);
                }
                EXPECT_INT(code_history_has_changes(history), has_changes);
        }
}

/* Within a span all results are the same, and at its ends some result changes. */
TEST(code_history_tells_when_answers_change)
{
        enum { N = 12 };

        for (unsigned round = 0; round < 20; round++) {
                struct code_range ranges[N];
                AUTO(code_history) history = NULL;

                make_ranges(ranges, N);
                history = code_history_new(ranges, N);
                for (uint64_t time = 1; time <= TIMES; time++) {
                        uint64_t from, to;
                        bool same = true;

                        for (uint64_t addr = 0; addr < SPACE + 40; addr++) {
                                uint64_t off = 0, before = 0;

                                code_history_to_off(history, addr, time, &off);
                                code_history_to_off(history, addr, time - 1, &before);
                                same &= off == before;
                        }
                        code_history_span(history, time, &from, &to);
                        EXPECT_TRUE(from <= time && time < to);
                        EXPECT_TRUE(same || from == time);
                        code_history_span(history, time - 1, &from, &to);
                        EXPECT_TRUE(same || to == time);
                }
        }
}

TEST(code_history_has_no_change_where_no_address_was_used_again)
{
        const struct code_range ranges[] = {
                {100, 200, 5, 0}, {200, 300, 6, 100}, {50, 50, 7, 200}, {60, 90, 8, 200}};
        AUTO(code_history) history = code_history_new(ranges, 4);
        uint64_t from, to;

        code_history_span(history, 7, &from, &to);
        EXPECT_INT(from, 0);
        EXPECT_CMP(to, ==, UINT64_MAX);
        EXPECT_TRUE(!code_history_has_changes(history));
}

TEST(code_history_knows_a_change_at_time_0)
{
        const struct code_range ranges[] = {{100, 200, 0, 0}, {100, 200, 0, 100}};
        AUTO(code_history) history = code_history_new(ranges, 2);
        uint64_t off;

        EXPECT_TRUE(code_history_has_changes(history));
        EXPECT_TRUE(code_history_to_off(history, 150, 0, &off));
        EXPECT_INT(off, 150);
}

/* Code that was moved has one offset, with the range of the load. */
TEST(code_history_leads_moved_code_to_its_load)
{
        const struct code_range ranges[] = {{100, 200, 5, 1000}, {300, 400, 6, 1000}};
        AUTO(code_history) history = code_history_new(ranges, 2);
        struct code_found found;
        uint64_t off;

        EXPECT_TRUE(code_history_to_off(history, 310, 6, &off));
        EXPECT_INT(off, 1010);
        EXPECT_TRUE(code_history_find_off(history, off, &found));
        EXPECT_INT(found.range, 0);
        EXPECT_INT(found.same_to, 1100);
}

/* Time and memory must not grow with the square of the number of loads, at one address or at overlapping
 * ones; otherwise this would take a day. */
TEST(code_history_takes_a_million_loads_at_one_address)
{
        enum { N = 1 << 20 };
        struct code_range *ranges = mem_new(N, sizeof(*ranges));

        for (unsigned stairs = 0; stairs < 3; stairs++) {
                AUTO(code_history) history = NULL;
                uint64_t from, to, off;

                for (uint64_t i = 0; i < N; i++)
                        ranges[i] = (struct code_range){1000 + i * (stairs & 1), 1000 + N + i * (stairs > 1),
                                                        i, i * 2 * N};
                history = code_history_new(ranges, N);
                for (uint64_t i = 1; i < N; i += N / 64) {
                        EXPECT_TRUE(code_history_to_off(history, 1000 + N - 1, i, &off));
                        EXPECT_INT(off / (2 * N), i);
                        code_history_span(history, i, &from, &to);
                        EXPECT_TRUE(from == i && to == i + 1);
                }
        }
        free(ranges);
}

TAP_MAIN
