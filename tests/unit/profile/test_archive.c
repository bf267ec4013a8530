/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive.h"

#include <stdlib.h>

#include "annotate_session.h"
#include "map.h"
#include "perfdata_format.h"
#include "perfdata_rewrite.h"

static const char *const path = "test_archive.tmp.data";
static const char *const packed_path = "test_archive.tmp.packed";

static const struct samples_at samples[] = {{0x214, 5}, {0x259, 3}, {0x300, 1}, {0x260, 1}, {0}};

/* The session of `samples` of tests/data/dwarf/gcc5.so, written to `path`. */
static void write_session(void)
{
        report_free(report_of(path, "dwarf/gcc5.so", samples));
}

static bool archive(struct archive_request request, struct archive_result *ret, struct err *err)
{
        request.path = path;
        if (!request.max_bytes)
                request.max_bytes = ARCHIVE_DEFAULT_MAX_BYTES;
        return archive_make(&request, ret, err);
}

/* "5 square two.c:12 ..." of the rows by line of a session. */
static void list_rows(const char *session, struct buf *out)
{
        const struct report_request request = {
                .path = session, .keys = PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL | PROFILE_LINE};
        AUTO(report) report = report_make(&request, NULL);
        const struct hot *hot = report ? report->hot : NULL;

        buf_clear(out);
        for (size_t i = 0; hot && i < hot_n_rows(hot); i++) {
                const struct hot_row *row = hot_get_row(hot, i);

                buf_printf(out, "%d %s %s ", (int)row->count, hot_text(hot, row->symbol),
                           hot_text(hot, row->line));
        }
}

static void expect_same_rows(void)
{
        AUTO_RELEASE(buf) want = {0};
        AUTO_RELEASE(buf) got = {0};

        list_rows(path, &want);
        list_rows(packed_path, &got);
        EXPECT_CONTAINS(buf_text(&want), "two.c:");
        EXPECT_STR(buf_text(&got), buf_text(&want));
}

TEST(all_is_packed)
{
        AUTO_RELEASE(archive_result) result = {0};
        struct err err = {0};
        struct os_stat st;

        write_session();
        if (!archive((struct archive_request){.output = packed_path}, &result, &err))
                TAP_FAIL("%s", err.text);
        EXPECT_INT(result.n_modules, 1);
        EXPECT_CMP(result.n_functions, >=, 2);
        EXPECT_INT(result.n_whole, result.n_functions);
        EXPECT_TRUE(os_stat(path, &st) && st.size_bytes == result.bytes_before);
        EXPECT_TRUE(os_stat(packed_path, &st) && st.size_bytes == result.bytes_after);
        expect_same_rows();
}

/* The source is in a folder that the user names; it is used first. */
static void make_source(void)
{
        static const char *const names[] = {"one.c", "two.c", "shapes.h"};

        os_make_dir("test_archive.tmp.src", NULL);
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                AUTO_RELEASE(buf) name = {0};
                AUTO(os_file) file = NULL;

                buf_printf(&name, "test_archive.tmp.src/%s", names[i]);
                file = os_file_create(buf_text(&name), NULL);
                for (uint64_t line = 1; file && line < 100; line++) {
                        AUTO_RELEASE(buf) text = {0};

                        /* What does not pack well. */
                        for (uint64_t k = 0; k < 40; k++)
                                buf_printf(&text, "%llx",
                                           (unsigned long long)map_mix_fixed(line * 1000 + k + i * 1000000));
                        buf_add_char(&text, '\n');
                        EXPECT_TRUE(os_file_write(file, text.data, text.len, NULL));
                }
        }
}

TEST(source_goes_first_then_cold_functions)
{
        /* os_make_dir lets nobody else enter, so that root does not pack from there otherwise. */
        const struct resolver_sources sources = {.any_owner = true};
        struct archive_request request = {
                .output = packed_path, .source_folders = "test_archive.tmp.src", .sources = &sources};
        AUTO_RELEASE(archive_result) all = {0};
        AUTO_RELEASE(archive_result) some = {0};
        AUTO_RELEASE(archive_result) few = {0};
        AUTO_RELEASE(archive_result) none = {0};
        uint64_t grown;
        struct err err = {0};

        write_session();
        make_source();
        EXPECT_TRUE(archive(request, &all, &err));
        EXPECT_TRUE(all.n_source_files >= 1 && all.n_source_lines > 10 &&
                    !strstr(buf_text(&all.note), "left out"));
        request.max_bytes = all.bytes_after - all.bytes_before - 100;
        EXPECT_TRUE(archive(request, &some, &err));
        EXPECT_INT(some.n_source_lines, 0);
        EXPECT_INT(some.n_whole, some.n_functions);
        EXPECT_CONTAINS(buf_text(&some.note), " source lines were not packed");
        expect_same_rows();
        grown = some.bytes_after - some.bytes_before;
        request.max_bytes = grown - 100;
        EXPECT_TRUE(archive(request, &few, &err));
        EXPECT_CMP(few.n_whole, <, few.n_functions);
        EXPECT_CMP(few.bytes_after - few.bytes_before, <, grown);
        EXPECT_CONTAINS(buf_text(&few.note), " functions with the fewest samples were packed");
        expect_same_rows();
        request.max_bytes = 100;
        EXPECT_TRUE(!archive(request, &none, &err));
        EXPECT_INT(err.code, ERR_LIMIT);
        EXPECT_CONTAINS(err.text, "--max-size");
}

/* "0x211 0x220 7 ..." for the branches of a session, whose functions have only a range and no name. */
static void list_branches(const char *session, struct buf *out)
{
        const struct report_request request = {.path = session, .results = REPORT_BRANCHES};
        AUTO(report) report = report_make(&request, NULL);
        const struct branch_rows *rows = report ? report->branch_rows : NULL;

        for (size_t i = 0; rows && i < branch_rows_n(rows); i++) {
                const struct branch_row *row = branch_rows_get(rows, i);

                buf_printf(out, "%s %s %d ", branch_rows_text(rows, row->from),
                           branch_rows_text(rows, row->to), (int)row->count);
        }
}

/* Branches in functions without samples. */
TEST(names_of_branches)
{
        static const uint64_t chain[] = {PERF_CONTEXT_USER, SESSION_BASE + 0x300};
        static const uint64_t branches[][3] = {{SESSION_BASE + 0x214, SESSION_BASE + 0x259, 0},
                                               {SESSION_BASE + 0x260, SESSION_BASE + 0x214, 0}};
        AUTO_RELEASE(archive_result) result = {0};
        AUTO_RELEASE(buf) want = {0};
        AUTO_RELEASE(buf) got = {0};
        struct session_builder b;

        builder_init(&b);
        b.attrs[0].sample_type |= PERF_SAMPLE_BRANCH_STACK;
        builder_comm(&b, 1, SESSION_PID, SESSION_PID, "prog", true);
        builder_mmap(&b, 2, SESSION_PID, SESSION_BASE, 0x1000, 0, data_path("dwarf/gcc5.so"));
        builder_sample_branches(&b, 0, 1000, SESSION_PID, PERF_MISC_USER, chain, 2, branches, 2);
        report_free(report_of_built(path, &b));
        EXPECT_TRUE(archive((struct archive_request){.output = packed_path}, &result, NULL));
        EXPECT_INT(result.n_functions, 1);
        list_branches(path, &want);
        list_branches(packed_path, &got);
        EXPECT_STR(buf_text(&want), "0x211 0x220 1 0x220 0x211 1 ");
        EXPECT_STR(buf_text(&got), buf_text(&want));
}

/* --- Copies of stacks -------------------------------------------------------------------------------- */

enum { N_COPIES = 400, SAMPLE_ID = 11, REGS_SP_AND_IP = 3 << 7, COPY_BYTES = 16 };

/* An address that is not mapped, so that each walk has only its first frame; such walks do not compress
 * well. */
static uint64_t copied_pc(uint64_t i)
{
        return map_mix_fixed(i + 1) >> 16;
}

static void add_sample_with_copy(struct session_builder *b, uint64_t i)
{
        static const uint8_t stack[COPY_BYTES];

        builder_begin(b, PERF_RECORD_SAMPLE, PERF_MISC_USER);
        builder_u64(b, SAMPLE_ID);
        builder_u64(b, SESSION_BASE + samples[i % 4].addr);
        builder_u32(b, SESSION_PID);
        builder_u32(b, SESSION_PID);
        builder_u64(b, 1000 + i);
        builder_u64(b, 0); /* CPU */
        builder_u64(b, 1); /* period */
        builder_u64(b, 0); /* no chain */
        builder_u64(b, PERF_SAMPLE_REGS_ABI_64);
        builder_u64(b, 0x7fff0000);
        builder_u64(b, copied_pc(i));
        builder_u64(b, COPY_BYTES);
        builder_bytes(b, stack, COPY_BYTES);
        builder_u64(b, COPY_BYTES);
        builder_end(b);
}

static void write_session_with_copies(void)
{
        struct session_builder b;

        builder_init(&b);
        b.attrs[0].sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        b.attrs[0].sample_regs_user = REGS_SP_AND_IP;
        b.attrs[0].sample_stack_user = COPY_BYTES;
        builder_feature_str(&b, FEATURE_ARCH, "x86_64");
        builder_comm(&b, 1, SESSION_PID, SESSION_PID, "prog", true);
        builder_mmap(&b, 2, SESSION_PID, SESSION_BASE, 0x1000, 0, data_path("dwarf/gcc5.so"));
        for (uint64_t i = 0; i < N_COPIES; i++)
                add_sample_with_copy(&b, i);
        report_free(report_of_built(path, &b));
}

/* The number of stacks of the session that are the packed walks, each the first frame of its copy. */
static size_t count_walks(const char *session)
{
        AUTO(session_input) input = session_input_open(session, (struct session_access){0}, NULL);
        AUTO(stack_archive) walks = NULL;
        struct walked_frame frame;
        size_t n = 0;

        if (input)
                walks = stack_archive_open(perfdata_feature(input->reader, FEATURE_WPERF_WALKS),
                                           UNWIND_N_WAYS, UNWIND_N_ENDS, NULL, NULL);
        for (size_t i = 0; walks && i < N_COPIES; i++) {
                const struct archived_walk *walk = stack_archive_find(walks, i);

                n += walk && stack_archive_frames(walks, walk, &frame, 1) && frame.pc == copied_pc(i);
        }
        return n;
}

TEST(stacks_are_packed)
{
        AUTO_RELEASE(archive_result) result = {0};
        AUTO_RELEASE(archive_result) in_place = {0};
        AUTO_RELEASE(archive_result) again = {0};

        write_session_with_copies();
        EXPECT_TRUE(archive((struct archive_request){.output = packed_path}, &result, NULL));
        EXPECT_INT(result.n_stacks, N_COPIES);
        EXPECT_INT(count_walks(packed_path), N_COPIES);
        expect_same_rows();
        EXPECT_TRUE(archive((struct archive_request){0}, &in_place, NULL));
        EXPECT_TRUE(archive((struct archive_request){0}, &again, NULL));
        EXPECT_INT(again.bytes_after, in_place.bytes_after);
        EXPECT_INT(count_walks(path), N_COPIES);
}

/* Packs a walk of the second sample with this end, and reports it. */
static struct report *report_packed(uint8_t end)
{
        static const struct walked_frame packed[] = {{SESSION_BASE + 0x214, UNWIND_WAY_REGS, true},
                                                     {SESSION_BASE + 0x259, UNWIND_WAY_PE, false},
                                                     {SESSION_BASE + 0x260, UNWIND_WAY_SIGNAL, true}};
        struct report_request request = {.path = path, .results = REPORT_STACKS};
        AUTO(stack_archive_writer) writer = stack_archive_writer_new();
        AUTO(session_input) input = NULL;
        AUTO_RELEASE(buf) section = {0};
        AUTO_RELEASE(buf) made = {0};
        struct perfdata_section sections[] = {{FEATURE_WPERF_WALKS}};
        uint64_t size;

        write_session_with_copies();
        stack_archive_add(writer, 1, packed, 3, end);
        if (!stack_archive_write(writer, &section, NULL))
                return NULL;
        sections[0].bytes = section.data;
        sections[0].size = section.len;
        input = session_input_open(path, (struct session_access){0}, NULL);
        if (!input || !perfdata_rewrite(input->reader, path, sections, 1, &made, &size, NULL))
                return NULL;
        session_input_free(TAKE(input));
        return perfdata_rewrite_put(buf_text(&made), path, false, NULL) ? report_make(&request, NULL) : NULL;
}

/* It is used unchanged, although the files would give another result. */
TEST(packed_walks_come_before_files)
{
        AUTO(report) report = report_packed(UNWIND_END_OUTERMOST);

        ASSERT_TRUE(report && report->ways.any);
        EXPECT_INT(report->ways.by_way[UNWIND_WAY_REGS], N_COPIES);
        EXPECT_INT(report->ways.by_way[UNWIND_WAY_PE], 1);
        EXPECT_INT(report->ways.by_way[UNWIND_WAY_SIGNAL], 1);
        EXPECT_INT(report->quality.n_cut_stacks, N_COPIES - 1);
}

/* A later version packed it with an unknown end. */
TEST(packed_walks_of_a_later_version_are_taken)
{
        AUTO(report) report = report_packed(UNWIND_N_ENDS + 20);

        ASSERT_TRUE(report && report->ways.any);
        EXPECT_INT(report->ways.by_way[UNWIND_WAY_PE], 1);
        EXPECT_INT(report->quality.n_cut_stacks, N_COPIES);
        EXPECT_INT(report->quality.cut_by[QUALITY_CUT_UNKNOWN], 1);
}

/* What is left out: functions first, then stacks, then everything. */
TEST(stacks_go_before_names)
{
        bool were_packed = false, were_left_out = false;

        write_session_with_copies();
        for (uint64_t max_bytes = 1 << 16; !were_left_out && max_bytes; max_bytes -= max_bytes / 8 + 1) {
                AUTO_RELEASE(archive_result) result = {0};

                if (!archive((struct archive_request){.output = packed_path, .max_bytes = max_bytes}, &result,
                             NULL))
                        break;
                EXPECT_CMP(result.bytes_after - result.bytes_before, <, max_bytes + 64);
                EXPECT_INT(count_walks(packed_path), result.n_stacks);
                were_packed |= result.n_stacks == N_COPIES;
                were_left_out = !result.n_stacks;
                EXPECT_CMP(were_left_out, ==,
                           !!strstr(buf_text(&result.note), "400 unwound stacks were not packed"));
                expect_same_rows();
        }
        EXPECT_TRUE(were_packed && were_left_out);
}

TEST(a_limit_that_refuses_leaves_the_session)
{
        AUTO_RELEASE(archive_result) result = {0};
        AUTO_RELEASE(buf) before = {0};
        AUTO_RELEASE(buf) after = {0};

        write_session();
        EXPECT_TRUE(os_read_file(path, 1 << 20, &before, NULL));
        EXPECT_TRUE(!archive((struct archive_request){.max_bytes = 1}, &result, NULL));
        EXPECT_TRUE(os_read_file(path, 1 << 20, &after, NULL));
        EXPECT_TRUE(before.len == after.len && !memcmp(before.data, after.data, after.len));
}

TEST(in_its_place_and_again)
{
        AUTO_RELEASE(archive_result) first = {0};
        AUTO_RELEASE(archive_result) second = {0};
        AUTO_RELEASE(buf) want = {0};
        AUTO_RELEASE(buf) got = {0};

        write_session();
        list_rows(path, &want);
        EXPECT_TRUE(archive((struct archive_request){0}, &first, NULL));
        EXPECT_TRUE(archive((struct archive_request){0}, &second, NULL));
        EXPECT_INT(second.bytes_before, first.bytes_after);
        EXPECT_INT(second.bytes_after, first.bytes_after);
        list_rows(path, &got);
        EXPECT_STR(buf_text(&got), buf_text(&want));
}

TAP_MAIN
