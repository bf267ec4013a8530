/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "attributes.h"
#include "lazy_order.h"
#include "tap.h"

enum { N = 5000 };

static struct lazy_item items[N];
static uint32_t seconds[N]; /* what items with equal keys are compared by */
static size_t n_compared;

static int by_second(uint32_t a, uint32_t b, const void *ctx)
{
        (void)ctx;
        n_compared++;
        return (seconds[a] > seconds[b]) - (seconds[a] < seconds[b]);
}

static uint32_t next_random(void)
{
        static uint64_t state = 7;

        state = state * 6364136223846793005U + 1442695040888963407U;
        return (uint32_t)(state >> 33);
}

/* `kinds` of keys and of what is compared after them. */
static void make(size_t n, uint32_t kinds)
{
        for (uint32_t i = 0; i < n; i++) {
                items[i] = (struct lazy_item){next_random() % kinds, i};
                seconds[i] = next_random() % kinds;
        }
}

/* How many items stand before item `i` of the unsorted copy. */
static size_t place_of(const struct lazy_item *from, size_t n, size_t i)
{
        size_t place = 0;

        for (size_t k = 0; k < n; k++) {
                int by = by_second((uint32_t)k, (uint32_t)i, NULL);

                if (from[k].key != from[i].key)
                        place += from[k].key < from[i].key;
                else
                        place += by ? by < 0 : k < i;
        }
        return place;
}

/* Asks for all places in random order; returns how many were wrong. */
static size_t n_wrong(size_t n)
{
        static struct lazy_item before[N];
        AUTO_RELEASE(lazy_order) order = {0};
        size_t wrong = 0;

        memcpy(before, items, n * sizeof(*items));
        lazy_order_begin(&order, items, n, false, by_second, NULL);
        for (size_t i = 0; i < 3 * n; i++) {
                size_t place = next_random() % n;

                wrong += place_of(before, n, lazy_order_get(&order, place)) != place;
        }
        return wrong;
}

TEST(every_place_has_the_item_of_a_full_sort)
{
        const uint32_t kinds[] = {1, 2, 7, 1000, UINT32_MAX};

        for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
                for (size_t n = 1; n < 80; n++) {
                        make(n, kinds[k]);
                        EXPECT_INT(n_wrong(n), 0);
                }
                make(700, kinds[k]);
                EXPECT_INT(n_wrong(700), 0);
        }
}

TEST(items_in_their_order_stay)
{
        AUTO_RELEASE(lazy_order) order = {0};

        make(100, 10);
        lazy_order_begin(&order, items, 100, true, by_second, NULL);
        for (uint32_t i = 0; i < 100; i++)
                EXPECT_INT(lazy_order_get(&order, i), i);
}

TEST(one_place_costs_far_less_than_a_sort)
{
        AUTO_RELEASE(lazy_order) order = {0};
        size_t first, all;

        make(N, 1000000);
        for (size_t i = 0; i < N; i++)
                items[i].key = 0;
        lazy_order_begin(&order, items, N, false, by_second, NULL);
        n_compared = 0;
        (void)lazy_order_get(&order, N / 2);
        first = n_compared;
        for (size_t i = 0; i < N; i++)
                (void)lazy_order_get(&order, i);
        all = n_compared;
        EXPECT_CMP(first, <, 5 * N);
        EXPECT_CMP(all, >, 3 * first);
}

TEST(sorted_and_equal_items_take_no_quadratic_time)
{
        AUTO_RELEASE(lazy_order) order = {0};

        for (int falling = 0; falling < 2; falling++) {
                for (uint32_t i = 0; i < N; i++) {
                        items[i] = (struct lazy_item){0, i};
                        seconds[i] = falling ? N - i : 1;
                }
                lazy_order_begin(&order, items, N, false, by_second, NULL);
                n_compared = 0;
                for (size_t i = 0; i < N; i++)
                        EXPECT_INT(lazy_order_get(&order, i), falling ? N - 1 - i : i);
                EXPECT_CMP(n_compared, <, 40 * N);
        }
}

TEST(keys_of_texts_have_the_order_of_strcmp)
{
        const char *texts[] = {"", "a", "ab", "abcdefgh", "abcdefghz", "b", "\x7f", "\xc3\xa4", "\xff"};
        size_t n = sizeof(texts) / sizeof(*texts);

        for (size_t i = 0; i + 1 < n; i++)
                EXPECT_CMP(lazy_order_text_key(texts[i]), <=, lazy_order_text_key(texts[i + 1]));
        EXPECT_CMP(lazy_order_text_key("abcdefgh"), ==, lazy_order_text_key("abcdefghz"));
        EXPECT_CMP(lazy_order_text_key("a"), !=, lazy_order_text_key("ab"));
}

TAP_MAIN
