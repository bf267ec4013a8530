/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of Arm SPE among the records of a session: their fields, times and threads, and what is counted
 * as missing. */
#include "spe_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os.h"
#include "perf_abi.h"
#include "session_builder.h"
#include "tap.h"

enum { SPE_TYPE = 9, MAX_SAMPLES = 200, SWITCH_OUT = 1 << 13 };

struct read_back {
        struct sample samples[MAX_SAMPLES];
        uint32_t events[MAX_SAMPLES];
        size_t n;
        struct spe_raw first_raw;
        struct branch first_branch;
        struct spe_samples_counts counts;
        bool has_spe, is_source_0;
};

static void take(struct read_back *all, const struct perfdata_reader *reader,
                 const struct perfdata_record *record)
{
        const struct perf_attr *attr = &perfdata_get_event(reader, record->event)->attr;
        struct sample *sample = &all->samples[all->n];

        EXPECT_TRUE(sample_parse(attr, record->bytes, sample));
        EXPECT_INT(sample->time, record->time);
        if (!all->n)
                spe_raw_read(sample->raw, &all->first_raw);
        if (!all->n && sample->n_branches)
                sample_branch(sample, 0, &all->first_branch);
        all->events[all->n++] = record->event;
}

static void read_all(struct perfdata_reader *reader, struct read_back *all, bool counts_equal)
{
        struct spe_samples *spe = spe_samples_open(reader);
        struct perfdata_batch batch = {0};
        struct batch_totals totals = {0};
        struct err err = {0};
        struct perfdata_extra extra;

        *all = (struct read_back){.has_spe = spe};
        if (!spe)
                return;
        all->is_source_0 = spe_samples_is_source(spe, 0);
        if (counts_equal)
                EXPECT_INT(spe_samples_count_equal(spe), 1024);
        extra = spe_samples_extra(spe);
        perfdata_set_extra(reader, &extra);
        while (perfdata_next_batch(reader, &batch, 50, &totals, &err) > 0) {
                for (size_t i = 0; i < batch.n; i++) {
                        struct perfdata_record record;

                        perfdata_batch_get(&batch, i, &record);
                        if (record.header.type == PERF_RECORD_SAMPLE && all->n < MAX_SAMPLES)
                                take(all, reader, &record);
                }
        }
        EXPECT_STR(err.text, "");
        all->counts = spe_samples_counts(spe);
        perfdata_batch_release(&batch);
        spe_samples_free(spe);
}

/* --- what perf recorded and printed --- */

TEST(as_perf_decodes_them)
{
        AUTO_RELEASE(buf) text = {0};
        struct err err = {0};
        AUTO(perfdata_reader) reader = perfdata_open(TEST_DATA "/../replay/spe_perf.data", &err);
        static struct read_back all;
        const char *line;
        size_t n = 0;

        EXPECT_TRUE(os_read_file(TEST_DATA "/../replay/spe_perf.txt", 1 << 20, &text, &err));
        read_all(reader, &all, false);
        line = strstr(buf_text(&text), "ip`:\n\n") + strlen("ip`:\n\n");
        for (; *line; line = strchr(line, '\n') + 1, n++) {
                unsigned long long time, addr, ip;
                unsigned cpu;
                int tid;

                EXPECT_INT(sscanf(line, "%d %u %llu %llx %llx", &tid, &cpu, &time, &addr, &ip), 5);
                EXPECT_INT(all.samples[n].tid, tid);
                EXPECT_INT(all.samples[n].pid, tid);
                EXPECT_INT(all.samples[n].cpu, cpu);
                EXPECT_INT(all.samples[n].time, time);
                EXPECT_INT(all.samples[n].addr, addr);
                EXPECT_INT(all.samples[n].ip, ip);
        }
        EXPECT_INT(all.n, n);
        EXPECT_INT(n, 163);
        EXPECT_TRUE(all.is_source_0);
        EXPECT_INT(all.samples[0].period, 20480);
        EXPECT_INT(all.counts.records.damaged_bytes, 0);
}

/* --- made sessions --- */

static void add_spe(struct session_builder *b, bool with_times)
{
        builder_init(b);
        b->attrs[0].type = SPE_TYPE;
        b->attrs[0].flags &= ~PERF_ATTR_FREQ;
        b->attrs[0].sample_period_or_freq = 1024;
        if (with_times) {
                /* two ticks are a nanosecond, since 1000 */
                builder_begin(b, PERF_RECORD_TIME_CONV, 0);
                builder_u64(b, 1);
                builder_u64(b, 1);
                builder_u64(b, 1000);
                builder_u64(b, 0);
                builder_u64(b, 0);
                builder_u64(b, 1);
                builder_end(b);
        }
        builder_begin(b, PERF_RECORD_AUXTRACE_INFO, 0);
        builder_u32(b, 4);
        builder_u32(b, 0);
        builder_u64(b, SPE_TYPE);
        builder_u64(b, 1);
        builder_end(b);
}

static void add_number(struct buf *out, uint8_t header, uint64_t value, unsigned size)
{
        buf_add_char(out, (char)header);
        for (unsigned i = 0; i < size; i++)
                buf_add_char(out, (char)(value >> 8 * i));
}

/* A load, or without `tick` one that ends without a timestamp. */
static void add_load(struct buf *out, uint64_t pc, uint64_t tick)
{
        add_number(out, 0xb0, pc | 1ull << 63, 8);
        add_number(out, 0x98, 77, 2);
        add_number(out, 0x99, 5, 2);
        add_number(out, 0x9a, 3, 2);
        add_number(out, 0x52, 0x16, 2);
        add_number(out, 0x49, 0, 1);
        add_number(out, 0xb2, 0x7000 + pc, 8);
        add_number(out, 0xb3, 0x9000 + pc, 8);
        if (tick)
                add_number(out, 0x71, tick, 8);
        else
                add_number(out, 0x01, 0, 0);
}

static void add_piece(struct session_builder *b, uint32_t index, uint32_t cpu, uint64_t offset,
                      const struct buf *bytes)
{
        builder_begin(b, PERF_RECORD_AUXTRACE, 0);
        builder_u64(b, bytes->len);
        builder_u64(b, offset);
        builder_u64(b, 0);
        builder_u32(b, index);
        builder_u32(b, UINT32_MAX);
        builder_u32(b, cpu);
        builder_u32(b, 0);
        builder_end(b);
        buf_add(&b->records, bytes->data, bytes->len);
}

static void add_aux(struct session_builder *b, uint64_t time, uint32_t cpu, uint64_t offset, uint64_t size,
                    uint64_t flags)
{
        b->cpu = cpu;
        builder_begin(b, PERF_RECORD_AUX, 0);
        builder_u64(b, offset);
        builder_u64(b, size);
        builder_u64(b, flags);
        builder_id(b, time, 10, 10);
        builder_end(b);
}

static void add_switch(struct session_builder *b, uint64_t time, uint32_t cpu, int32_t pid, int32_t tid,
                       uint16_t misc)
{
        b->cpu = cpu;
        builder_begin(b, PERF_RECORD_SWITCH_CPU_WIDE, misc);
        builder_u64(b, 0);
        builder_id(b, time, pid, tid);
        builder_end(b);
}

static void read_built_as(struct session_builder *b, struct read_back *all, bool counts_equal)
{
        AUTO_RELEASE(buf) file = {0};
        struct err err = {0};

        builder_file(b, &file);
        {
                AUTO(perfdata_reader) reader = perfdata_open_bytes(file.data, file.len, "made", &err);

                read_all(reader, all, counts_equal);
        }
        builder_release(b);
}

static void read_built(struct session_builder *b, struct read_back *all)
{
        read_built_as(b, all, false);
}

TEST(fields_of_a_load)
{
        static struct read_back all;
        AUTO_RELEASE(buf) bytes = {0};
        struct session_builder b;
        const struct sample *s = &all.samples[0];

        add_spe(&b, true);
        add_load(&bytes, 0x401000, 500);
        add_piece(&b, 0, 3, 0, &bytes);
        read_built(&b, &all);
        EXPECT_INT(all.n, 1);
        EXPECT_INT(s->time, 1250);
        EXPECT_INT(s->ip, 0x401000);
        EXPECT_INT(s->addr, 0x408000);
        EXPECT_INT(s->phys_addr, 0x40a000);
        EXPECT_INT(s->cpu, 3);
        EXPECT_INT(s->tid, -1);
        EXPECT_INT(s->period, 1024);
        EXPECT_INT(s->weight, 77);
        EXPECT_INT(s->ins_lat, 5);
        EXPECT_INT(s->p_stage_cyc, 3);
        EXPECT_CMP(s->data_src, !=, 0);
        EXPECT_INT(s->misc & PERF_MISC_CPUMODE_MASK, PERF_MISC_USER);
        EXPECT_TRUE(s->misc & PERF_MISC_EXACT_IP);
        EXPECT_INT(all.first_raw.events, 0x16);
        EXPECT_INT(all.first_raw.class_id, 1);
        EXPECT_INT(all.counts.n_threadless, 1);
}

TEST(a_taken_branch_is_a_pair)
{
        static struct read_back all;
        AUTO_RELEASE(buf) bytes = {0};
        struct session_builder b;

        add_spe(&b, true);
        add_number(&bytes, 0xb0, 0x401000 | 1ull << 63, 8);
        add_number(&bytes, 0x52, 0x82, 2);
        add_number(&bytes, 0x4a, 1, 1);
        add_number(&bytes, 0xb1, 0x402000 | 1ull << 63, 8);
        add_number(&bytes, 0x71, 500, 8);
        add_piece(&b, 0, 0, 0, &bytes);
        read_built(&b, &all);
        EXPECT_INT(all.n, 1);
        EXPECT_INT(all.samples[0].n_branches, 1);
        EXPECT_INT(all.first_branch.from, 0x401000);
        EXPECT_INT(all.first_branch.to, 0x402000);
        EXPECT_TRUE(all.first_branch.mispredicted);
}

/* It has no target, and goes on at the next instruction. */
TEST(a_branch_that_was_not_taken_is_a_pair)
{
        static struct read_back all;
        AUTO_RELEASE(buf) bytes = {0};
        struct session_builder b;

        add_spe(&b, true);
        add_number(&bytes, 0xb0, 0x401000 | 1ull << 63, 8);
        add_number(&bytes, 0x52, 0xc2, 2);
        add_number(&bytes, 0x4a, 1, 1);
        add_number(&bytes, 0x71, 500, 8);
        add_piece(&b, 0, 0, 0, &bytes);
        read_built(&b, &all);
        ASSERT_TRUE(all.n == 1 && all.samples[0].n_branches == 1);
        EXPECT_INT(all.first_branch.from, 0x401000);
        EXPECT_INT(all.first_branch.to, 0x401004);
        EXPECT_TRUE(all.first_branch.mispredicted && all.first_branch.not_taken);
}

/* CPU 0 runs thread 11 and then 21; CPU 1 always 30, which it has run since before the first switch. */
TEST(threads_by_switches_and_order_by_time)
{
        static const uint64_t pcs[] = {0x1000, 0x5000, 0x2000, 0x6000, 0x3000};
        static const int32_t tids[] = {11, -1, 11, 30, 21};
        static struct read_back all;
        AUTO_RELEASE(buf) first = {0}, second = {0};
        struct session_builder b;

        add_spe(&b, true);
        add_switch(&b, 1010, 0, 10, 11, 0);
        add_switch(&b, 1130, 0, 10, 11, SWITCH_OUT);
        add_switch(&b, 1131, 0, 20, 21, 0);
        add_switch(&b, 1090, 1, 30, 30, 0);
        builder_round(&b);
        add_load(&first, 0x1000, 2 * 50);
        add_load(&first, 0x2000, 2 * 100);
        add_load(&first, 0x3000, 2 * 150);
        add_load(&second, 0x5000, 2 * 60);
        add_load(&second, 0x6000, 2 * 120);
        add_piece(&b, 0, 0, 0, &first);
        add_piece(&b, 1, 1, 0, &second);
        read_built(&b, &all);
        EXPECT_INT(all.n, 5);
        for (size_t i = 0; i < all.n; i++) {
                EXPECT_INT(all.samples[i].ip, pcs[i]);
                EXPECT_INT(all.samples[i].tid, tids[i]);
        }
}

/* --- equal operations --- */

/* Loads at two addresses, in turn; a mapping stands between the first `n_before` ones and the others. */
static void read_turns(unsigned n, unsigned n_before, const char *mapped, struct read_back *all)
{
        AUTO_RELEASE(buf) bytes = {0};
        struct session_builder b;

        add_spe(&b, true);
        builder_mmap(&b, 1000 + 5 * n_before + 2, 10, 0x10000, 0x1000, 0, mapped);
        builder_round(&b);
        for (unsigned i = 0; i < n; i++)
                add_load(&bytes, i % 2 ? 0x2000 : 0x1000, 10 * (i + 1));
        add_piece(&b, 0, 0, 0, &bytes);
        read_built_as(&b, all, true);
}

/* The sum of the periods of the samples from `first` to before `end` at this address, in samples. */
static uint64_t count_at(const struct read_back *all, size_t first, size_t end, uint64_t ip)
{
        uint64_t sum = 0;

        for (size_t i = first; i < end; i++) {
                if (all->samples[i].ip == ip)
                        sum += all->samples[i].period;
        }
        EXPECT_INT(sum % 1024, 0);
        return sum / 1024;
}

TEST(equal_operations_are_one_sample)
{
        static struct read_back all;

        read_turns(41, 41, "/bin/other", &all);
        /* the first one at each address comes at its time; the rest at the end, or before the mapping */
        EXPECT_INT(all.n, 4);
        EXPECT_INT(all.samples[0].ip, 0x1000);
        EXPECT_INT(all.samples[0].time, 1005);
        EXPECT_INT(all.samples[0].period, 1024);
        EXPECT_INT(all.samples[1].ip, 0x2000);
        EXPECT_INT(count_at(&all, 0, all.n, 0x1000), 21);
        EXPECT_INT(count_at(&all, 0, all.n, 0x2000), 20);
        EXPECT_TRUE(all.samples[2].time == 1205 || all.samples[3].time == 1205);
}

TEST(a_mapping_ends_equal_operations)
{
        static struct read_back all;

        read_turns(40, 10, "/bin/other", &all);
        EXPECT_INT(all.n, 8);
        EXPECT_INT(count_at(&all, 0, 4, 0x1000), 5);
        EXPECT_INT(count_at(&all, 0, 4, 0x2000), 5);
        EXPECT_INT(count_at(&all, 4, 8, 0x1000), 15);
        EXPECT_INT(count_at(&all, 4, 8, 0x2000), 15);
        for (size_t i = 0; i < all.n; i++)
                EXPECT_CMP((all.samples[i].time < 1052), ==, (i < 4));
}

/* Which function of a JIT compiler was at an address depends on the time of each sample. */
TEST(operations_after_a_jitdump_are_samples_of_their_own)
{
        static struct read_back all;

        read_turns(40, 10, "/tmp/jit-10.dump", &all);
        EXPECT_INT(all.n, 4 + 30);
        for (size_t i = 4; i < all.n; i++)
                EXPECT_INT(all.samples[i].period, 1024);
}

/* Records without timestamps get the time at which their buffer was complete. */
TEST(times_of_buffers)
{
        static struct read_back all;
        AUTO_RELEASE(buf) bytes = {0};
        struct session_builder b;
        size_t half;

        add_spe(&b, false);
        add_load(&bytes, 0x1000, 0);
        half = bytes.len;
        add_load(&bytes, 0x2000, 0);
        add_load(&bytes, 0x3000, 0);
        add_aux(&b, 5000, 0, 0, half, 0);
        add_aux(&b, 6000, 0, half, half, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_COLLISION);
        add_piece(&b, 0, 0, 0, &bytes);
        read_built(&b, &all);
        EXPECT_INT(all.n, 3);
        EXPECT_INT(all.samples[0].time, 5000);
        EXPECT_INT(all.samples[1].time, 6000);
        EXPECT_INT(all.samples[2].time, 6000);
        EXPECT_INT(all.counts.n_aux, 2);
        EXPECT_INT(all.counts.n_truncated, 1);
        EXPECT_INT(all.counts.n_collided, 1);
}

/* A record may be cut at the end of a piece; where a piece is missing the cut one is lost, and no other. */
TEST(pieces_and_gaps)
{
        for (unsigned gap = 0; gap < 2; gap++) {
                static struct read_back all;
                AUTO_RELEASE(buf) bytes = {0}, head = {0}, tail = {0};
                struct session_builder b;
                size_t cut;

                add_spe(&b, true);
                add_load(&bytes, 0x1000, 100);
                cut = bytes.len + 20;
                add_load(&bytes, 0x2000, 200);
                add_load(&bytes, 0x3000, 300);
                buf_add(&head, bytes.data, cut);
                buf_add(&tail, bytes.data + cut, bytes.len - cut);
                add_piece(&b, 0, 0, 0, &head);
                add_piece(&b, 0, 0, cut + 4096 * gap, &tail);
                read_built(&b, &all);
                EXPECT_INT(all.n, gap ? 2 : 3);
                EXPECT_INT(all.samples[all.n - 1].ip, 0x3000);
                EXPECT_CMP((all.counts.records.damaged_bytes > 0), ==, (gap > 0));
        }
}

/* Its document has the two parts of one with samples. */
TEST(a_session_of_spe_may_have_no_samples)
{
        static struct read_back all;
        struct session_builder b;

        add_spe(&b, false);
        read_built(&b, &all);
        EXPECT_TRUE(all.has_spe);
        EXPECT_INT(all.n, 0);
        /* Data that can't be read is something else. */
        add_spe(&b, false);
        builder_begin(&b, PERF_RECORD_AUXTRACE, 0);
        builder_u64(&b, 0);
        builder_end(&b);
        read_built(&b, &all);
        EXPECT_TRUE(!all.has_spe);
}

TEST(sessions_without_it)
{
        static struct read_back all;
        struct session_builder b;
        AUTO_RELEASE(buf) bytes = {0};

        builder_init(&b);
        builder_sample_ip(&b, 1000, 10, 10, 0x401000);
        read_built(&b, &all);
        EXPECT_TRUE(!all.has_spe);
        /* another kind of trace */
        builder_init(&b);
        builder_begin(&b, PERF_RECORD_AUXTRACE_INFO, 0);
        builder_u32(&b, 1);
        builder_u32(&b, 0);
        builder_u64(&b, 1);
        builder_end(&b);
        add_load(&bytes, 0x1000, 100);
        add_piece(&b, 0, 0, 0, &bytes);
        read_built(&b, &all);
        EXPECT_TRUE(!all.has_spe);
}

TAP_MAIN
