/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches have the same records as perfdata_next, and plain samples are parsed like others. */
#include "perfdata_batch.h"

#include <string.h>

#include "session_builder.h"
#include "tap.h"

enum { N_SAMPLES = 500, MAX_RECORDS = 70 };

/* Two buffers that were written one after the other, and records without a time. */
static void build(struct session_builder *b, bool swap)
{
        uint64_t chain[] = {PERF_CONTEXT_USER, 0x401000, 0x402000, 0x403000};

        builder_init(b);
        b->swap = swap;
        builder_add_event(b, PERF_TYPE_SOFTWARE, 1);
        builder_mmap(b, 0, 10, 0x400000, 0x10000, 0, "/bin/a");
        for (uint64_t i = 0; i < N_SAMPLES; i++) {
                uint64_t time = i < N_SAMPLES / 2 ? 1000 + 2 * i : 1001 + 2 * (i - N_SAMPLES / 2);

                chain[1] = 0x401000 + i;
                builder_sample(b, i % 3 == 0, time, 10, 11, PERF_MISC_USER, chain, 1 + i % 4);
                if (i % 50 == 7)
                        builder_comm(b, time, 10, 11, "worker", false);
        }
        builder_round(b);
}

static void expect_same(const struct perfdata_record *a, const struct perfdata_record *b)
{
        size_t size = (size_t)(a->bytes.end - a->bytes.start);

        EXPECT_INT(b->header.type, a->header.type);
        EXPECT_INT(b->header.misc, a->header.misc);
        EXPECT_INT(b->header.size, a->header.size);
        EXPECT_INT(b->time, a->time);
        EXPECT_INT(b->event, a->event);
        EXPECT_TRUE((size_t)(b->bytes.end - b->bytes.start) == size && b->bytes.swap == a->bytes.swap);
        EXPECT_TRUE(!memcmp(a->bytes.start, b->bytes.start, size));
}

static void expect_same_records(const struct buf *file)
{
        struct err err = {0};
        AUTO(perfdata_reader) one = perfdata_open_bytes(file->data, file->len, "one", &err);
        AUTO(perfdata_reader) many = perfdata_open_bytes(file->data, file->len, "many", &err);
        struct perfdata_batch batch = {0};
        struct batch_totals totals = {0};
        struct perfdata_record record, batched;
        uint64_t n = 0;

        ASSERT_TRUE(one && many);
        while (perfdata_next_batch(many, &batch, MAX_RECORDS, &totals, &err) > 0) {
                EXPECT_CMP(batch.n, <=, MAX_RECORDS);
                for (size_t i = 0; i < batch.n; i++, n++) {
                        ASSERT_CMP(perfdata_next(one, &record, &err), ==, 1);
                        perfdata_batch_get(&batch, i, &batched);
                        expect_same(&record, &batched);
                        EXPECT_INT(batch.items[i].is_sample, record.header.type == PERF_RECORD_SAMPLE);
                }
        }
        EXPECT_INT(perfdata_next(one, &record, &err), 0);
        EXPECT_INT(totals.n_samples, N_SAMPLES);
        EXPECT_CMP(n, >, N_SAMPLES);
        perfdata_batch_release(&batch);
}

TEST(batches_hold_the_records_in_their_order)
{
        for (int swap = 0; swap < 2; swap++) {
                struct session_builder b;
                AUTO_RELEASE(buf) file = {0};

                build(&b, swap);
                builder_file(&b, &file);
                expect_same_records(&file);
                builder_release(&b);
        }
}

static void expect_same_sample(const struct perf_attr *attr, struct cursor record, struct sample *plain,
                               const struct sample_layout *layout)
{
        struct sample sample;
        bool ok = sample_parse(attr, record, &sample);

        ASSERT_CMP(sample_parse_plain(layout, record, plain), ==, ok);
        if (!ok)
                return;
        EXPECT_TRUE(plain->misc == sample.misc && plain->pid == sample.pid && plain->tid == sample.tid);
        EXPECT_TRUE(plain->ip == sample.ip && plain->time == sample.time && plain->addr == sample.addr);
        EXPECT_TRUE(plain->id == sample.id && plain->stream_id == sample.stream_id);
        EXPECT_TRUE(plain->cpu == sample.cpu && plain->period == sample.period);
        EXPECT_TRUE(plain->n_chain == sample.n_chain && plain->chain.start == sample.chain.start &&
                    plain->chain.at == sample.chain.at && plain->chain.end == sample.chain.end);
        EXPECT_TRUE(plain->n_branches == sample.n_branches && plain->branches.at == sample.branches.at &&
                    plain->branches.end == sample.branches.end);
        EXPECT_TRUE(plain->raw.at == sample.raw.at && plain->raw.end == sample.raw.end);
        EXPECT_TRUE(plain->weight == sample.weight && plain->ins_lat == sample.ins_lat &&
                    plain->p_stage_cyc == sample.p_stage_cyc);
        EXPECT_TRUE(plain->data_src == sample.data_src && plain->phys_addr == sample.phys_addr);
}

/* All sets of fields, and records of every size from the header's on. */
TEST(plain_samples_are_parsed_the_same)
{
        static const uint64_t fields[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
                                          PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
                                          PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
                                          PERF_SAMPLE_CALLCHAIN};
        uint64_t words[16];

        for (size_t i = 0; i < 16; i++)
                words[i] = i * 0x0101010101 + 1;
        for (unsigned set = 0; set < 1u << 10; set++) {
                struct perf_attr attr = {0};
                struct sample_layout layout;
                struct sample plain = {
                        .pid = -1, .tid = -1, .cpu = UINT32_MAX, .branch_top = BRANCH_TOP_NONE};

                for (size_t i = 0; i < 10; i++)
                        attr.sample_type |= set >> i & 1 ? fields[i] : 0;
                sample_layout_init(&layout, &attr);
                ASSERT_TRUE(layout.is_plain);
                if (layout.chain)
                        words[layout.chain / 8] = 3;
                for (size_t size = 8; size <= sizeof(words); size += 4)
                        expect_same_sample(&attr, cursor_make((const uint8_t *)words, size), &plain, &layout);
                if (layout.chain)
                        words[layout.chain / 8] = layout.chain / 8 * 0x0101010101 + 1;
        }
}

enum { ACCESS_WORDS = 24 };

/* A record with an address and these fields; returns its size in words. */
static size_t fill_access(uint64_t type, uint64_t words[ACCESS_WORDS])
{
        size_t n = 0;

        words[n++] = PERF_RECORD_SAMPLE;
        words[n++] = 0x1001;
        if (type & PERF_SAMPLE_CALLCHAIN) {
                words[n++] = 2;
                words[n++] = 0x2002;
                words[n++] = 0x3003;
        }
        if (type & PERF_SAMPLE_RAW) {
                words[n++] = 0x4004ull << 32 | 12; /* bytes */
                words[n++] = 0x5005;
        }
        if (type & PERF_SAMPLE_BRANCH_STACK) {
                words[n++] = 1;
                words[n++] = 0x6006;
                words[n++] = 0x7007;
                words[n++] = 2;
        }
        if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
                words[n++] = 3ull << 48 | 5ull << 32 | 7;
        if (type & PERF_SAMPLE_DATA_SRC)
                words[n++] = 0x8008;
        if (type & PERF_SAMPLE_PHYS_ADDR)
                words[n++] = 0x9009;
        return n;
}

/* All sets of fields, and records that are cut at every size. */
TEST(samples_of_accesses_are_parsed_the_same)
{
        static const uint64_t fields[] = {
                PERF_SAMPLE_CALLCHAIN,     PERF_SAMPLE_RAW,      PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_WEIGHT,
                PERF_SAMPLE_WEIGHT_STRUCT, PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_PHYS_ADDR};
        uint64_t words[ACCESS_WORDS];

        for (unsigned set = 0; set < 1u << 7; set++) {
                struct perf_attr attr = {.sample_type = PERF_SAMPLE_IP,
                                         .branch_sample_type = PERF_BRANCH_ANY};
                struct sample_layout layout;
                struct sample plain = {
                        .pid = -1, .tid = -1, .cpu = UINT32_MAX, .branch_top = BRANCH_TOP_NONE};
                size_t n;

                for (size_t i = 0; i < 7; i++)
                        attr.sample_type |= set >> i & 1 ? fields[i] : 0;
                sample_layout_init(&layout, &attr);
                ASSERT_TRUE(layout.is_plain);
                n = fill_access(attr.sample_type, words);
                for (size_t size = 8; size <= n * 8; size += 4)
                        expect_same_sample(&attr, cursor_make((const uint8_t *)words, size), &plain, &layout);
        }
}

TEST(what_has_more_fields_is_not_plain)
{
        struct perf_attr attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ};
        struct perf_attr indexed = {.sample_type = PERF_SAMPLE_BRANCH_STACK,
                                    .branch_sample_type = PERF_BRANCH_HW_INDEX};
        struct sample_layout layout;

        sample_layout_init(&layout, &attr);
        EXPECT_TRUE(!layout.is_plain);
        sample_layout_init(&layout, &indexed);
        EXPECT_TRUE(!layout.is_plain);
}

TAP_MAIN
