/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of records by time: the rule for rounds, a flush, and recorders that violate the rule. */
#include "buf.h"
#include "record_order.h"
#include "tap.h"

/* All records that are ready: "time:position", with a "!" after late ones. */
static void expect_out(struct record_order *order, const char *expected)
{
        AUTO_RELEASE(buf) seen = {0};
        struct waiting_record next;
        bool is_late;

        while (record_order_next(order, &next, &is_late))
                buf_printf(&seen, "%llu:%llu%s ", (unsigned long long)next.time, (unsigned long long)next.pos,
                           is_late ? "!" : "");
        EXPECT_STR(buf_text(&seen), expected);
        EXPECT_TRUE(!record_order_is_giving(order));
}

TEST(a_round_gives_what_the_round_before_had_seen)
{
        AUTO_RELEASE(record_order) order = {0};

        record_order_add(&order, 10, 1);
        record_order_add(&order, 30, 2);
        record_order_add(&order, 20, 3); /* of the next buffer */
        expect_out(&order, "");
        record_order_end_round(&order);
        expect_out(&order, "");
        record_order_add(&order, 25, 4); /* was written after the first buffer was read */
        record_order_add(&order, 31, 5);
        record_order_end_round(&order);
        expect_out(&order, "10:1 20:3 25:4 30:2 ");
        EXPECT_INT(record_order_n_waiting(&order), 1);
        record_order_end_round(&order);
        expect_out(&order, "31:5 ");
        EXPECT_INT(record_order_n_waiting(&order), 0);
}

TEST(records_of_one_time_keep_their_order)
{
        AUTO_RELEASE(record_order) order = {0};

        record_order_add(&order, 7, 1);
        record_order_add(&order, 9, 2);
        record_order_add(&order, 7, 3);
        record_order_add(&order, 9, 4);
        record_order_add(&order, 7, 5);
        record_order_flush(&order);
        expect_out(&order, "7:1 7:3 7:5 9:2 9:4 ");
}

TEST(what_comes_behind_a_flush_or_breaks_the_rule_is_late)
{
        AUTO_RELEASE(record_order) order = {0};

        record_order_add(&order, 20, 1);
        record_order_flush(&order);
        expect_out(&order, "20:1 ");
        record_order_add(&order, 10, 2);
        record_order_add(&order, 20, 3); /* as new as the newest is not late */
        record_order_end_round(&order);
        expect_out(&order, "");
        record_order_end_round(&order);
        expect_out(&order, "10:2! 20:3 ");
        record_order_add(&order, 19, 4);
        record_order_end_round(&order);
        expect_out(&order, "19:4! ");
}

TEST(a_round_without_records_gives_all_of_the_round_before)
{
        AUTO_RELEASE(record_order) order = {0};

        record_order_end_round(&order);
        expect_out(&order, "");
        record_order_add(&order, 1, 1);
        record_order_end_round(&order);
        expect_out(&order, "");
        record_order_end_round(&order);
        expect_out(&order, "1:1 ");
}

/* Each buffer in order, the buffers one after another, as a recorder writes them. */
TEST(rounds_of_many_buffers_come_out_in_order)
{
        enum { ROUNDS = 200, BUFFERS = 7, ROUND_NS = 1000 };
        AUTO_RELEASE(record_order) order = {0};
        uint64_t begin[BUFFERS] = {0}, newest = 0, n_in = 0, n_out = 0, random = 1;
        struct waiting_record next;
        bool is_late;

        for (uint64_t round = 0; round <= ROUNDS; round++) {
                for (uint64_t i = 0; round < ROUNDS && i < BUFFERS; i++) {
                        /* A buffer that is read later has records that were written while the others were
                         * read. */
                        uint64_t time = begin[i], end = (round + 1) * ROUND_NS + i * 50;

                        for (random = random * 6364136223846793005u + i; time < end;
                             time += 1 + (random >> 40) % 300)
                                record_order_add(&order, time, n_in++);
                        begin[i] = end;
                }
                if (round < ROUNDS)
                        record_order_end_round(&order);
                else
                        record_order_flush(&order);
                while (record_order_next(&order, &next, &is_late)) {
                        EXPECT_TRUE(!is_late && next.time >= newest);
                        newest = next.time;
                        n_out++;
                }
        }
        EXPECT_CMP(n_in, >, ROUNDS * BUFFERS);
        EXPECT_INT(n_out, n_in);
}

TAP_MAIN
