/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "attributes.h"
#include "codec.h"
#include "os.h"
#include "perfdata_layout.h"
#include "small_session.h"

/* --- reading what a builder made --- */

static void expect_listed(struct session_builder *b, bool raw, const char *want)
{
        struct buf file = {0}, list = {0};
        struct perfdata_reader *reader;
        struct err err = {0};

        builder_file(b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        if (!reader) {
                TAP_FAIL("open: %s", err.text);
        } else {
                EXPECT_TRUE(list_records(reader, raw, &list, &err));
                EXPECT_STR(buf_text(&list), want);
                EXPECT_INT(perfdata_get_damage(reader)->cut_bytes, 0);
                EXPECT_INT(perfdata_get_damage(reader)->n_malformed, 0);
        }
        perfdata_reader_free(reader);
        buf_release(&file);
        buf_release(&list);
}

TEST(records_by_time_in_both_byte_orders)
{
        for (int way = 0; way < 4; way++) {
                struct session_builder b;

                builder_init(&b);
                b.swap = way & 1;
                b.pipe = way & 2;
                b.names[0] = "cpu-clock";
                build_small(&b);
                expect_listed(&b, false, small_by_time);
                builder_release(&b);
        }
}

TEST(records_in_file_order)
{
        struct session_builder b;

        builder_init(&b);
        build_small(&b);
        expect_listed(
                &b, true,
                "COMM MMAP2 1000:400100/0 3000:400200/0 2000:400300/0 FINISHED_ROUND 2500:400400/0 EXIT "
                "FINISHED_ROUND ");
        builder_release(&b);
}

/* A round releases records that are not later than the latest one of the round before. */
TEST(rounds_bound_the_queue)
{
        struct session_builder b;

        builder_init(&b);
        builder_sample_ip(&b, 10, 1, 1, 0x10);
        builder_round(&b);
        builder_sample_ip(&b, 20, 1, 1, 0x20);
        builder_sample_ip(&b, 9, 1, 1, 0x9);
        builder_round(&b);
        builder_sample_ip(&b, 15, 1, 1, 0x15);
        builder_sample_ip(&b, 5, 1, 1, 0x5);
        builder_round(&b);
        expect_listed(&b, false,
                      "FINISHED_ROUND FINISHED_ROUND 9:9/0 10:10/0 FINISHED_ROUND 5:5/0 15:15/0 20:20/0 ");
        builder_release(&b);
}

TEST(late_records_are_counted)
{
        struct session_builder b;
        struct buf file = {0}, list = {0};
        struct perfdata_reader *reader;
        struct err err = {0};

        builder_init(&b);
        for (uint64_t i = 0; i < 3; i++) {
                builder_sample_ip(&b, 100 - i * 40, 1, 1, 1);
                builder_round(&b);
        }
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        ASSERT_TRUE(reader);
        EXPECT_TRUE(list_records(reader, false, &list, &err));
        EXPECT_INT(perfdata_get_damage(reader)->n_out_of_order, 1);
        perfdata_reader_free(reader);
        buf_release(&file);
        buf_release(&list);
        builder_release(&b);
}

/* Compresses the same records many times. */
static bool add_packed(struct session_builder *b, const struct buf *plain, unsigned n)
{
        AUTO(codec_packer) packer = codec_packer_new(1, NULL);

        for (unsigned i = 0; packer && i < n; i++) {
                AUTO_RELEASE(buf) packed = {0};

                codec_packer_feed(packer, plain->data, plain->len, &packed, NULL);
                builder_begin(b, PERF_RECORD_COMPRESSED, 0);
                builder_bytes(b, packed.data, packed.len);
                builder_end(b);
        }
        return packer;
}

enum { OVERBLOWN_BYTES = 32 << 20 };

/* 32 MiB of unchanging records shrink to 3 KiB, more than those of any recorder do. */
TEST(a_stream_that_unpacks_to_too_much_is_left_out)
{
        AUTO_RELEASE(buf) plain = {0};
        AUTO_RELEASE(buf) file = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct perfdata_record record;
        struct session_builder b;
        uint64_t n_bytes = 0;
        int got;

        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        builder_init(&b);
        while (b.records.len < OVERBLOWN_BYTES)
                builder_sample_ip(&b, 1000, 7, 7, 0x1000);
        plain = b.records;
        b.records = (struct buf){0};
        EXPECT_TRUE(add_packed(&b, &plain, 8));
        builder_file(&b, &file);
        builder_release(&b);
        reader = perfdata_open_bytes(file.data, file.len, "mem", NULL);
        ASSERT_TRUE(reader);
        while ((got = perfdata_next(reader, &record, NULL)) > 0)
                n_bytes += record.header.type == PERF_RECORD_SAMPLE ? record.header.size : 0;
        EXPECT_INT(got, 0);
        EXPECT_CMP(n_bytes, >=, LIMIT_COMPRESSED_FREE_BYTES);
        EXPECT_CMP(n_bytes, <, LIMIT_COMPRESSED_FREE_BYTES + 2 * OVERBLOWN_BYTES);
        EXPECT_CMP(perfdata_get_damage(reader)->overblown_bytes, >, 0);
        EXPECT_INT(perfdata_get_damage(reader)->n_malformed, 0);
}

/* Without a FINISHED_ROUND all records would wait for the end of the file. */
TEST(records_that_wait_have_a_bound)
{
        enum { N = 40000, LATE = 30000 };
        AUTO_RELEASE(buf) file = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct perfdata_record record;
        struct session_builder b;
        uint64_t n = 0, last = 0, n_backwards = 0;

        builder_init(&b);
        for (uint64_t i = 1; i <= N; i++)
                builder_sample_ip(&b, i == LATE ? 1 : 10 * i, 7, 7, 0x1000);
        builder_file(&b, &file);
        builder_release(&b);
        reader = perfdata_open_bytes(file.data, file.len, "mem", NULL);
        ASSERT_TRUE(reader);
        perfdata_set_waiting(reader, 1 << 18);
        while (perfdata_next(reader, &record, NULL) > 0) {
                n++;
                n_backwards += record.time < last;
                last = record.time;
        }
        EXPECT_INT(n, N);
        EXPECT_INT(n_backwards, 1);
        EXPECT_INT(perfdata_get_damage(reader)->n_out_of_order, 1);
}

TEST(compressed_records_may_straddle)
{
        static const size_t pieces[] = {1, 7, 40, 60000};

        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        for (size_t i = 0; i < N_ELEMENTS(pieces) * 4; i++) {
                struct session_builder b;
                struct buf file = {0}, list = {0};
                struct perfdata_reader *reader;
                struct err err = {0};

                builder_init(&b);
                b.swap = i & 1;
                build_small(&b);
                EXPECT_TRUE(builder_compress(&b, pieces[i / 4], i & 2));
                builder_file(&b, &file);
                reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
                ASSERT_TRUE(reader);
                EXPECT_TRUE(list_records(reader, false, &list, &err));
                for (char *at; (at = strstr(list.data, "COMPRESSED"));)
                        memmove(at, strchr(at, ' ') + 1, strlen(strchr(at, ' ') + 1) + 1);
                EXPECT_STR(list.data, small_by_time);
                EXPECT_INT(perfdata_get_damage(reader)->cut_bytes, 0);
                EXPECT_TRUE(perfdata_get_layout(reader)->compressed);
                perfdata_reader_free(reader);
                buf_release(&file);
                buf_release(&list);
                builder_release(&b);
        }
}

TEST(damaged_zstd_ends_the_stream_not_the_read)
{
        struct session_builder b;
        struct buf file = {0}, list = {0};
        struct perfdata_reader *reader;
        struct err err = {0};

        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        builder_init(&b);
        builder_comm(&b, 0, 1, 1, "plain", false);
        builder_begin(&b, PERF_RECORD_COMPRESSED, 0);
        builder_bytes(&b, "this is no zstd", 15);
        builder_end(&b);
        builder_sample_ip(&b, 5, 1, 1, 0x5);
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        ASSERT_TRUE(reader);
        EXPECT_TRUE(list_records(reader, false, &list, &err));
        EXPECT_STR(list.data, "COMM COMPRESSED 5:5/0 ");
        EXPECT_INT(perfdata_get_damage(reader)->n_malformed, 1);
        perfdata_reader_free(reader);
        buf_release(&file);
        buf_release(&list);
        builder_release(&b);
}

TEST(unknown_types_and_payloads_are_stepped_over)
{
        struct session_builder b;
        struct buf file = {0};
        struct perfdata_record record;
        struct perfdata_reader *reader;
        struct err err = {0};

        builder_init(&b);
        builder_begin(&b, 40000, 0);
        builder_u64(&b, 1);
        builder_end(&b);
        builder_begin(&b, PERF_RECORD_AUXTRACE, 0);
        builder_u64(&b, 16);
        for (int i = 0; i < 4; i++)
                builder_u64(&b, 0);
        builder_end(&b);
        builder_bytes(&b, "sixteen of bytes", 16);
        builder_comm(&b, 0, 1, 1, "last", false);
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        ASSERT_TRUE(reader);
        EXPECT_INT(perfdata_next(reader, &record, &err), 1);
        EXPECT_INT(record.header.type, PERF_RECORD_AUXTRACE);
        EXPECT_TRUE(cursor_left(&record.payload) == 16 && !memcmp(record.payload.at, "sixteen", 7));
        EXPECT_INT(perfdata_next(reader, &record, &err), 1);
        EXPECT_INT(record.header.type, PERF_RECORD_COMM);
        EXPECT_INT(perfdata_next(reader, &record, &err), 0);
        EXPECT_INT(perfdata_get_damage(reader)->n_unknown_types, 1);
        perfdata_reader_free(reader);
        buf_release(&file);
        builder_release(&b);
}

TEST(events_by_id_and_their_names)
{
        struct session_builder b;
        struct buf file = {0}, list = {0};
        struct perfdata_reader *reader;
        struct err err = {0};
        uint64_t chain[] = {1};

        builder_init(&b);
        builder_add_event(&b, PERF_TYPE_RAW, 0x1a8);
        builder_add_event(&b, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
        b.attrs[2].flags |= 2ull << PERF_ATTR_PRECISE_SHIFT;
        builder_sample(&b, 2, 5, 1, 1, PERF_MISC_USER, chain, 1);
        builder_sample(&b, 1, 6, 1, 1, PERF_MISC_USER, chain, 1);
        b.ids[1] = 4711;
        builder_sample(&b, 1, 7, 1, 1, PERF_MISC_USER, chain, 1);
        b.ids[1] = 12;
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        ASSERT_TRUE(reader);
        EXPECT_STR(perfdata_get_event(reader, 0)->name, "cpu-clock:u");
        EXPECT_STR(perfdata_get_event(reader, 1)->name, "r1a8:u");
        EXPECT_STR(perfdata_get_event(reader, 2)->name, "cycles:upp");
        EXPECT_INT(perfdata_get_event(reader, 2)->ids[0], 13);
        EXPECT_TRUE(list_records(reader, false, &list, &err));
        EXPECT_STR(list.data, "5:1/2 6:1/1 ? ");
        EXPECT_INT(perfdata_get_damage(reader)->n_unknown_events, 1);
        perfdata_reader_free(reader);
        buf_release(&file);
        buf_release(&list);
        builder_release(&b);
}

TEST(attributes_of_other_sizes)
{
        static const uint32_t sizes[] = {64, 72, 96, 112, 120, 136, 144, 4096};

        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                for (int pipe = 0; pipe < 2; pipe++) {
                        struct session_builder b;

                        builder_init(&b);
                        b.attr_bytes = sizes[i];
                        b.pipe = pipe;
                        build_small(&b);
                        expect_listed(&b, false, small_by_time);
                        builder_release(&b);
                }
        }
}

static bool note_build_id(void *ctx, uint16_t misc, int32_t pid, const uint8_t *id, size_t id_size,
                          const char *path)
{
        buf_printf(ctx, "%u %d %u.. %zu %s;", misc, pid, id[0], id_size, path);
        return true;
}

TEST(features_and_build_ids)
{
        static const uint8_t section[] = "\0\0\0\0\2\0\54\0\377\377\377\377"
                                         "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\0\0\0\0\0\0\0\0/bin/x\0";
        struct session_builder b;
        struct buf file = {0}, list = {0};
        struct perfdata_reader *reader;
        struct err err = {0};

        builder_init(&b);
        b.names[0] = "my-event";
        builder_feature(&b, FEATURE_BUILD_ID, section, 44);
        builder_feature_str(&b, FEATURE_ARCH, "x86_64");
        builder_feature(&b, FEATURE_WPERF_RUN, "WPRF", 4);
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        ASSERT_TRUE(reader);
        EXPECT_STR(perfdata_get_event(reader, 0)->name, "my-event");
        EXPECT_STR(perfdata_feature_str(reader, FEATURE_ARCH), "x86_64");
        EXPECT_TRUE(!perfdata_feature_str(reader, FEATURE_HOSTNAME));
        EXPECT_TRUE(perfdata_feature(reader, FEATURE_HOSTNAME).failed &&
                    perfdata_feature(reader, 256).failed);
        EXPECT_INT(cursor_left(&(struct cursor){.at = perfdata_feature(reader, FEATURE_WPERF_RUN).at,
                                                .end = perfdata_feature(reader, FEATURE_WPERF_RUN).end}),
                   4);
        EXPECT_STR(perfdata_feature_name(FEATURE_ARCH), "ARCH");
        perfdata_each_build_id(reader, note_build_id, &list);
        EXPECT_STR(buf_text(&list), "2 -1 1.. 16 /bin/x;");
        buf_release(&list);
        perfdata_reader_free(reader);
        buf_release(&file);
        builder_release(&b);
}

/* --- damage --- */

/* A session of any length is read without a crash, and complete records are returned. */
static void cut_everywhere(struct session_builder *b)
{
        size_t most = 0, n_records = 0;
        struct buf file = {0};

        builder_file(b, &file);
        for (size_t cut = 0; cut <= file.len; cut++) {
                char *exact = malloc(cut + 1); /* so that a byte too many is seen */
                struct perfdata_reader *reader;
                struct perfdata_record record;
                struct err err = {0};
                size_t n = 0;

                memcpy(exact, file.data, cut);
                reader = perfdata_open_bytes(exact, cut, "mem", &err);
                EXPECT_TRUE(reader || strlen(err.text) > 10);
                while (reader && perfdata_next(reader, &record, &err) == 1) {
                        EXPECT_INT(record.bytes.end - record.bytes.start, record.header.size);
                        n++;
                }
                EXPECT_CMP(n, >=, n_records);
                if (reader && cut < file.len && !b->pipe)
                        EXPECT_TRUE(perfdata_get_damage(reader)->cut_bytes ||
                                    perfdata_get_damage(reader)->features_missing);
                n_records = n;
                most = n > most ? n : most;
                perfdata_reader_free(reader);
                free(exact);
        }
        EXPECT_CMP(most, >=, 9);
        buf_release(&file);
}

TEST(cut_at_every_byte)
{
        for (int way = 0; way < 8; way++) {
                struct session_builder b;

                builder_init(&b);
                b.swap = way & 1;
                b.pipe = way & 2;
                b.names[0] = "cpu-clock";
                build_small(&b);
                if ((way & 4) && !builder_compress(&b, 50, false))
                        continue;
                builder_feature_str(&b, FEATURE_HOSTNAME, "here");
                cut_everywhere(&b);
                builder_release(&b);
        }
}

/* Each 8 bytes of the header in turn have the largest and other extreme numbers. */
TEST(sizes_and_offsets_at_extremes)
{
        static const uint64_t wild[] = {
                0, 1, 8, 16, 0x7fffffff, 0xffffffff, UINT64_MAX / 2, UINT64_MAX - 7, UINT64_MAX};
        struct session_builder b;
        struct buf file = {0};

        builder_init(&b);
        b.names[0] = "cpu-clock";
        build_small(&b);
        builder_feature_str(&b, FEATURE_HOSTNAME, "here");
        builder_file(&b, &file);
        for (size_t at = 8; at + 8 <= file.len; at += 4) {
                for (size_t i = 0; i < N_ELEMENTS(wild); i++) {
                        struct perfdata_reader *reader;
                        struct perfdata_record record;
                        char *copy = malloc(file.len);
                        struct err err = {0};

                        memcpy(copy, file.data, file.len);
                        memcpy(copy + at, &wild[i], 8);
                        reader = perfdata_open_bytes(copy, file.len, "mem", &err);
                        while (reader && perfdata_next(reader, &record, &err) == 1) {
                                struct sample sample;

                                if (record.event != UINT32_MAX)
                                        sample_parse(&perfdata_get_event(reader, record.event)->attr,
                                                     record.bytes, &sample);
                        }
                        perfdata_reader_free(reader);
                        free(copy);
                }
        }
        buf_release(&file);
        builder_release(&b);
}

TEST(messages_name_file_and_place)
{
        struct err err = {0};
        struct session_builder b;
        struct buf file = {0};

        EXPECT_TRUE(!perfdata_open_bytes("abcdefghijklmnopqrst", 20, "x.data", &err));
        EXPECT_STR(err.text, "x.data: not a perf.data file (starts with 'abcd')");
        EXPECT_TRUE(!perfdata_open_bytes("", 0, "x.data", &err));
        EXPECT_STR(err.text, "x.data: the file is empty");
        EXPECT_TRUE(!perfdata_open_bytes("PERFFILE01234567", 16, "x.data", &err));
        EXPECT_CONTAINS(err.text, "version 1 of perf.data is not supported");
        EXPECT_TRUE(!perfdata_open("no/such/file", &err));
        EXPECT_INT(err.code, ERR_MISSING);
        builder_init(&b);
        builder_file(&b, &file);
        EXPECT_TRUE(!perfdata_open_bytes(file.data, 112, "x.data", &err));
        EXPECT_STR(err.text, "x.data: attribute section at offset 0x70 needs 152 bytes, the file has 112");
        buf_release(&file);
        builder_release(&b);
}

TEST(data_size_zero_reads_to_the_end)
{
        struct session_builder b;
        struct buf file = {0}, list = {0};
        struct perfdata_reader *reader;
        struct err err = {0};

        builder_init(&b);
        build_small(&b);
        builder_file(&b, &file);
        memset(file.data + PERFDATA_DATA_SIZE_OFF, 0, 8);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        ASSERT_TRUE(reader);
        EXPECT_TRUE(list_records(reader, false, &list, &err));
        EXPECT_STR(list.data, small_by_time);
        EXPECT_TRUE(perfdata_get_damage(reader)->data_size_missing);
        perfdata_reader_free(reader);
        buf_release(&file);
        buf_release(&list);
        builder_release(&b);
}

TEST(junk_behind_a_pipe)
{
        struct session_builder b;
        struct buf list = {0};

        builder_init(&b);
        b.pipe = true;
        build_small(&b);
        builder_bytes(&b, "[ perf record: Woken up 1 times ]\n", 34);
        expect_listed(&b, false, small_by_time);
        buf_release(&list);
        builder_release(&b);
}

/* A reader needs the facts about the machine before it reads the first record. */
static void add_piece(struct session_builder *b, uint32_t number, uint32_t size, const char *bytes)
{
        builder_begin(b, PERF_RECORD_HEADER_FEATURE, 0);
        builder_u64(b, PERFDATA_PIECE_FEATURE);
        builder_bytes(b, PERFDATA_PIECE_MAGIC, 8);
        builder_u32(b, number);
        builder_u32(b, size);
        builder_bytes(b, bytes, strlen(bytes));
        builder_end(b);
}

/* wperf's sections in a pipe.  `way`: 1 in the other byte order, 2 in a file, where they are sections. */
static void read_pieces(int way)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct session_builder b;
        struct cursor section;
        struct err err = {0};

        builder_init(&b);
        b.swap = way & 1;
        b.pipe = !(way & 2);
        add_piece(&b, FEATURE_WPERF_LAST, 4, "one two ");
        builder_comm(&b, 1, 1, 1, "x", true);
        add_piece(&b, FEATURE_WPERF_LAST, 3, "two     ");
        add_piece(&b, FEATURE_WPERF_LAST + 1, 3, "two     ");
        add_piece(&b, FEATURE_WPERF_RUN - 1, 3, "two     ");
        add_piece(&b, FEATURE_WPERF_RUN, 9, "12345678");
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "pipe", &err);
        ASSERT_TRUE(reader);
        section = perfdata_feature(reader, FEATURE_WPERF_LAST);
        EXPECT_INT(section.failed, !b.pipe);
        if (b.pipe)
                EXPECT_TRUE(cursor_left(&section) == 7 && !memcmp(section.at, "one two", 7));
        EXPECT_TRUE(perfdata_feature(reader, FEATURE_WPERF_RUN).failed);
        EXPECT_TRUE(perfdata_feature(reader, FEATURE_WPERF_RUN - 1).failed);
        EXPECT_TRUE(perfdata_feature(reader, FEATURE_WPERF_LAST + 1).failed);
        EXPECT_INT(perfdata_get_damage(reader)->n_malformed, b.pipe);
        builder_release(&b);
}

TEST(sections_of_ours_in_a_pipe)
{
        for (int way = 0; way < 3; way++)
                read_pieces(way);
}

/* The table of a section in pieces names a record inside another one, and that must not be read. */
TEST(pieces_inside_pieces_are_damage)
{
        AUTO_RELEASE(buf) file = {0}, inner = {0}, table = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct session_builder b;
        struct cursor section;
        struct err err = {0};

        builder_init(&b);
        add_piece(&b, FEATURE_WPERF_LAST, 4, "four    ");
        buf_add(&inner, b.records.data, b.records.len);
        buf_clear(&b.records);
        builder_begin(&b, PERF_RECORD_HEADER_FEATURE, 0);
        builder_u64(&b, PERFDATA_PIECE_FEATURE);
        builder_bytes(&b, PERFDATA_PIECE_MAGIC, 8);
        builder_u32(&b, FEATURE_WPERF_LAST);
        builder_u32(&b, (uint32_t)inner.len);
        buf_add(&table, PERFDATA_PIECE_MAGIC, 8);
        buf_add_u64(&table, 0);
        buf_add_u64(&table, b.records.len);
        builder_bytes(&b, inner.data, inner.len);
        builder_end(&b);
        builder_feature(&b, FEATURE_WPERF_LAST, table.data, table.len);
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "nested", &err);
        ASSERT_TRUE(reader);
        section = perfdata_feature(reader, FEATURE_WPERF_LAST);
        EXPECT_INT(cursor_left(&section), inner.len);
        EXPECT_INT(perfdata_get_damage(reader)->n_malformed, 1);
        builder_release(&b);
}

TEST(a_pipe_tells_of_itself_at_once)
{
        static const uint8_t id[24] = {0xab, 2,  3,  4,  5,  6,  7,  8,  9,  10,
                                       11,   12, 13, 14, 15, 16, 17, 18, 19, 20};
        struct session_builder b;
        struct buf file = {0}, list = {0};
        struct perfdata_reader *reader;
        struct cursor tracing;
        struct err err = {0};

        builder_init(&b);
        b.pipe = true;
        build_small(&b);
        builder_begin(&b, PERF_RECORD_HEADER_BUILD_ID, 1);
        builder_u32(&b, UINT32_MAX);
        builder_bytes(&b, id, sizeof(id));
        builder_bytes(&b, "[kernel.kallsyms]\0\0\0\0\0\0\0", 24);
        builder_end(&b);
        builder_begin(&b, PERF_RECORD_HEADER_FEATURE, 0);
        builder_u64(&b, FEATURE_HOSTNAME);
        builder_u32(&b, 4);
        builder_bytes(&b, "box", 4);
        builder_end(&b);
        builder_begin(&b, PERF_RECORD_HEADER_TRACING_DATA, 0);
        builder_u32(&b, 5);
        builder_end(&b);
        builder_bytes(&b, "trace\0\0\0", 8);
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "pipe", &err);
        ASSERT_TRUE(reader);
        EXPECT_INT(perfdata_n_events(reader), b.n_events);
        EXPECT_STR(perfdata_feature_str(reader, FEATURE_HOSTNAME), "box");
        perfdata_each_build_id(reader, note_build_id, &list);
        EXPECT_STR(buf_text(&list), "1 -1 171.. 20 [kernel.kallsyms];");
        tracing = perfdata_feature(reader, FEATURE_TRACING_DATA);
        EXPECT_TRUE(cursor_left(&tracing) == 5 && !memcmp(tracing.at, "trace", 5));
        perfdata_reader_free(reader);
        expect_listed(&b, false,
                      "COMM MMAP2 FINISHED_ROUND FINISHED_ROUND 1000:400100/0 2000:400300/0 2500:400400/0 "
                      "3000:400200/0 BUILD_ID TRACING_DATA EXIT ");
        buf_release(&list);
        buf_release(&file);
        builder_release(&b);
}

/* --- directories of a threaded recorder --- */

static void write_bytes(const char *path, const void *bytes, size_t size)
{
        FILE *f = fopen(path, "wb");

        if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
                TAP_FAIL("cannot write %s", path);
}

TEST(directory_with_data_files)
{
        struct session_builder b;
        struct buf file = {0}, list = {0};
        struct perfdata_reader *reader;
        struct err err = {0};

        os_make_dir("test_perfdata.tmp.dir", &err);
        builder_init(&b);
        builder_sample_ip(&b, 30, 1, 1, 0x30);
        builder_round(&b);
        builder_file(&b, &file);
        write_bytes("test_perfdata.tmp.dir/data", file.data, file.len);
        buf_clear(&b.records);
        builder_sample_ip(&b, 20, 1, 1, 0x20);
        builder_sample_ip(&b, 40, 1, 1, 0x40);
        write_bytes("test_perfdata.tmp.dir/data.0", b.records.data, b.records.len);
        buf_clear(&b.records);
        builder_sample_ip(&b, 10, 1, 1, 0x10);
        write_bytes("test_perfdata.tmp.dir/data.1", b.records.data, b.records.len);
        reader = perfdata_open("test_perfdata.tmp.dir", &err);
        ASSERT_TRUE(reader);
        EXPECT_TRUE(list_records(reader, false, &list, &err));
        EXPECT_STR(list.data, "FINISHED_ROUND 10:10/0 20:20/0 30:30/0 40:40/0 ");
        perfdata_reader_free(reader);
        buf_release(&file);
        buf_release(&list);
        builder_release(&b);
}

TAP_MAIN
