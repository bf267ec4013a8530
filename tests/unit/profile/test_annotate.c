/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of small programs, summed up by lines, blocks and inlined functions; without code, so that LLVM
 * is not needed.  The programs have names only in their debug information, so rows are named by the start
 * of their function. */
#include "annotate_session.h"

#include <inttypes.h>

#include "buf.h"
#include "err.h"
#include "text.h"

static struct annotation *annotation_of(struct report *report, const char *symbol)
{
        struct err err = {0};
        struct annotation *a = annotation_new(
                report, &(struct annotation_request){.symbol = symbol, .max_functions = 10}, &err);

        if (!a)
                TAP_FAIL("%s", err.text);
        return a;
}

/* "NAME COUNT/ITSELF xCOPIES PATH:LINE; ..." with those parts that a row has. */
static void add_rows(const struct annotate *annotate, enum annotate_by by, struct buf *out)
{
        struct annotate_rows rows;
        struct err err = {0};

        buf_clear(out);
        if (!annotate_group(annotate, by, &rows, &err))
                buf_add_str(out, err.text);
        for (size_t i = 0; !err.code && i < rows.n_rows; i++) {
                const struct annotate_row *row = &rows.rows[i];

                buf_printf(out, "%s%s %" PRIu64, i ? "; " : "", row->name, row->whole_count);
                if (row->count != row->whole_count)
                        buf_printf(out, "/%" PRIu64, row->count);
                if (row->n_places)
                        buf_printf(out, " x%zu", row->n_places);
                if (row->function)
                        buf_printf(out, " [%s]", row->function);
                if (row->path)
                        buf_printf(out, " %s:%u", text_base_name(row->path), row->line);
        }
        annotate_rows_release(&rows);
}

static void expect_rows(const struct annotate *annotate, enum annotate_by by, const char *want)
{
        struct buf text = {0};

        add_rows(annotate, by, &text);
        EXPECT_STR(buf_text(&text), want);
        buf_release(&text);
}

static const struct samples_at in_shapes[] = {{0x224, 2}, {0x225, 1}, {0x22c, 2},
                                              {0x26a, 1}, {0x28b, 1}, {0, 0}};

TEST(functions_and_what_was_inlined_into_them)
{
        AUTO(report) report = report_of("annotate-1.data", "dwarf/gcc5.so", in_shapes);
        AUTO(annotation) a = annotation_of(report, NULL);
        struct annotated f;

        ASSERT_TRUE(report && a);
        ASSERT_CMP(annotation_n_functions(a), ==, 1);
        f = annotation_get(a, 0);
        EXPECT_INT(annotate_count(f.annotate), 6);
        EXPECT_INT(annotate_n_points(f.annotate), 4);
        EXPECT_INT(f.code->n_insns, 0);
        expect_rows(f.annotate, ANNOTATE_FUNCTION, "distance 3; longest 2; scaled 1");
        expect_rows(f.annotate, ANNOTATE_INLINED, "longest 5/2 x1; distance 3 x1");
        expect_rows(f.annotate, ANNOTATE_LINE,
                    " 3 [distance] shapes.h:24;  2 [longest] shapes.h:31;  1 one.c:22");
        expect_rows(f.annotate, ANNOTATE_INSTRUCTION, " 2;  2;  1;  1");
        expect_rows(
                f.annotate, ANNOTATE_BLOCK,
                "no basic blocks: the code is not available on this machine; give the folder of the program's file with "
                "--symfs, or run wperf archive where it was recorded");
        expect_rows(f.annotate, ANNOTATE_HANDLER,
                    "debug information shows no labels in the function, so its handlers can't be found");
}

TEST(inlined_functions_of_a_session)
{
        AUTO(report) report = report_of("annotate-2.data", "dwarf/gcc5.so", in_shapes);
        AUTO(annotate) whole = NULL;

        ASSERT_TRUE(report);
        whole = annotation_whole(report, 0);
        EXPECT_INT(annotate_count(whole), 7);
        expect_rows(whole, ANNOTATE_INLINED, "longest 6/2 x2; distance 4 x2");
        expect_rows(whole, ANNOTATE_FUNCTION, "distance 4; longest 2; scaled 1");
}

TEST(handlers_by_the_addresses_of_their_labels)
{
        static const struct samples_at samples[] = {{0x264, 1}, {0x29d, 1}, {0x2d3, 2}, {0x2d5, 2},
                                                    {0x340, 2}, {0x38b, 1}, {0x230, 9}, {0, 0}};
        AUTO(report) report = report_of("annotate-3.data", "dwarf/labels0.so", samples);
        AUTO(annotation) a = annotation_of(report, "0x263");

        ASSERT_TRUE(report && a && annotation_n_functions(a) == 1);
        EXPECT_INT(annotate_count(annotation_get(a, 0).annotate), 9);
        expect_rows(annotation_get(a, 0).annotate, ANNOTATE_HANDLER,
                    "TARGET_PUSH 4 labels.c:39; (before the first label) 2; TARGET_ADD 2 labels.c:47; "
                    "unreachable 1 labels.c:55");
}

/* Labels whose address the optimiser kept: 0x208 43, 0x254 30, 0x2d5 56, 0x300 50. */
TEST(handlers_by_lines_where_labels_lost_their_addresses)
{
        static const struct samples_at samples[] = {{0x208, 1}, {0x254, 1}, {0x2d5, 1}, {0x300, 2}, {0, 0}};
        AUTO(report) report = report_of("annotate-4.data", "dwarf/labels2.so", samples);
        AUTO(annotation) a = annotation_of(report, "^0x25");
        struct annotate_rows rows;

        ASSERT_TRUE(report && a && annotation_n_functions(a) == 1);
        EXPECT_INT(annotate_count(annotation_get(a, 0).annotate), 5);
        expect_rows(annotation_get(a, 0).annotate, ANNOTATE_HANDLER,
                    "TARGET_ADD 2 labels.c:47; (before the first label) 1; overflow 1 labels.c:41; "
                    "unreachable 1 labels.c:55");
        ASSERT_TRUE(annotate_group(annotation_get(a, 0).annotate, ANNOTATE_HANDLER, &rows, NULL));
        EXPECT_TRUE(rows.handlers_by_line);
        annotate_rows_release(&rows);
}

static void expect_none(const char *symbol, const char *want)
{
        AUTO(report)
        report = report_of("annotate-5.data", "dwarf/labels0.so",
                           (const struct samples_at[]){{0x2d5, 1}, {0x230, 1}, {0, 0}});
        struct err err = {0};
        AUTO(annotation)
        a = annotation_new(report, &(struct annotation_request){.symbol = symbol, .max_functions = 10}, &err);

        EXPECT_TRUE(!a);
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_STR(err.text, want);
}

TEST(a_function_without_samples_is_told)
{
        expect_none("0x264", "no function '0x264' has samples; did you mean '0x263'?");
        expect_none("printf_like_name", "no function 'printf_like_name' has samples");
}

TEST(an_inlined_function_is_told_with_where_it_is)
{
        AUTO(report) report = report_of("annotate-6.data", "dwarf/gcc5.so", in_shapes);
        struct err err = {0};
        AUTO(annotation)
        a = annotation_new(report, &(struct annotation_request){.symbol = "longest", .max_functions = 10},
                           &err);

        EXPECT_TRUE(!a);
        EXPECT_STR(err.text,
                   "'longest' is always inlined, mostly into 'scaled': annotate that function, or sum "
                   "up all copies with wperf annotate --by inlined");
}

TEST(each_function_is_annotated_once)
{
        static const struct samples_at samples[] = {{0x208, 1}, {0x2d5, 1}, {0x230, 1}, {0, 0}};
        AUTO(report) report = report_of("annotate-7.data", "dwarf/labels2.so", samples);
        struct err err = {0};
        AUTO(annotation)
        a = annotation_new(report, &(struct annotation_request){.all = true, .max_functions = 10}, &err);

        ASSERT_TRUE(report && a);
        EXPECT_INT(annotation_n_functions(a), 2);
}

static void copy_file(const char *from, const char *to)
{
        AUTO_RELEASE(buf) bytes = {0};
        struct os_file *file = os_file_create(to, NULL);

        EXPECT_TRUE(os_read_file(from, 1 << 20, &bytes, NULL));
        EXPECT_TRUE(file && os_file_write(file, bytes.data, bytes.len, NULL) && os_file_close(file, NULL));
}

/* Three samples of `scaled` in a file, two in its copy elsewhere. */
static struct report *report_of_two(const char *path)
{
        struct session_builder b;

        copy_file(data_path("dwarf/gcc5.so"), "gcc5.so");
        builder_init(&b);
        builder_comm(&b, 1, SESSION_PID, SESSION_PID, "prog", true);
        builder_mmap(&b, 2, SESSION_PID, SESSION_BASE, 0x1000, 0, data_path("dwarf/gcc5.so"));
        builder_mmap(&b, 2, SESSION_PID, 2 * SESSION_BASE, 0x1000, 0, "gcc5.so");
        for (uint64_t i = 0; i < 5; i++)
                builder_sample_ip(&b, 1000 + i, SESSION_PID, SESSION_PID,
                                  (i < 3 ? 1 : 2) * SESSION_BASE + 0x26a);
        return report_of_built(path, &b);
}

/* Two files with the same name are one row, and two functions. */
TEST(files_of_the_same_name_are_annotated_each)
{
        AUTO(report) report = report_of_two("annotate-8.data");
        struct err err = {0};
        AUTO(annotation)
        a = annotation_new(report, &(struct annotation_request){.max_functions = 10}, &err);

        ASSERT_TRUE(report && a);
        EXPECT_INT(hot_n_rows(report->hot), 1);
        ASSERT_CMP(annotation_n_functions(a), ==, 2);
        EXPECT_TRUE(annotation_get(a, 0).shares_row && annotation_get(a, 1).shares_row);
        EXPECT_INT(annotate_count(annotation_get(a, 0).annotate) +
                           annotate_count(annotation_get(a, 1).annotate),
                   5);
        EXPECT_CMP(strcmp(annotation_get(a, 0).path, annotation_get(a, 1).path), !=, 0);
}

TAP_MAIN
