/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions of perf that wperf reads in part: traces that it does not decode, and counts without samples. */
#include "count_replay.h"
#include "quality_view.h"
#include "report.h"
#include "session_builder.h"
#include "tap.h"

static const char trace_path[] = "foreign-trace.data";

/* An AUXTRACE record and its payload. */
static void add_trace(struct session_builder *b, uint64_t size)
{
        builder_begin(b, PERF_RECORD_AUXTRACE, 0);
        builder_u64(b, size);
        for (int i = 0; i < 4; i++)
                builder_u64(b, 0);
        builder_end(b);
        for (uint64_t i = 0; i < size; i += 8)
                builder_u64(b, 0);
}

TEST(a_trace_is_told)
{
        const struct report_request request = {.path = trace_path};
        AUTO_RELEASE(buf) out = {0};
        AUTO(report) report = NULL;
        struct session_builder b;
        struct err err = {0};

        builder_init(&b);
        builder_begin(&b, PERF_RECORD_AUXTRACE_INFO, 0);
        builder_u32(&b, 4);
        builder_u32(&b, 0);
        builder_end(&b);
        add_trace(&b, 64);
        add_trace(&b, 128);
        ASSERT_TRUE(builder_save(&b, trace_path));
        report = report_make(&request, &err);
        ASSERT_TRUE(report);
        quality_add_text(&report->quality, &out);
        EXPECT_CONTAINS(buf_text(&out), ", 192 bytes of Arm SPE trace not decoded");
        EXPECT_TRUE(quality_is_poor(&report->quality));
}

/* --- records of simpleperf's own --- */

/* A record with a total of `size` bytes, whose size has 32 bits. */
static void add_large(struct buf *file, uint32_t type, const void *head, size_t head_size, uint32_t size)
{
        buf_add_u32(file, type);
        buf_add_u16(file, (uint16_t)(size >> 16));
        buf_add_u16(file, (uint16_t)size);
        buf_add(file, head, head_size);
        buf_add_zeros(file, size - sizeof(struct perf_header) - head_size);
}

TEST(records_larger_than_64_kib)
{
        static const uint32_t sizes[] = {0x10010, 0x10004, 0x20000, 0x4321a};

        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                AUTO_RELEASE(buf) file = {0};
                AUTO(perfdata_reader) reader = NULL;
                struct session_builder b;
                struct perfdata_record record;
                struct err err = {0};

                builder_init(&b);
                builder_comm(&b, 1, 100, 100, "before", false);
                add_large(&b.records, RECORD_SIMPLEPERF_DEBUG, "text", 4, sizes[i]);
                builder_comm(&b, 2, 100, 100, "behind", false);
                builder_feature_str(&b, FEATURE_HOSTNAME, "box");
                builder_file(&b, &file);
                reader = perfdata_open_bytes(file.data, file.len, "large", &err);
                ASSERT_TRUE(reader);
                EXPECT_INT(perfdata_next_raw(reader, &record, &err), 1);
                EXPECT_INT(perfdata_next_raw(reader, &record, &err), 1);
                EXPECT_STR(record_type_name(record.header.type), "SIMPLEPERF_DEBUG");
                EXPECT_INT(perfdata_next_raw(reader, &record, &err), 1);
                EXPECT_INT(record.header.type, PERF_RECORD_COMM);
                EXPECT_INT(perfdata_next_raw(reader, &record, &err), 0);
                EXPECT_INT(perfdata_get_damage(reader)->n_malformed, 0);
                EXPECT_INT(perfdata_get_damage(reader)->n_unknown_types, 0);
                builder_release(&b);
        }
}

/* Ids of an event that come in a record belong to the event from there on. */
TEST(ids_that_come_late)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct session_builder b;
        struct perfdata_record record;
        struct err err = {0};

        builder_init(&b);
        builder_add_event(&b, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
        builder_begin(&b, RECORD_SIMPLEPERF_EVENT_ID, 0);
        builder_u64(&b, 2);
        builder_u64(&b, 1);
        builder_u64(&b, 77);
        builder_u64(&b, 9); /* there is no such event */
        builder_u64(&b, 78);
        builder_end(&b);
        b.ids[1] = 77;
        builder_sample(&b, 1, 1000, 100, 100, PERF_MISC_USER, (const uint64_t[]){0x400000}, 1);
        b.ids[1] = 12;
        builder_feature_str(&b, FEATURE_HOSTNAME, "box");
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "late", &err);
        ASSERT_TRUE(reader);
        EXPECT_INT(perfdata_next_raw(reader, &record, &err), 1);
        EXPECT_INT(perfdata_next_raw(reader, &record, &err), 1);
        EXPECT_INT(record.header.type, PERF_RECORD_SAMPLE);
        EXPECT_INT(record.event, 1);
        builder_release(&b);
}

/* --- perf record -s -n --- */

static void build_counts(struct session_builder *b, int n_threads, struct buf *file)
{
        builder_init(b);
        b->attrs[0].sample_period_or_freq = 0;
        b->attrs[0].read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
                                  PERF_FORMAT_ID | PERF_FORMAT_LOST;
        builder_feature_str(b, FEATURE_HOSTNAME, "box");
        for (int32_t i = 0; i < n_threads; i++) {
                builder_begin(b, PERF_RECORD_READ, 0);
                builder_u32(b, 100);
                builder_u32(b, 101 + (uint32_t)i);
                builder_u64(b, 1000);
                builder_u64(b, 4000);
                builder_u64(b, 2000);
                builder_u64(b, 11);
                builder_u64(b, 0);
                builder_id(b, 5000000000 + (uint64_t)i * 1000000000, 100, 101 + i);
                builder_end(b);
        }
        builder_file(b, file);
}

struct seen {
        uint64_t n, value, elapsed_ns;
};

static bool see(void *ctx, const struct sheet *sheet, uint64_t elapsed_ns)
{
        struct seen *seen = ctx;

        seen->n++;
        seen->value = sheet->n_tables && sheet->tables[0].n_rows ? sheet->tables[0].rows[0].value : 0;
        seen->elapsed_ns = elapsed_ns;
        return true;
}

static struct seen replay(int n_threads, struct buf *warnings, struct err *err)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct count_replay replay = {0};
        struct session_builder b;
        struct seen seen = {0};

        build_counts(&b, n_threads, &file);
        reader = perfdata_open_bytes(file.data, file.len, "counts", err);
        EXPECT_TRUE(reader && count_replay_is(reader));
        if (reader && count_replay_open(&replay, reader, err))
                count_replay_read(&replay, reader, see, &seen, err);
        buf_add_str(warnings, buf_text(&replay.list.warnings));
        count_replay_release(&replay);
        builder_release(&b);
        return seen;
}

TEST(counts_of_threads_that_ended)
{
        AUTO_RELEASE(buf) warnings = {0};
        struct err err = {0};
        struct seen seen = replay(3, &warnings, &err);

        EXPECT_INT(err.code, 0);
        EXPECT_INT(seen.n, 1);
        EXPECT_INT(seen.value, 3000);
        EXPECT_INT(seen.elapsed_ns, 2000000000);
        EXPECT_CONTAINS(buf_text(&warnings), "only the 3 threads that ended");
}

TEST(neither_samples_nor_counts)
{
        AUTO_RELEASE(buf) warnings = {0};
        struct err err = {0};
        struct seen seen = replay(0, &warnings, &err);

        EXPECT_INT(seen.n, 0);
        EXPECT_CONTAINS(err.text, "neither samples nor counts");
}

TAP_MAIN
