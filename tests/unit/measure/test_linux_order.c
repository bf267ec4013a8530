/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of several rings by time, and copies of stacks without their unused part. */
#include <stdlib.h>

#include "linux_trim.h"
#include "linux_unwinder.h"
#include "tap.h"

static const struct perf_attr attr = {
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
        .flags = PERF_ATTR_SAMPLE_ID_ALL,
};

/* Of the samples that add_sample makes. */
enum {
        SAMPLE_IP_OFF = sizeof(struct perf_header) + 8,
        SAMPLE_TIME_OFF = SAMPLE_IP_OFF + 16,
        SAMPLE_BYTES = SAMPLE_TIME_OFF + 8,
};

/* A sample whose IP is also its name in the answers. */
static void add_sample(struct buf *pass, uint64_t time, uint64_t ip)
{
        struct perf_header header = {.type = PERF_RECORD_SAMPLE, .size = SAMPLE_BYTES};

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

/* The records of a round; `pass` must not change until they were returned. */
static void add_round(struct linux_order *order, struct buf *pass, bool is_last)
{
        struct cursor all = cursor_make(pass->data, pass->len), record;
        struct perf_header header;

        while (record_next(&all, &header, &record))
                linux_order_add(order, &attr, &header,
                                (uint8_t *)pass->data + (record.start - (const uint8_t *)pass->data));
        linux_order_end_round(order, is_last);
}

static void expect_next(struct linux_order *order, const char *expected)
{
        AUTO_RELEASE(buf) seen = {0};
        const uint8_t *record;
        uint64_t ip;

        while ((record = linux_order_next(order)) != NULL) {
                memcpy(&ip, record + SAMPLE_IP_OFF, sizeof(ip));
                if (record[0] == PERF_RECORD_EXIT)
                        buf_add_str(&seen, "exit ");
                else
                        buf_printf(&seen, "%llu ", (unsigned long long)ip);
        }
        EXPECT_STR(buf_text(&seen), expected);
}

TEST(what_a_later_pass_cannot_come_before_goes_out)
{
        struct linux_order order = {0};
        struct buf passes[4] = {0};

        add_sample(&passes[0], 10, 1);
        add_sample(&passes[0], 30, 2);
        add_sample(&passes[0], 20, 3); /* of the next ring */
        add_round(&order, &passes[0], false);
        expect_next(&order, "");
        add_sample(&passes[1], 40, 4);
        add_sample(&passes[1], 25, 5);
        add_exit(&passes[1], 30);
        add_round(&order, &passes[1], false);
        expect_next(&order, "1 3 5 2 exit ");
        add_round(&order, &passes[2], false); /* a pass that brings nothing */
        expect_next(&order, "4 ");
        add_sample(&passes[3], 60, 6);
        add_sample(&passes[3], 50, 7);
        add_round(&order, &passes[3], true);
        expect_next(&order, "7 6 ");
        linux_order_release(&order);
        for (size_t i = 0; i < N_ELEMENTS(passes); i++)
                buf_release(&passes[i]);
}

TEST(records_without_a_time_go_out_at_once)
{
        struct linux_order order = {0};
        struct buf pass = {0}, none = {0};

        add_sample(&pass, 10, 1);
        add_sample(&pass, 0, 2);
        add_exit(&pass, 0);
        add_round(&order, &pass, false);
        expect_next(&order, "2 exit ");
        add_round(&order, &none, true);
        expect_next(&order, "1 ");
        linux_order_release(&order);
        buf_release(&pass);
}

TEST(many_rounds_of_many_rings_come_out_sorted)
{
        enum { ROUNDS = 200, RINGS = 7 };
        struct linux_order order = {0};
        struct buf passes[2] = {0};
        uint64_t last = 0, n_in = 0, n_out = 0, random = 1;

        for (uint64_t round = 0; round <= ROUNDS; round++) {
                struct buf *pass = &passes[round % 2];
                const uint8_t *record;

                buf_clear(pass); /* its last records came out in the round before */
                for (uint64_t ring = 0; round < ROUNDS && ring < RINGS; ring++) {
                        uint64_t time = 1 + round * 1000;

                        for (random = random * 6364136223846793005u + ring; time < (round + 1) * 1000;
                             time += 1 + (random >> 40) % 300, n_in++)
                                add_sample(pass, time, time);
                }
                add_round(&order, pass, round == ROUNDS);
                while ((record = linux_order_next(&order)) != NULL) {
                        uint64_t time;

                        memcpy(&time, record + SAMPLE_TIME_OFF, sizeof(time));
                        EXPECT_CMP(time, >=, last);
                        last = time;
                        n_out++;
                }
        }
        EXPECT_CMP(n_in, >, ROUNDS * RINGS);
        EXPECT_INT(n_out, n_in);
        linux_order_release(&order);
        buf_release(&passes[0]);
        buf_release(&passes[1]);
}

/* --- copies of stacks --- */

enum { EVENT_ID = 7, REGS = 0xff0fff, N_REGS = 20, STACK_BYTES = 24576 };

static uint64_t ids[] = {EVENT_ID};

static struct opened_event event = {
        .attr =
                {
                        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                       PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
                                       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_DATA_SRC,
                        .flags = PERF_ATTR_SAMPLE_ID_ALL,
                        .sample_regs_user = REGS,
                },
        .is_unwound = true,
        .ids = ids,
        .n_ids = 1,
};

/* As the kernel writes it: `used` bytes of the copy are filled. */
static void add_copy(struct buf *pass, uint64_t id, uint64_t time, size_t size, uint64_t used)
{
        struct perf_header header = {.type = PERF_RECORD_SAMPLE};
        size_t start = pass->len;

        buf_add(pass, &header, sizeof(header));
        buf_add_u64(pass, id);
        buf_add_u64(pass, 0x1234);
        buf_add_u64(pass, 0);
        buf_add_u64(pass, time);
        buf_add_u64(pass, 0); /* no chain */
        buf_add_u64(pass, PERF_SAMPLE_REGS_ABI_64);
        for (uint64_t i = 0; i < N_REGS; i++)
                buf_add_u64(pass, i);
        buf_add_u64(pass, size);
        for (uint64_t i = 0; i < size; i++)
                buf_add_u8(pass, (uint8_t)(i < used ? i + time : 0xee));
        if (size)
                buf_add_u64(pass, used);
        buf_add_u64(pass, 4711);
        header.size = (uint16_t)(pass->len - start);
        memcpy(pass->data + start, &header, sizeof(header));
}

static void expect_copy(struct cursor record, uint64_t time, uint64_t used, bool is_whole)
{
        struct sample sample = {0};

        EXPECT_TRUE(sample_parse(&event.attr, record, &sample));
        EXPECT_INT(sample.time, time);
        EXPECT_INT(cursor_left(&sample.stack_user), used);
        EXPECT_INT(sample.stack_is_whole, is_whole);
        EXPECT_INT(sample.data_src, 4711);
        for (uint64_t i = 0; i < used; i++)
                if (sample.stack_user.start[i] != (uint8_t)(i + time))
                        TAP_FAIL("byte %llu", (unsigned long long)i);
}

static void expect_trimmed(uint64_t used, size_t max_bytes)
{
        AUTO_RELEASE(buf) pass = {0};
        uint8_t trimmed[STACK_BYTES + 300];
        struct perf_header header;
        struct trim trim;

        add_copy(&pass, EVENT_ID, 2, STACK_BYTES, used);
        ASSERT_TRUE(trim_begin(&trim, &event.attr, cursor_make(pass.data, pass.len)));
        ASSERT_CMP(trim.size, <=, max_bytes);
        trim_write(&trim, trimmed);
        memcpy(&header, trimmed, sizeof(header));
        EXPECT_INT(header.size, trim.size);
        expect_copy(cursor_make(trimmed, trim.size), 2, used, true);
}

TEST(what_is_empty_of_a_copied_stack_is_left_out)
{
        static const struct {
                uint64_t used;
                size_t max_bytes;
        } copies[] = {{0, 300}, {8, 300}, {9, 300}, {1000, 1300}, {STACK_BYTES - 16, STACK_BYTES + 300}};

        for (size_t i = 0; i < N_ELEMENTS(copies); i++)
                expect_trimmed(copies[i].used, copies[i].max_bytes);
}

TEST(what_is_full_stays)
{
        static const uint64_t sizes[] = {0, STACK_BYTES, STACK_BYTES},
                              used[] = {0, STACK_BYTES, STACK_BYTES - 8};

        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                AUTO_RELEASE(buf) pass = {0};
                struct trim trim;

                add_copy(&pass, EVENT_ID, 2, sizes[i], used[i]);
                EXPECT_TRUE(!trim_begin(&trim, &event.attr, cursor_make(pass.data, pass.len)));
                expect_copy(cursor_make(pass.data, pass.len), 2, used[i], used[i] < sizes[i]);
        }
}

TAP_MAIN
