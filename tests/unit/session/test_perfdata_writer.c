/* SPDX-License-Identifier: BSD-3-Clause */
#include "perfdata_writer.h"

#include <stdlib.h>

#include "codec.h"
#include "os.h"
#include "small_session.h"

static const char *const out_path = "test_perfdata_writer.tmp.data";

static struct perfdata_writer *writer_at(const char *path, const struct session_builder *b, int level)
{
        struct err err = {0};
        struct perfdata_writer *w = perfdata_writer_open(path, &err);

        if (!w) {
                TAP_FAIL("%s", err.text);
                return NULL;
        }
        if (level)
                EXPECT_TRUE(perfdata_writer_set_compression(w, level, &err));
        perfdata_writer_add_event(w, &b->attrs[0], "my-clock:u", b->ids, 1);
        EXPECT_TRUE(perfdata_writer_begin(w, &err));
        return w;
}

static struct perfdata_writer *writer_with_event(const struct session_builder *b, int level)
{
        return writer_at(out_path, b, level);
}

static void expect_file(const char *path, const char *want, bool finished)
{
        struct perfdata_reader *reader;
        struct err err = {0};
        struct buf list = {0};

        reader = perfdata_open(path, &err);
        if (!reader) {
                TAP_FAIL("%s", err.text);
                return;
        }
        EXPECT_TRUE(list_records(reader, false, &list, &err));
        EXPECT_CONTAINS(buf_text(&list), want);
        EXPECT_INT(perfdata_get_damage(reader)->cut_bytes, 0);
        if (finished) {
                EXPECT_STR(perfdata_get_event(reader, 0)->name, "my-clock:u");
                EXPECT_STR(perfdata_feature_str(reader, FEATURE_HOSTNAME), "here");
                EXPECT_STR(perfdata_feature_str(reader, FEATURE_ARCH), "z80");
        }
        perfdata_reader_free(reader);
        buf_release(&list);
}

static void write_and_read(int level)
{
        struct session_builder b;
        struct perfdata_writer *w;
        struct err err = {0};

        remove(out_path);
        builder_init(&b);
        build_small(&b);
        w = writer_with_event(&b, level);
        ASSERT_TRUE(w);
        EXPECT_TRUE(perfdata_writer_put(w, b.records.data, b.records.len, &err));
        EXPECT_TRUE(perfdata_writer_flush(w, &err));
        expect_file(out_path, small_by_time + (level ? 27 : 0), false);
        perfdata_writer_add_feature_str(w, FEATURE_ARCH, "z80");
        perfdata_writer_add_feature_str(w, FEATURE_HOSTNAME, "here");
        EXPECT_TRUE(perfdata_writer_close(w, &err));
        expect_file(out_path, small_by_time + (level ? 27 : 0), true);
        remove(out_path);
        builder_release(&b);
}

TEST(write_and_read_back)
{
        write_and_read(0);
}

TEST(write_and_read_back_compressed)
{
        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        write_and_read(3);
}

static void write_text(const char *path, const char *text)
{
        FILE *f = fopen(path, "wb");

        fputs(text, f);
        fclose(f);
}

/* AUXTRACE records of `n` bytes, whose data begin with `first`. */
static void put_trace(struct perfdata_writer *w, uint8_t first, size_t n)
{
        struct perf_header header = {.type = PERF_RECORD_AUXTRACE, .size = 48};
        AUTO_RELEASE(buf) record = {0};
        struct err err = {0};

        buf_add(&record, &header, sizeof(header));
        buf_add_u64(&record, n);
        buf_add_zeros(&record, 32);
        buf_add_char(&record, (char)first);
        buf_add_zeros(&record, n - 1);
        EXPECT_TRUE(perfdata_writer_put(w, record.data, record.len, &err));
}

/* Hardware traces are not packed, and the feature AUXTRACE lists where they are. */
static void write_traces(int level)
{
        struct perfdata_reader *reader;
        struct perfdata_record record;
        struct session_builder b;
        struct perfdata_writer *w;
        struct err err = {0};
        struct cursor list;
        unsigned n = 0;

        remove(out_path);
        builder_init(&b);
        build_small(&b);
        w = writer_with_event(&b, level);
        ASSERT_TRUE(w);
        put_trace(w, 1, 64);
        EXPECT_TRUE(perfdata_writer_put(w, b.records.data, b.records.len, &err));
        put_trace(w, 2, 100000);
        EXPECT_TRUE(perfdata_writer_close(w, &err));
        reader = perfdata_open(out_path, &err);
        ASSERT_TRUE(reader);
        list = perfdata_feature(reader, FEATURE_AUXTRACE);
        EXPECT_INT(cursor_u64(&list), 2);
        while (perfdata_next_raw(reader, &record, &err) > 0) {
                if (record.header.type != PERF_RECORD_AUXTRACE)
                        continue;
                n++;
                EXPECT_INT(cursor_u64(&list), record.file_off);
                EXPECT_INT(cursor_u64(&list), 48);
                EXPECT_INT(cursor_left(&record.payload), n == 1 ? 64 : 100000);
                EXPECT_INT(*record.payload.at, n);
        }
        EXPECT_INT(n, 2);
        EXPECT_INT(cursor_left(&list), 0);
        perfdata_reader_free(reader);
        remove(out_path);
        builder_release(&b);
}

TEST(traces)
{
        write_traces(0);
}

TEST(traces_among_compressed_records)
{
        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        write_traces(3);
}

TEST(existing_files)
{
        char old[64];
        struct err err = {0};
        struct os_stat st;
        struct session_builder b;

        snprintf(old, sizeof(old), "%s.old", out_path);
        remove(out_path);
        remove(old);
        builder_init(&b);
        write_text(out_path, "my only copy");
        EXPECT_TRUE(!perfdata_writer_open(out_path, &err));
        EXPECT_INT(err.code, ERR_DENIED);
        EXPECT_CONTAINS(err.text, "is not a perf.data file");
        EXPECT_TRUE(os_stat(out_path, &st) && st.size_bytes == 12);
        write_text(out_path, "");
        perfdata_writer_free(writer_with_event(&b, 0));
        EXPECT_TRUE(!os_stat(old, &st));
        perfdata_writer_free(writer_with_event(&b, 0));
        EXPECT_TRUE(os_stat(old, &st));
        EXPECT_TRUE(!perfdata_writer_open(".", &err));
        remove(out_path);
        remove(old);
        builder_release(&b);
}

/* --- a disk that is full, as a limit on the size of files --- */

#ifdef __linux__
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void limit_files(rlim_t bytes)
{
        struct rlimit limit;

        signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
}

static void fill_disk(int level)
{
        enum { LIMIT_BYTES = 1 << 20 };
        struct session_builder b;
        struct perfdata_writer *w;
        struct err err = {0};
        struct os_stat st = {0};
        size_t n = 0;

        remove(out_path);
        builder_init(&b);
        w = writer_with_event(&b, level);
        ASSERT_TRUE(w);
        limit_files(LIMIT_BYTES);
        for (bool ok = true; ok && n < 1000000; n++) {
                builder_sample_ip(&b, 1000 + n, 1, (int32_t)(n * 2654435761u), n * n * 31 << 13);
                ok = perfdata_writer_put(w, b.records.data, b.records.len, &err);
                buf_clear(&b.records);
        }
        EXPECT_INT(err.code, ERR_IO);
        EXPECT_TRUE(!perfdata_writer_put(w, "", 0, &err) && strstr(err.text, "earlier"));
        expect_file(out_path, "1000:0/0 1001:3e000/0", false);
        perfdata_writer_add_feature_str(w, FEATURE_HOSTNAME, "here");
        perfdata_writer_add_feature_str(w, FEATURE_ARCH, "z80");
        EXPECT_TRUE(!perfdata_writer_close(w, &err));
        limit_files(RLIM_INFINITY);
        expect_file(out_path, "1000:0/0 1001:3e000/0", true);
        EXPECT_TRUE(os_stat(out_path, &st) && st.size_bytes > LIMIT_BYTES / 2 &&
                    st.size_bytes <= LIMIT_BYTES);
        remove(out_path);
        builder_release(&b);
}

TEST(full_disk_leaves_a_readable_file)
{
        fill_disk(0);
}

TEST(full_disk_and_compression)
{
        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        fill_disk(1);
}

/* More than a record has room for. */
static void add_large_section(struct perfdata_writer *w)
{
        AUTO_RELEASE(buf) section = {0};

        for (uint32_t i = 0; i < 40000; i++)
                buf_add_u32(&section, i);
        perfdata_writer_add_feature(w, FEATURE_WPERF_PYTHON, section.data, section.len - 3);
}

static void expect_large_section(const struct perfdata_reader *reader)
{
        struct cursor section = perfdata_feature(reader, FEATURE_WPERF_PYTHON);

        EXPECT_INT(cursor_left(&section), 40000 * 4 - 3);
        for (uint32_t i = 0; i < 39999; i++)
                if (cursor_u32(&section) != i) {
                        TAP_FAIL("word %u", i);
                        break;
                }
}

/* The same as expect_large_section() reads, in pieces between the records. */
static void put_large_section(struct perfdata_writer *w, const struct session_builder *b)
{
        static const size_t ends[] = {7, 7, 100000, 40000 * 4 - 3};
        AUTO_RELEASE(buf) section = {0};
        struct err err = {0};
        size_t at = 0;

        for (uint32_t i = 0; i < 40000; i++)
                buf_add_u32(&section, i);
        for (size_t i = 0; i < N_ELEMENTS(ends); at = ends[i++]) {
                EXPECT_TRUE(perfdata_writer_put_section(w, FEATURE_WPERF_PYTHON, section.data + at,
                                                        ends[i] - at, &err));
                EXPECT_TRUE(perfdata_writer_put(w, b->records.data, b->records.len, &err));
        }
}

static void write_growing(int level)
{
        struct session_builder b;
        struct perfdata_writer *w;
        struct perfdata_reader *reader;
        struct buf list = {0};
        struct err err = {0};

        remove(out_path);
        builder_init(&b);
        build_small(&b);
        w = writer_with_event(&b, level);
        ASSERT_TRUE(w);
        put_large_section(w, &b);
        perfdata_writer_add_feature(w, FEATURE_WPERF_RUN, "WPRF\1\0\0\0", 8);
        EXPECT_TRUE(perfdata_writer_close(w, &err));
        builder_release(&b);
        reader = perfdata_open(out_path, &err);
        ASSERT_TRUE(reader);
        expect_large_section(reader);
        EXPECT_TRUE(list_records(reader, false, &list, &err));
        expect_large_section(reader);
        EXPECT_INT(perfdata_get_damage(reader)->n_malformed, 0);
        EXPECT_INT(perfdata_get_damage(reader)->n_unknown_types, 0);
        EXPECT_TRUE(perfdata_feature(reader, PERFDATA_PIECE_FEATURE).failed);
        perfdata_reader_free(reader);
        buf_release(&list);
        remove(out_path);
}

TEST(a_section_grows_among_the_records)
{
        write_growing(0);
}

TEST(a_section_grows_among_compressed_records)
{
        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        write_growing(1);
}

/* perf 7 reads no others. */
static void expect_whole_words(const char *pipe, size_t size)
{
        struct perf_header header;
        size_t n = 0;

        for (size_t at = PERFDATA_PIPE_HEADER_BYTES; at + sizeof(header) <= size; at += header.size) {
                memcpy(&header, pipe + at, sizeof(header));
                if (header.size < sizeof(header))
                        break;
                n += header.type == PERF_RECORD_HEADER_BUILD_ID;
                if (header.type != PERF_RECORD_COMPRESSED)
                        EXPECT_INT(header.size % 8, 0);
        }
        EXPECT_INT(n, 1);
}

/* Writes small sessions into a pipe that this test reads itself. */
static void write_pipe(int level)
{
        static char bytes[1 << 18];
        struct session_builder b;
        struct perfdata_writer *w;
        struct perfdata_reader *reader;
        struct cursor run, waits;
        struct buf list = {0};
        struct err err = {0};
        char path[32];
        ssize_t size;
        int fds[2];

        EXPECT_INT(pipe(fds), 0);
        EXPECT_CMP(fcntl(fds[1], F_SETPIPE_SZ, sizeof(bytes)), >=, (int)sizeof(bytes));
        snprintf(path, sizeof(path), "/dev/fd/%d", fds[1]);
        builder_init(&b);
        build_small(&b);
        w = writer_at(path, &b, level);
        ASSERT_TRUE(w);
        perfdata_writer_add_feature_str(w, FEATURE_HOSTNAME, "here");
        perfdata_writer_add_feature(w, FEATURE_BUILD_ID,
                                    "\0\0\0\0\2\0\54\0\377\377\377\377\1\2\3\4\5\6\7\10\1\2\3\4\5\6\7\10"
                                    "\0\0\0\0\0\0\0\0/bin/pp",
                                    44);
        perfdata_writer_add_feature(w, FEATURE_WPERF_RUN, "WPRF\1\0\0\0", 8);
        add_large_section(w);
        EXPECT_TRUE(perfdata_writer_put(w, b.records.data, b.records.len, &err));
        EXPECT_TRUE(perfdata_writer_put_section(w, FEATURE_WPERF_WAITS, "wai", 3, &err));
        EXPECT_TRUE(perfdata_writer_put_section(w, FEATURE_WPERF_WAITS, "ts", 2, &err));
        EXPECT_TRUE(perfdata_writer_close(w, &err));
        close(fds[1]);
        size = read(fds[0], bytes, sizeof(bytes));
        close(fds[0]);
        builder_release(&b);
        expect_whole_words(bytes, size < 0 ? 0 : (size_t)size);
        reader = perfdata_open_bytes(bytes, size < 0 ? 0 : (size_t)size, "pipe", &err);
        ASSERT_TRUE(reader);
        EXPECT_TRUE(list_records(reader, false, &list, &err));
        EXPECT_CONTAINS(buf_text(&list), level ? "1000:400100/0 2000:400300/0" : "MMAP2 FINISHED_ROUND");
        EXPECT_CONTAINS(buf_text(&list), "BUILD_ID ");
        EXPECT_STR(perfdata_feature_str(reader, FEATURE_HOSTNAME), "here");
        EXPECT_STR(perfdata_get_event(reader, 0)->name, "my-clock:u");
        run = perfdata_feature(reader, FEATURE_WPERF_RUN);
        EXPECT_TRUE(cursor_left(&run) == 8 && !memcmp(run.at, "WPRF\1\0\0\0", 8));
        waits = perfdata_feature(reader, FEATURE_WPERF_WAITS);
        EXPECT_TRUE(cursor_left(&waits) == 5 && !memcmp(waits.at, "waits", 5));
        expect_large_section(reader);
        EXPECT_INT(perfdata_get_layout(reader)->compressed, level > 0);
        perfdata_reader_free(reader);
        buf_release(&list);
}

TEST(pipe_mode)
{
        write_pipe(0);
}

TEST(pipe_mode_compressed)
{
        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        write_pipe(3);
}

TEST(file_that_becomes_shorter)
{
        struct session_builder b;
        struct perfdata_writer *w;
        struct perfdata_reader *reader;
        struct buf list = {0};
        struct err err = {0};

        remove(out_path);
        builder_init(&b);
        w = writer_with_event(&b, 0);
        ASSERT_TRUE(w);
        for (uint64_t n = 0; n < 10000; n++)
                builder_sample_ip(&b, 1000 + n, 1, 1, n);
        EXPECT_TRUE(perfdata_writer_put(w, b.records.data, b.records.len, &err) &&
                    perfdata_writer_close(w, &err));
        reader = perfdata_open(out_path, &err);
        ASSERT_TRUE(reader);
        EXPECT_INT(truncate(out_path, 9000), 0);
        EXPECT_TRUE(!list_records(reader, false, &list, &err));
        EXPECT_CONTAINS(err.text, "became shorter while it was read");
        perfdata_reader_free(reader);
        buf_release(&list);
        remove(out_path);
        builder_release(&b);
}

/* The records just fit; their description does not. */
TEST(features_get_room_on_a_full_disk)
{
        struct session_builder b;
        struct perfdata_writer *w;
        struct err err = {0};
        struct os_stat st = {0}, cut = {0};

        remove(out_path);
        builder_init(&b);
        w = writer_with_event(&b, 0);
        ASSERT_TRUE(w);
        for (uint64_t n = 0; n < 10000; n++)
                builder_sample_ip(&b, 1000 + n, 1, 1, n);
        EXPECT_TRUE(perfdata_writer_put(w, b.records.data, b.records.len, &err) &&
                    perfdata_writer_flush(w, &err));
        EXPECT_TRUE(os_stat(out_path, &st));
        limit_files(st.size_bytes);
        perfdata_writer_add_feature_str(w, FEATURE_HOSTNAME, "here");
        perfdata_writer_add_feature_str(w, FEATURE_ARCH, "z80");
        EXPECT_TRUE(!perfdata_writer_close(w, &err));
        limit_files(RLIM_INFINITY);
        EXPECT_CONTAINS(err.text, "were removed to make room for the description of the run");
        expect_file(out_path, "1000:0/0 1001:1/0", true);
        /* Although they came in one piece. */
        EXPECT_TRUE(os_stat(out_path, &cut) && cut.size_bytes > st.size_bytes - (16 << 10));
        remove(out_path);
        builder_release(&b);
}
/* What was written together is there as a whole or not at all. */
TEST(a_full_disk_leaves_whole_parts_of_a_section)
{
        static char part[100000];
        struct session_builder b;
        struct perfdata_writer *w;
        AUTO(perfdata_reader) reader = NULL;
        struct cursor section;
        struct os_stat st = {0};
        struct err err = {0};

        remove(out_path);
        builder_init(&b);
        w = writer_with_event(&b, 0);
        ASSERT_TRUE(w);
        for (uint64_t n = 0; n < 10000; n++)
                builder_sample_ip(&b, 1000 + n, 1, 1, n);
        EXPECT_TRUE(perfdata_writer_put(w, b.records.data, b.records.len, &err));
        for (int i = 0; i < 3; i++)
                EXPECT_TRUE(perfdata_writer_put_section(w, FEATURE_WPERF_WAITS, part, sizeof(part), &err));
        EXPECT_TRUE(perfdata_writer_flush(w, &err));
        EXPECT_TRUE(os_stat(out_path, &st));
        limit_files(st.size_bytes);
        perfdata_writer_add_feature_str(w, FEATURE_HOSTNAME, "here");
        EXPECT_TRUE(!perfdata_writer_close(w, &err));
        limit_files(RLIM_INFINITY);
        reader = perfdata_open(out_path, &err);
        ASSERT_TRUE(reader);
        EXPECT_STR(perfdata_feature_str(reader, FEATURE_HOSTNAME), "here");
        section = perfdata_feature(reader, FEATURE_WPERF_WAITS);
        EXPECT_INT(cursor_left(&section), 2 * sizeof(part));
        remove(out_path);
        builder_release(&b);
}
#endif

TAP_MAIN
