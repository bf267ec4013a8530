/* SPDX-License-Identifier: BSD-3-Clause */
#include "record_queue.h"

#include "record.h"
#include "session_builder.h"
#include "tap.h"

static uint64_t count(const struct record_queue *queue, uint32_t type)
{
        struct cursor all = cursor_make(queue->records.data, queue->records.len), record;
        struct perf_header header;
        uint64_t n = 0;

        while (record_next(&all, &header, &record))
                n += header.type == type;
        return n;
}

TEST(samples_are_dropped_first_and_counted)
{
        enum { LIMIT = 4096, TIMES = 1000 };
        struct record_queue queue = {.max_bytes = LIMIT};
        struct session_builder b;

        builder_init(&b);
        builder_sample_ip(&b, 1, 10, 10, 0x1000);
        builder_comm(&b, 2, 10, 10, "named", false);
        record_queue_add(&queue, b.records.data, b.records.len);
        EXPECT_INT(queue.n_dropped, 0);
        for (unsigned i = 1; i < LIMIT / b.records.len + 3; i++)
                record_queue_add(&queue, b.records.data, b.records.len);
        EXPECT_TRUE(queue.n_dropped == 3 || queue.n_dropped == 2);
        EXPECT_INT(count(&queue, PERF_RECORD_SAMPLE) + queue.n_dropped, count(&queue, PERF_RECORD_COMM));
        for (unsigned i = 0; i < TIMES; i++)
                record_queue_add(&queue, b.records.data, b.records.len);
        EXPECT_TRUE(queue.records.len > 3 * LIMIT && queue.records.len <= 4 * LIMIT);
        EXPECT_TRUE(queue.n_dropped > TIMES);
        builder_release(&b);
        buf_release(&queue.records);
}

TAP_MAIN
