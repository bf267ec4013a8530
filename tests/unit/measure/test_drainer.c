/* SPDX-License-Identifier: BSD-3-Clause */
/* How the rings are emptied while the reader is late. The test writes the rings as the kernel does. */
#include "linux_drainer.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "linux_others.h"
#include "os.h"
#include "tap.h"

enum {
        PAGE = 4096,
        HEAD_OFF = 1024, /* in the control page */
        TAIL_OFF = 1032,
        ID = 7,
        COMMAND = (4 << 20) - 100, /* above the numbers that this machine gives to processes */
        STACK_BYTES = 24576,
        USED_BYTES = 1000,
        MIB = 1 << 20,
};

static struct opened_event event = {
        .attr =
                {
                        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                                       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
                        .flags = PERF_ATTR_SAMPLE_ID_ALL,
                        .sample_regs_user = 1,
                },
        .left_out = PERF_ATTR_EXCLUDE_KERNEL,
        .is_unwound = true,
        .ids = (uint64_t[]){ID},
        .n_ids = 1,
};

static const struct opened opened = {.events = &event, .n_events = 1, .n_rings = 1};

/* --- the kernel's part --- */

static struct ring new_ring(size_t data_bytes)
{
        uint8_t *pages = aligned_alloc(PAGE, PAGE + data_bytes);

        memset(pages, 0, PAGE);
        return (struct ring){.base = pages, .data = pages + PAGE, .data_bytes = data_bytes, .fd = -1};
}

static _Atomic uint64_t *word_of(const struct ring *ring, size_t off)
{
        return (_Atomic uint64_t *)((uint8_t *)ring->base + off);
}

static bool has_room(const struct ring *ring, size_t size)
{
        uint64_t used = *word_of(ring, HEAD_OFF) - *word_of(ring, TAIL_OFF);

        return ring->data_bytes - used >= size;
}

/* False if there is no room; the kernel then counts the record as lost. */
static bool write_record(const struct ring *ring, const struct buf *record)
{
        uint64_t head = *word_of(ring, HEAD_OFF);

        if (!has_room(ring, record->len))
                return false;
        for (size_t i = 0; i < record->len; i++)
                ring->data[(head + i) & (ring->data_bytes - 1)] = (uint8_t)record->data[i];
        atomic_store_explicit(word_of(ring, HEAD_OFF), head + record->len, memory_order_release);
        return true;
}

/* In kernel mode it has no stack copy, in user mode one of STACK_BYTES, of which USED_BYTES are filled. */
static void make_sample(struct buf *out, uint64_t time, int32_t pid, uint16_t mode)
{
        struct perf_header header = {.type = PERF_RECORD_SAMPLE, .misc = mode};

        buf_clear(out);
        buf_add(out, &header, sizeof(header));
        buf_add_u64(out, ID);
        buf_add_u64(out, 0x1000);
        buf_add_u32(out, (uint32_t)pid);
        buf_add_u32(out, (uint32_t)pid);
        buf_add_u64(out, time);
        buf_add_u64(out, 0); /* CPU */
        buf_add_u64(out, 1); /* period */
        buf_add_u64(out, 0); /* chain */
        buf_add_u64(out, PERF_SAMPLE_REGS_ABI_64);
        buf_add_u64(out, time);
        buf_add_u64(out, mode == PERF_MISC_USER ? STACK_BYTES : 0);
        if (mode == PERF_MISC_USER) {
                memset(buf_extend(out, STACK_BYTES), (int)(time & 255), STACK_BYTES);
                buf_add_u64(out, USED_BYTES);
        }
        header.size = (uint16_t)out->len;
        memcpy(out->data, &header, sizeof(header));
}

/* Writes samples of the times from `from` on. Returns the number that found room. */
static uint64_t write_samples(const struct ring *ring, uint64_t from, uint64_t n)
{
        AUTO_RELEASE(buf) record = {0};
        uint64_t n_written = 0;

        for (uint64_t i = 0; i < n; i++) {
                make_sample(&record, from + i, COMMAND, PERF_MISC_USER);
                n_written += write_record(ring, &record);
        }
        return n_written;
}

/* --- the reader's part --- */

struct seen {
        uint64_t n_samples, last_time, n_wrong;
        size_t most_bytes; /* of a record */
        bool is_last;
};

static void see_sample(struct seen *seen, struct cursor record)
{
        struct sample sample;
        bool is_right = sample_parse(&event.attr, record, &sample) && sample.time > seen->last_time &&
                        sample.stack_is_whole && cursor_left(&sample.stack_user) == USED_BYTES;

        for (size_t i = 0; is_right && i < USED_BYTES; i++)
                is_right = sample.stack_user.start[i] == (uint8_t)sample.time;
        seen->n_wrong += !is_right;
        seen->n_samples++;
        seen->last_time = sample.time;
}

static void take_rounds(struct drainer *d, struct seen *seen)
{
        struct record_round_reader reader;
        struct record_round round;

        while (record_pool_take(drainer_get_pool(d), &round)) {
                struct perf_header header;
                uint8_t *record;

                record_round_begin(&reader, &round);
                while ((record = record_round_next(&reader, &header)) != NULL) {
                        if (header.type == PERF_RECORD_SAMPLE)
                                see_sample(seen, cursor_make(record, header.size));
                        if (header.size > seen->most_bytes)
                                seen->most_bytes = header.size;
                }
                seen->is_last = round.is_last;
                record_pool_release(drainer_get_pool(d), &round);
        }
}

static struct drainer *new_drainer(struct ring *ring, struct others *others, size_t max_bytes)
{
        return drainer_new(&(struct drainer_request){.rings = ring,
                                                     .n_rings = 1,
                                                     .opened = &opened,
                                                     .others = others,
                                                     .max_bytes = max_bytes,
                                                     .longest_wait_ms = 5});
}

/* --- tests --- */

/* Waits for room, 30 s at most: only the thread can make room, because the reader does nothing. */
static bool write_when_there_is_room(const struct ring *ring, const struct buf *record)
{
        const uint64_t end_ns = os_monotonic_ns() + 30000000000;

        while (!write_record(ring, record)) {
                if (os_monotonic_ns() > end_ns)
                        return false;
                sched_yield();
        }
        return true;
}

TEST(a_late_reader_loses_nothing)
{
        enum { SAMPLES = 1000 }; /* 25 rings full */
        struct ring ring = new_ring(MIB);
        AUTO(drainer) d = new_drainer(&ring, NULL, 64 * MIB);
        AUTO_RELEASE(buf) record = {0};
        struct seen seen = {0};

        drainer_start(d);
        ASSERT_TRUE(drainer_has_thread(d));
        for (uint64_t time = 1; time <= SAMPLES; time++) {
                make_sample(&record, time, COMMAND, PERF_MISC_USER);
                ASSERT_TRUE(write_when_there_is_room(&ring, &record));
        }
        drainer_stop(d);
        EXPECT_CMP(record_pool_bytes(drainer_get_pool(d)), <,
                   4 * MIB); /* the copies waited without their empty part */
        take_rounds(d, &seen);
        EXPECT_INT(seen.n_samples, SAMPLES);
        EXPECT_INT(seen.n_wrong, 0);
        EXPECT_TRUE(seen.is_last);
        EXPECT_CMP(seen.most_bytes, <, USED_BYTES + 200);
        free(ring.base);
}

TEST(above_the_limit_the_ring_fills_and_the_kernel_counts)
{
        enum { PASSES = 100, IN_A_PASS = 30 };
        struct ring ring = new_ring(MIB);
        AUTO(drainer) d = new_drainer(&ring, NULL, MIB);
        uint64_t n_written = 0, n_more;
        struct seen seen = {0};

        for (uint64_t i = 0; i < PASSES; i++) {
                n_written += write_samples(&ring, 1 + i * IN_A_PASS, IN_A_PASS);
                drainer_work(d);
        }
        EXPECT_CMP(n_written, <, PASSES * IN_A_PASS);
        EXPECT_TRUE(!has_room(&ring, STACK_BYTES + 200));
        EXPECT_CMP(record_pool_bytes(drainer_get_pool(d)), <=, 2 * MIB);
        take_rounds(d, &seen);
        EXPECT_CMP(seen.n_samples, >, 700); /* about a MiB */
        drainer_work(d);                    /* there is room again */
        n_more = write_samples(&ring, 1 + PASSES * IN_A_PASS, IN_A_PASS);
        EXPECT_INT(n_more, IN_A_PASS);
        drainer_stop(d);
        take_rounds(d, &seen);
        EXPECT_INT(seen.n_samples, n_written + n_more);
        EXPECT_INT(seen.n_wrong, 0);
        free(ring.base);
}

/* The order keeps the records of two rounds until it gets another; if these alone are as much as the limit,
 * the pass must not wait for the reader. */
TEST(a_reader_that_waits_gets_a_round_whatever_the_limit)
{
        struct ring ring = new_ring(MIB);
        AUTO(drainer) d = new_drainer(&ring, NULL, 1);
        struct record_round round;

        for (uint64_t i = 0; i < 3; i++) {
                EXPECT_INT(write_samples(&ring, 1 + i * 10, 10), 10);
                drainer_work(d);
                EXPECT_TRUE(record_pool_take(drainer_get_pool(d), &round));
        }
        EXPECT_INT(write_samples(&ring, 100, 10), 10);
        drainer_work(d);
        EXPECT_TRUE(!record_pool_take(drainer_get_pool(d), &round)); /* three are not released */
        free(ring.base);
}

TEST(records_that_go_over_the_end_of_a_ring_are_whole)
{
        struct ring ring = new_ring(64 << 10);
        AUTO(others) others = others_new(&opened, &(const int32_t){COMMAND}, 1);
        AUTO(drainer) d = new_drainer(&ring, others, 64 * MIB);
        AUTO_RELEASE(buf) record = {0};
        struct seen seen = {0};

        for (uint64_t time = 1; time <= 100; time++) {
                EXPECT_INT(write_samples(&ring, time, 1), 1);
                make_sample(&record, time, 1, PERF_MISC_USER); /* process 1 is in /proc */
                EXPECT_TRUE(write_record(&ring, &record));
                drainer_work(d);
        }
        take_rounds(d, &seen);
        EXPECT_INT(seen.n_samples, 100);
        EXPECT_INT(seen.n_wrong, 0);
        EXPECT_INT(others_n_seen(others), 200);
        free(ring.base);
}

TEST(a_left_out_mode_keeps_only_what_tells_its_time)
{
        enum { UP_TO_PERIOD = 56 };
        struct ring ring = new_ring(64 << 10);
        AUTO(others) others = others_new(&opened, &(const int32_t){COMMAND}, 1);
        AUTO(drainer) d = new_drainer(&ring, others, 64 * MIB);
        AUTO_RELEASE(buf) record = {0};
        struct seen seen = {0};

        make_sample(&record, 1, COMMAND, PERF_MISC_KERNEL);
        EXPECT_CMP(record.len, >, UP_TO_PERIOD);
        EXPECT_TRUE(write_record(&ring, &record));
        drainer_work(d);
        take_rounds(d, &seen);
        EXPECT_INT(seen.n_samples, 1);
        EXPECT_INT(seen.most_bytes, UP_TO_PERIOD);
        free(ring.base);
}

/* --- the pool --- */

static void fill(struct record_pool *pool, size_t n_records)
{
        const struct perf_header header = {.type = PERF_RECORD_SAMPLE, .size = 1024};

        for (size_t i = 0; i < n_records; i++)
                memcpy(record_pool_extend(pool, header.size), &header, sizeof(header));
}

static size_t read_round(struct record_pool *pool)
{
        struct record_round_reader reader;
        struct record_round round;
        struct perf_header header;
        size_t n = 0;

        if (!record_pool_take(pool, &round))
                return SIZE_MAX;
        record_round_begin(&reader, &round);
        while (record_round_next(&reader, &header))
                n++;
        record_pool_release(pool, &round);
        return n;
}

TEST(memory_is_used_again)
{
        AUTO(record_pool) pool = record_pool_new(64 * MIB);

        for (size_t i = 1; i < 1000; i++) {
                fill(pool, i % 500);
                record_pool_end_round(pool, false);
                EXPECT_INT(read_round(pool), i % 500);
        }
        EXPECT_CMP(record_pool_bytes(pool), <=, MIB);
}

TEST(memory_of_a_backlog_is_given_back)
{
        AUTO(record_pool) pool = record_pool_new(64 * MIB);

        for (size_t i = 0; i < 300; i++) {
                fill(pool, 100);
                record_pool_end_round(pool, false);
        }
        EXPECT_CMP(record_pool_bytes(pool), >=, 29 * MIB);
        for (size_t i = 0; i < 300; i++)
                EXPECT_INT(read_round(pool), 100);
        EXPECT_CMP(read_round(pool), ==, SIZE_MAX);
        EXPECT_CMP(record_pool_bytes(pool), <=, 5 * MIB);
}

TEST(an_empty_round_follows_the_last_that_is_not)
{
        AUTO(record_pool) pool = record_pool_new(MIB);

        EXPECT_TRUE(!record_pool_end_round(pool, false));
        fill(pool, 1);
        EXPECT_TRUE(record_pool_end_round(pool, false));
        EXPECT_TRUE(record_pool_end_round(pool, false)); /* so that the order returns the record */
        EXPECT_TRUE(!record_pool_end_round(pool, false));
        EXPECT_TRUE(record_pool_end_round(pool, true));
        EXPECT_INT(read_round(pool), 1);
        EXPECT_INT(read_round(pool), 0);
        EXPECT_INT(read_round(pool), 0);
        EXPECT_CMP(read_round(pool), ==, SIZE_MAX);
}

TAP_MAIN
