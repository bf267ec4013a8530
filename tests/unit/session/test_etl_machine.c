/* SPDX-License-Identifier: BSD-3-Clause */
/* Event-trace files: the machine, its drives, its counters, what was lost, and functions of ARM64
 * programs. */
#include "data_object.h"
#include "etl_report.h"
#include "etl_session.h"
#include "os.h"
#include "pdb.h"
#include "pe_builder.h"
#include "pe_map_builder.h"
#include "pe_search.h"
#include "perfdata_format.h"

static void begin(struct etl_builder *b)
{
        etl_begin_file(b);
        etl_begin_buffer(b, 3);
        etl_add_process(b, ETL_PROCESS_RUNNING, 1100, PID, 4, "app.exe");
        etl_add_thread(b, ETL_THREAD_RUNNING, 1100, PID, TID);
}

TEST(the_machine_is_described)
{
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        etl_add_machine(&b, 1200, ETL_ARCHITECTURE_ARM64, "THINKPAD");
        etl_add_build(&b, 1200, "22000.1.arm64fre.co_release.210604-1628", "Windows 11 Pro");
        etl_add_sample(&b, 2000, TID, PROGRAM);
        report = etl_report(&b, "etl-machine.etl", 0, 0);
        EXPECT_STR(
                buf_text(&report->run.machine),
                "THINKPAD, Windows 11 Pro 22000.1.arm64fre.co_release.210604-1628, aarch64, 4 CPUs, 4.0 GiB of memory");
}

TEST(the_architecture_may_be_in_the_build_only)
{
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        etl_add_build(&b, 1200, "22000.1.arm64fre", "Windows 11");
        etl_add_sample(&b, 2000, TID, PROGRAM);
        report = etl_report(&b, "etl-build.etl", 0, 0);
        EXPECT_STR(perfdata_feature_str(report->session.reader, FEATURE_ARCH), "aarch64");
        EXPECT_TRUE(!perfdata_feature_str(report->session.reader, FEATURE_HOSTNAME));
}

TEST(paths_have_the_letters_of_drives)
{
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        etl_add_volume(&b, 1000, "\\Device\\HarddiskVolume1\\", "D:\\");
        etl_add_volume(&b, 1000, "\\Device\\HarddiskVolume12\\", "E:\\");
        etl_add_volume(&b, 1000, "\\SystemRoot\\", "C:\\Windows\\");
        etl_add_image(&b, ETL_IMAGE_RUNNING, 1100, PID, PROGRAM, 0x10000,
                      "\\Device\\HarddiskVolume12\\a\\app.exe");
        etl_add_image(&b, ETL_IMAGE_RUNNING, 1100, PID, LIBRARY, 0x10000, "\\Device\\Other\\lib.dll");
        etl_add_image(&b, ETL_IMAGE_RUNNING, 1100, 0, KERNEL, 0x10000,
                      "\\SYSTEMROOT\\system32\\ntoskrnl.exe");
        etl_add_sample(&b, 2000, TID, PROGRAM);
        etl_add_sample(&b, 2001, TID, LIBRARY);
        etl_add_sample(&b, 2002, TID, KERNEL);
        report = etl_report(&b, "etl-paths.etl", 0, 0);
        ASSERT_CMP(report->modules.n, ==, 3);
        EXPECT_STR(report->modules.items[0].path, "E:\\a\\app.exe");
        EXPECT_STR(report->modules.items[1].path, "\\Device\\Other\\lib.dll");
        EXPECT_STR(report->modules.items[2].path, "C:\\Windows\\system32\\ntoskrnl.exe");
}

TEST(counters_have_names_and_intervals)
{
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        etl_add_interval(&b, 1200, 0, 5000, "Timer");
        etl_add_interval(&b, 1200, 19, 65536, "TotalCycles");
        etl_add_counter(&b, 2000, TID, PROGRAM, 19);
        etl_add_counter(&b, 2001, TID, PROGRAM, 7);
        etl_add_sample(&b, 2002, TID, PROGRAM);
        report = etl_report(&b, "etl-counters.etl", 0, PROFILE_EVENT);
        ASSERT_CMP(report->n_events, ==, 3);
        EXPECT_STR(report->events[0].name, "TotalCycles");
        EXPECT_INT(report->events[0].mean_period, 65536);
        EXPECT_STR(report->events[1].name, "counter-source-7");
        EXPECT_INT(report->events[1].mean_period, 1);
        EXPECT_STR(report->events[2].name, "timer");
        EXPECT_INT(report->events[2].mean_period, 500000);
}

/* A hostile file may name 65,536 counters. */
TEST(samples_of_too_many_counters_are_left_out)
{
        enum { MANY = 1000, MOST = 256 };
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        for (uint16_t i = 1; i <= MANY; i++) {
                etl_add_interval(&b, 1200, i, 100, "c");
                etl_add_counter(&b, 2000 + i, TID, PROGRAM, i);
        }
        report = etl_report(&b, "etl-many.etl", 0, PROFILE_EVENT);
        EXPECT_INT(report->n_events, MOST);
        EXPECT_INT(report->quality.n_samples, MOST);
        EXPECT_CONTAINS(report->run.info.source_note, "744 samples of too many counters are left out");
}

TEST(losses_are_counted)
{
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        etl_put_u32(&b, b.lost_events, 30);
        etl_put_u32(&b, b.lost_buffers, 2);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        report = etl_report(&b, "etl-lost.etl", 0, 0);
        EXPECT_INT(report->quality.n_lost, 32);
        EXPECT_STR(report->run.info.source_note,
                   "30 events of all kinds were lost; 2 buffers of events were lost");
}

TEST(reports_of_losses_are_counted)
{
        AUTO(report) report = NULL;
        struct etl_builder b;

        begin(&b);
        etl_add_loss(&b, 31, 1500); /* no such type */
        etl_add_loss(&b, 32, 1500);
        etl_add_loss(&b, 32, 1600);
        etl_add_loss(&b, 33, 1700);
        etl_add_loss(&b, 34, 1800);
        etl_add_loss(&b, 35, 1900);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        report = etl_report(&b, "etl-losses.etl", 0, 0);
        EXPECT_INT(report->quality.n_lost, 4);
        EXPECT_INT(report->quality.remedy, QUALITY_MORE_BUFFERS);
        EXPECT_STR(report->run.info.source_note, "4 reports say that one or more events were lost");
}

/* --- ARM64 --- */

static void copy_data(const char *name, const char *to)
{
        AUTO_RELEASE(buf) bytes = {0};
        FILE *file = fopen(to, "wb");

        if (!file || !os_read_file(data_path(name), 1 << 20, &bytes, NULL) ||
            fwrite(bytes.data, 1, bytes.len, file) != bytes.len || fclose(file))
                TAP_FAIL("%s", to);
}

/* The image itself is not on this machine, only its PDB; of the other one, only the image. */
TEST(functions_of_arm64_programs_have_names)
{
        static const char *const dirs[] = {".", NULL};
        const struct pe_places places = {.dirs = dirs};
        const struct resolver_sources sources = {.pe = &places};
        const struct report_request request = {.path = "etl-arm64.etl", .sources = &sources};
        AUTO(pdb) pdb = pdb_open(data_path("pdb/arm64.pdb"), NULL);
        AUTO(object) dll = open_data("pe/arm64.dll");
        AUTO_RELEASE(buf) rows = {0};
        AUTO(report) report = NULL;
        struct etl_builder b;
        struct err err = {0};

        ASSERT_TRUE(pdb && dll);
        copy_data("pdb/arm64.pdb", "shapes.pdb");
        copy_data("pe/arm64.dll", "arm64.dll");
        begin(&b);
        etl_add_machine(&b, 1200, ETL_ARCHITECTURE_ARM64, "THINKPAD");
        etl_add_image(&b, ETL_IMAGE_RUNNING, 1300, PID, PROGRAM, 0x10000, "C:\\src\\shapes.exe");
        etl_add_pdb(&b, 1300, PID, PROGRAM, pdb_get_facts(pdb)->guid, pdb_get_facts(pdb)->age,
                    "C:\\src\\shapes.pdb");
        etl_add_image_of(&b, ETL_IMAGE_RUNNING, 1300, PID, LIBRARY, object_get_facts(dll)->image_size,
                         object_get_facts(dll)->time_stamp, "C:\\src\\arm64.dll");
        for (unsigned i = 0; i < 3; i++)
                etl_add_sample(&b, 2000 + i, TID, PROGRAM + 0x1054);
        etl_add_sample(&b, 2010, TID, PROGRAM + 0x100c);
        etl_add_sample(&b, 2011, TID, PROGRAM + 0x100c);
        etl_add_sample(&b, 2020, TID, LIBRARY + 0x1004);
        etl_save(&b, "etl-arm64.etl");
        report = report_make(&request, &err);
        if (!report)
                TAP_FAIL("%s", err.text);
        for (size_t i = 0; i < hot_n_rows(report->hot); i++) {
                const struct hot_row *row = hot_get_row(report->hot, i);

                buf_printf(&rows, "%s %u\n", hot_text(report->hot, row->symbol), (unsigned)row->count);
        }
        EXPECT_STR(buf_text(&rows), "start:shapes.exe 3\ngeometry::total:shapes.exe 2\nmain:arm64.dll 1\n");
}

/* --- Emulation --- */

static void save_bytes(const struct buf *bytes, const char *path)
{
        FILE *file = fopen(path, "wb");

        if (!file || fwrite(bytes->data, 1, bytes->len, file) != bytes->len || fclose(file))
                TAP_FAIL("%s", path);
}

/* An image with code of ARM64EC, ARM64 and x64, at 0x1000, 0x2000 and 0x3000; a program for x64; one whose
 * file is not here. */
static struct report *emulating_report(const char *path, uint16_t architecture)
{
        static const uint32_t parts[][2] = {{0x1001, 0x30}, {0x2000, 0x40}, {0x3002, 0x50}};
        static const char *const dirs[] = {".", NULL};
        const struct pe_places places = {.dirs = dirs};
        const struct resolver_sources sources = {.pe = &places};
        const struct report_request request = {
                .path = path, .sources = &sources, .keys = PROFILE_MODULE | PROFILE_MACHINE};
        AUTO_RELEASE(pe_builder) program = {0};
        AUTO_RELEASE(buf) bytes = {0};
        AUTO_RELEASE(buf) hybrid = {0};
        struct report *report;
        struct etl_builder b;
        struct err err = {0};

        buf_add_zeros(&program.code, 0x200);
        pe_build(&program, &bytes);
        save_bytes(&bytes, "plain.exe");
        pe_map_build(&hybrid, 3, parts);
        save_bytes(&hybrid, "hybrid.dll");
        begin(&b);
        etl_add_machine(&b, 1200, architecture, "THINKPAD");
        etl_add_image_of(&b, ETL_IMAGE_RUNNING, 1300, PID, PROGRAM, PE_IMAGE_BYTES, 0, "C:\\src\\plain.exe");
        etl_add_image_of(&b, ETL_IMAGE_RUNNING, 1300, PID, LIBRARY, PE_MAP_SECTION_RVA + PE_MAP_SECTION_BYTES,
                         0, "C:\\src\\hybrid.dll");
        etl_add_image(&b, ETL_IMAGE_RUNNING, 1300, PID, PROGRAM + 0x10000000, 0x10000, "C:\\src\\away.dll");
        for (unsigned i = 0; i < 3; i++)
                etl_add_sample(&b, 2000 + i, TID, PROGRAM + PE_CODE_RVA);
        etl_add_sample(&b, 2010, TID, LIBRARY + 0x1000);
        etl_add_sample(&b, 2011, TID, LIBRARY + 0x1008);
        etl_add_sample(&b, 2012, TID, LIBRARY + 0x2000);
        etl_add_sample(&b, 2013, TID, LIBRARY + 0x3000);
        etl_add_sample(&b, 2014, TID, PROGRAM + 0x10001000);
        etl_save(&b, path);
        report = report_make(&request, &err);
        if (!report)
                TAP_FAIL("%s", err.text);
        return report;
}

static void add_machines(const struct report *report, struct buf *out)
{
        for (size_t i = 0; i < hot_n_rows(report->hot); i++) {
                const struct hot_row *row = hot_get_row(report->hot, i);

                buf_printf(out, "%s %s %u\n", hot_text(report->hot, row->module),
                           hot_machine_text((enum exec_machine)row->machine), (unsigned)row->count);
        }
}

TEST(emulated_code_is_told)
{
        AUTO(report) report = emulating_report("emulated.etl", ETL_ARCHITECTURE_ARM64);
        AUTO_RELEASE(buf) rows = {0};

        add_machines(report, &rows);
        EXPECT_STR(buf_text(&rows), "plain.exe x64 emulated 3\nhybrid.dll ARM64EC 2\naway.dll  1\n"
                                    "hybrid.dll ARM64 1\nhybrid.dll x64 emulated 1\n");
        EXPECT_TRUE(report->events[0].emulation.x64 > 0.49 && report->events[0].emulation.x64 < 0.51);
        EXPECT_CMP(report->events[0].emulation.x86, ==, 0);
        EXPECT_STR(report->events[0].emulated_module, "plain.exe");
}

TEST(code_of_x64_is_not_emulated_on_x64)
{
        AUTO(report) report = emulating_report("not-emulated.etl", ETL_ARCHITECTURE_X64);
        AUTO_RELEASE(buf) rows = {0};

        add_machines(report, &rows);
        EXPECT_CONTAINS(buf_text(&rows), "plain.exe x64 3\n");
        EXPECT_TRUE(!report->events[0].emulated_module);
}

TAP_MAIN
