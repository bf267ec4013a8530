/* SPDX-License-Identifier: BSD-3-Clause */
/* Event-trace files: methods of .NET programs. */
#include <stdio.h>
#include <string.h>

#include "etl_report.h"
#include "etl_session.h"
#include "perfdata_format.h"
#include "run_info.h"

#define HEAP 0x7fe00010000u

static void begin(struct etl_builder *b)
{
        etl_begin_file(b);
        etl_begin_buffer(b, 3);
        etl_add_process(b, ETL_PROCESS_RUNNING, 1100, PID, 4, "app.exe");
        etl_add_thread(b, ETL_THREAD_RUNNING, 1100, PID, TID);
        etl_add_process(b, ETL_PROCESS_RUNNING, 1100, OTHER_PID, 4, "other.exe");
        etl_add_thread(b, ETL_THREAD_RUNNING, 1100, OTHER_PID, OTHER_TID);
        etl_add_image(b, ETL_IMAGE_RUNNING, 1100, PID, PROGRAM, 0x10000, "C:\\a\\app.exe");
}

static void load(struct etl_builder *b, uint64_t time, uint32_t pid, uint64_t addr, const char *name)
{
        etl_add_method(b, false, ETL_METHOD_LOAD, time, pid, addr, 0x100, ETL_METHOD_COMPILED,
                       "My.Space.Type", name);
}

/* "3 symbol:module" for each row. */
static void expect_rows(struct etl_builder *b, const char *path, const char *wanted)
{
        AUTO(report) report = etl_report(b, path, 0, 0);
        AUTO_RELEASE(buf) text = {0};

        for (size_t i = 0; i < hot_n_rows(report->hot); i++) {
                const struct hot_row *row = hot_get_row(report->hot, i);

                buf_printf(&text, "%u %s:%s\n", (unsigned)row->count, hot_text(report->hot, row->bare),
                           hot_text(report->hot, row->module));
        }
        EXPECT_STR(buf_text(&text), wanted);
}

TEST(methods_have_names)
{
        struct etl_builder b;

        begin(&b);
        load(&b, 1500, PID, HEAP, "Run");
        load(&b, 1500, PID, HEAP + 0x100, "Next");
        load(&b, 1500, OTHER_PID, HEAP, "Other");
        for (uint64_t i = 0; i < 3; i++)
                etl_add_sample(&b, 2000 + i, TID, HEAP + 0xff);
        for (uint64_t i = 0; i < 2; i++)
                etl_add_sample(&b, 2010 + i, TID, HEAP + 0x100);
        etl_add_sample(&b, 2020, OTHER_TID, HEAP + 8);
        etl_add_sample(&b, 2030, TID, HEAP + 0x20000);
        etl_add_sample(&b, 2031, TID, HEAP + 0x20000);
        etl_add_sample(&b, 2032, TID, HEAP + 0x20000);
        etl_add_sample(&b, 2033, TID, HEAP + 0x20000);
        expect_rows(&b, "etl-methods.etl",
                    "4 unknown:\n"
                    "3 My.Space.Type.Run:[.NET 100]\n"
                    "2 My.Space.Type.Next:[.NET 100]\n"
                    "1 My.Space.Type.Other:[.NET 200]\n");
}

/* The piece of memory is mapped for one method when another one, of which only the end of the recording
 * tells, is sampled. */
TEST(methods_that_existed_before_have_names)
{
        struct etl_builder b;

        begin(&b);
        etl_add_process(&b, ETL_PROCESS_RUNNING, 1150, PID, 4, "app.exe");
        etl_add_sample(&b, 1200, TID, HEAP + 0x210);
        load(&b, 1500, PID, HEAP, "Run");
        etl_add_method(&b, true, ETL_METHOD_UNLOAD, 9000, PID, HEAP + 0x200, 0x100, ETL_METHOD_COMPILED, "",
                       "Main");
        etl_add_method(&b, false, ETL_METHOD_UNLOAD, 9000, PID, HEAP + 0x5ff80, 0x100, ETL_METHOD_COMPILED,
                       "", "Long");
        etl_add_sample(&b, 1201, TID, HEAP + 0x60001);
        etl_add_sample(&b, 1202, TID, HEAP + 0x60002);
        expect_rows(&b, "etl-rundown.etl", "2 Long:[.NET 100]\n1 Main:[.NET 100]\n");
}

TEST(the_last_method_at_an_address_has_it)
{
        struct etl_builder b;

        begin(&b);
        load(&b, 1500, PID, HEAP, "Old");
        load(&b, 1600, PID, HEAP, "New");
        etl_add_sample(&b, 2000, TID, HEAP);
        expect_rows(&b, "etl-replaced.etl", "1 My.Space.Type.New:[.NET 100]\n");
}

/* Code that was compiled before is in an image, which each process may have at another address. */
TEST(methods_of_images_have_names)
{
        struct etl_builder b;

        begin(&b);
        etl_add_image(&b, ETL_IMAGE_RUNNING, 1100, PID, LIBRARY, 0x10000, "C:\\a\\lib.dll");
        etl_add_image(&b, ETL_IMAGE_RUNNING, 1100, OTHER_PID, LIBRARY + 0x40000, 0x10000, "C:\\a\\lib.dll");
        etl_add_method(&b, true, ETL_METHOD_UNLOAD, 9000, PID, LIBRARY + 0x100, 0x100, 0, "A", "B");
        etl_add_method(&b, true, ETL_METHOD_UNLOAD, 9000, OTHER_PID, LIBRARY + 0x40200, 0x100, 0, "A", "C");
        etl_add_method(&b, true, ETL_METHOD_UNLOAD, 9000, OTHER_PID, HEAP, 0x100, 0, "A", "Nowhere");
        for (uint64_t i = 0; i < 3; i++)
                etl_add_sample(&b, 2000 + i, TID, LIBRARY + 0x110);
        for (uint64_t i = 0; i < 2; i++)
                etl_add_sample(&b, 2010 + i, TID, LIBRARY + 0x210);
        etl_add_sample(&b, 2020, OTHER_TID, LIBRARY + 0x40310);
        expect_rows(&b, "etl-precompiled.etl", "3 A.B:lib.dll\n2 A.C:lib.dll\n1 unknown:lib.dll\n");
}

TEST(methods_without_code_are_left_out)
{
        struct etl_builder b;

        begin(&b);
        etl_add_method(&b, false, ETL_METHOD_LOAD, 1500, PID, HEAP, 0, ETL_METHOD_COMPILED, "A", "Empty");
        etl_add_sample(&b, 2002, TID, HEAP);
        expect_rows(&b, "etl-empty-method.etl", "1 unknown:\n");
}

TEST(damaged_methods_are_counted)
{
        enum { CUT_BYTES = ETL_PROVIDER_HEADER + 40 /* ends within the names */ };
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        etl_add_method(&b, false, ETL_METHOD_LOAD, 1500, PID, UINT64_MAX - 5, 100, ETL_METHOD_COMPILED, "A",
                       "Kernel");
        load(&b, 1500, PID, HEAP, "Run");
        buf_truncate(&b.file, b.event + CUT_BYTES);
        etl_put_u16(&b, b.event + ETL_EVENT_SIZE_OFF, CUT_BYTES);
        etl_add_sample(&b, 2000, TID, HEAP);
        report = etl_report(&b, "etl-damaged-methods.etl", 0, 0);
        EXPECT_CONTAINS(report->run.info.source_note, "0 buffers and 2 events could not be read");
}

/* N images of a volume whose path is long, each with a method. */
static void build_volume(struct etl_builder *b, unsigned n)
{
        enum { VOLUME_BYTES = 30000, A_BUFFER = 200 };
        static char volume[VOLUME_BYTES + 1];

        memset(volume, 'C', VOLUME_BYTES);
        begin(b);
        etl_add_volume(b, 1200, "\\", volume);
        for (unsigned i = 0; i < n; i++) {
                uint64_t addr = LIBRARY + i * UINT64_C(0x10000);
                char path[16];

                if (i % A_BUFFER == 0) {
                        etl_end_buffer(b);
                        etl_begin_buffer(b, 0);
                }
                snprintf(path, sizeof(path), "\\%u", i);
                etl_add_image(b, ETL_IMAGE_RUNNING, 1100, PID, addr, 0x10000, path);
                etl_add_method(b, false, ETL_METHOD_LOAD, 1500, PID, addr + 16, 64, 0, "N", "M");
                etl_add_sample(b, 2000 + i, TID, addr + 16);
        }
        etl_end_buffer(b);
}

TEST(names_are_left_out_above_the_limit)
{
        enum { N_IMAGES = 800, LIMIT = 128 << 20 };
        AUTO_RELEASE(buf) session = {0};
        AUTO_RELEASE(buf) text = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct etl_builder b;
        struct run_info info;
        struct err err = {0};

        build_volume(&b, N_IMAGES);
        EXPECT_TRUE(etl_session_make(b.file.data, b.file.len, "a.etl", LIMIT, &session, &err));
        EXPECT_STR(err.text, "");
        reader = perfdata_open_bytes(session.data, session.len, "a.etl", &err);
        ASSERT_TRUE(reader && run_info_read(reader, &text, &info));
        EXPECT_CONTAINS(info.source_note, "names of methods are left out for lack of memory");
        EXPECT_CMP(perfdata_feature(reader, FEATURE_SIMPLEPERF_FILE).end -
                           perfdata_feature(reader, FEATURE_SIMPLEPERF_FILE).start,
                   <, LIMIT / 8);
        buf_release(&b.file);
}

/* The paths are in the records, and in the section of images. */
TEST(paths_of_images_take_no_more_than_the_limit)
{
        enum { N_IMAGES = 1100, LIMIT = 128 << 20 };
        AUTO(perfdata_reader) reader = NULL;
        AUTO_RELEASE(buf) session = {0};
        AUTO_RELEASE(buf) text = {0};
        struct run_info info;
        struct perfdata_record record;
        unsigned n_samples = 0;
        struct etl_builder b;
        struct err err = {0};

        build_volume(&b, N_IMAGES);
        ASSERT_TRUE(etl_session_make(b.file.data, b.file.len, "a.etl", LIMIT, &session, &err));
        EXPECT_CMP(session.len, <, LIMIT / 2);
        reader = perfdata_open_bytes(session.data, session.len, "a.etl", &err);
        ASSERT_TRUE(reader && run_info_read(reader, &text, &info));
        EXPECT_CONTAINS(info.source_note, "images are left out for lack of memory");
        EXPECT_INT(info.source_is_short, 1);
        while (perfdata_next(reader, &record, &err) == 1)
                n_samples += record.header.type == PERF_RECORD_SAMPLE;
        EXPECT_INT(n_samples, N_IMAGES);
        buf_release(&b.file);
}

TAP_MAIN
