/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of several rings by time, and chains in the place of copies. */
#include <stdlib.h>

#include "linux_unwind.h"
#include "tap.h"

static const struct perf_attr attr = {
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
        .flags = PERF_ATTR_SAMPLE_ID_ALL,
};

/* A sample whose IP is also its name in the answers. */
static void add_sample(struct buf *pass, uint64_t time, uint64_t ip)
{
        struct perf_header header = {.type = PERF_RECORD_SAMPLE, .size = 40};

        buf_add(pass, &header, sizeof(header));
        buf_add_u64(pass, 1);
        buf_add_u64(pass, ip);
        buf_add_u64(pass, 0);
        buf_add_u64(pass, time);
}

static void add_exit(struct buf *pass, uint64_t time)
{
        struct perf_header header = {.type = PERF_RECORD_EXIT, .size = 56};

        buf_add(pass, &header, sizeof(header));
        buf_add_zeros(pass, 24 + 8);
        buf_add_u64(pass, time);
        buf_add_u64(pass, 1);
}

static void expect_next(struct order *order, const char *expected)
{
        AUTO_RELEASE(buf) seen = {0};
        const uint8_t *record;
        uint64_t ip;

        while ((record = order_next(order)) != NULL) {
                memcpy(&ip, record + 16, sizeof(ip));
                if (record[0] == PERF_RECORD_EXIT)
                        buf_add_str(&seen, "exit ");
                else
                        buf_printf(&seen, "%llu ", (unsigned long long)ip);
        }
        EXPECT_STR(buf_text(&seen), expected);
}

TEST(what_a_later_pass_cannot_come_before_goes_out)
{
        struct order order = {0};
        struct buf pass = {0};

        add_sample(&pass, 10, 1);
        add_sample(&pass, 30, 2);
        add_sample(&pass, 20, 3); /* of the next ring */
        order_add_round(&order, &attr, &pass, false);
        EXPECT_INT(pass.len, 0);
        expect_next(&order, "");
        add_sample(&pass, 40, 4);
        add_sample(&pass, 25, 5);
        add_exit(&pass, 30);
        order_add_round(&order, &attr, &pass, false);
        expect_next(&order, "1 3 5 2 exit ");
        order_add_round(&order, &attr, &pass, false); /* a pass that brings nothing */
        expect_next(&order, "4 ");
        add_sample(&pass, 60, 6);
        add_sample(&pass, 50, 7);
        order_add_round(&order, &attr, &pass, true);
        expect_next(&order, "7 6 ");
        order_release(&order);
        buf_release(&pass);
}

TEST(records_without_a_time_go_out_at_once)
{
        struct order order = {0};
        struct buf pass = {0};

        add_sample(&pass, 10, 1);
        add_sample(&pass, 0, 2);
        add_exit(&pass, 0);
        order_add_round(&order, &attr, &pass, false);
        expect_next(&order, "2 exit ");
        order_add_round(&order, &attr, &pass, true);
        expect_next(&order, "1 ");
        order_release(&order);
        buf_release(&pass);
}

TEST(many_rounds_of_many_rings_come_out_sorted)
{
        enum { ROUNDS = 200, RINGS = 7 };
        struct order order = {0};
        struct buf pass = {0};
        uint64_t last = 0, n_in = 0, n_out = 0, random = 1;

        for (uint64_t round = 0; round <= ROUNDS; round++) {
                const uint8_t *record;

                for (uint64_t ring = 0; round < ROUNDS && ring < RINGS; ring++) {
                        uint64_t time = 1 + round * 1000;

                        for (random = random * 6364136223846793005u + ring; time < (round + 1) * 1000;
                             time += 1 + (random >> 40) % 300, n_in++)
                                add_sample(&pass, time, time);
                }
                order_add_round(&order, &attr, &pass, round == ROUNDS);
                while ((record = order_next(&order)) != NULL) {
                        uint64_t time;

                        memcpy(&time, record + 32, sizeof(time));
                        EXPECT_TRUE(time >= last);
                        last = time;
                        n_out++;
                }
        }
        EXPECT_TRUE(n_in > ROUNDS * RINGS);
        EXPECT_INT(n_out, n_in);
        order_release(&order);
        buf_release(&pass);
}

TAP_MAIN
