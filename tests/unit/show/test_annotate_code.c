/* SPDX-License-Identifier: BSD-3-Clause */
/* The annotated views of a small function with its instructions, as text and as JSON. */
#include "annotate_session.h"
#include "annotate_view.h"
#include "disasm.h"
#include "json_check.h"

static const struct samples_at in_scaled[] = {{0x224, 1}, {0x23d, 3}, {0x254, 2}, {0x26a, 2}, {0, 0}};

/* Provides only line 22 of each file. */
static const char *line_of(void *ctx, const char *path, uint32_t line)
{
        (void)ctx;
        (void)path;
        return line == 22 ? "\treturn 1;\tx" : NULL;
}

static const char *note_of(void *ctx, const char *path)
{
        (void)ctx;
        (void)path;
        return "is not here";
}

static struct annotate_view view_of(const struct annotation *a)
{
        struct annotated f = annotation_get(a, 0);

        return (struct annotate_view){
                .function = "scaled:gcc5.so",
                .event = "cpu-clock",
                .skid = "possible",
                .event_count = 16,
                .event_weight = 2 * annotate_weight(f.annotate),
                .count = annotate_count(f.annotate),
                .weight = annotate_weight(f.annotate),
                .code_note = f.code_note,
                .max_rows = 50,
                .annotate = f.annotate,
                .texts = {.line = line_of, .note = note_of},
        };
}

/* Without libLLVM the instructions are shown as bytes. */
#define SCALED_OR_SKIP(report, a, path)                                                                      \
        AUTO(disasm) llvm = disasm_open(DISASM_X86_64, DISASM_ATT, NULL);                                    \
        if (!llvm)                                                                                           \
                SKIP("libLLVM");                                                                             \
        AUTO(report) report = report_of(path, "dwarf/gcc5.so", in_scaled);                                   \
        AUTO(annotation)                                                                                     \
        a = annotation_new(report, &(struct annotation_request){.max_functions = 1, .with_code = true},      \
                           NULL);                                                                            \
        ASSERT_TRUE(a)

static const char scaled_code[] = "  % func  count\n"
                                  "                  shapes.h:24 [distance]\n"
                                  "                  220  movl   0x8(%rdi), %r10d\n"
                                  "   12.50      1   224  movl   0xc(%rdi), %r9d\n"
                                  "                  228  leaq   0x20(%rdi), %rdx\n"
                                  "                  shapes.h:31 [longest]\n"
                                  "                  22c  xorl   %esi, %esi\n"
                                  "                  22e  leaq   0x80(%rdi), %r8\n"
                                  "                  shapes.h:24 [distance]\n"
                                  "                ,>235  movl   %r10d, %eax\n"
                                  "                | 238  movl   %r9d, %ecx\n"
                                  "                | 23b  subl   (%rdx), %eax\n"
                                  "   37.50      3 | 23d  subl   0x4(%rdx), %ecx\n"
                                  "                | shapes.h:26 [distance]\n"
                                  "                | 240  imull  %eax, %eax\n"
                                  "                | 243  imull  %ecx, %ecx\n"
                                  "                | 246  addl   %ecx, %eax\n"
                                  "                | 248  cmpl   %eax, %esi\n"
                                  "                | 24a  cmovll %eax, %esi\n"
                                  "                | shapes.h:33 [longest]\n"
                                  "                | 24d  addq   $0x18, %rdx\n"
                                  "                | 251  cmpq   %rdx, %r8\n"
                                  "   25.00      2 '-254  jne    0x235\n"
                                  "                  shapes.h:24 [distance]\n"
                                  "                  256  movl   0x20(%rdi), %eax\n"
                                  "                  259  movl   0x24(%rdi), %edx\n"
                                  "                  25c  subl   0x38(%rdi), %eax\n"
                                  "                  25f  subl   0x3c(%rdi), %edx\n"
                                  "                  shapes.h:26 [distance]\n"
                                  "                  262  imull  %eax, %eax\n"
                                  "                  265  imull  %edx, %edx\n"
                                  "                  268  addl   %edx, %eax\n"
                                  "                  one.c:22  return 1;       x\n"
                                  "   25.00      2   26a  leal   (%rax,%rsi,2), %eax\n"
                                  "                  one.c:23\n"
                                  "                  26d  retq\n";

TEST(instructions_under_their_lines_with_arrows)
{
        SCALED_OR_SKIP(report, a, "annotate-c1.data");
        struct annotate_view view = view_of(a);
        struct buf out = {0};

        annotate_view_code(&view, &out);
        EXPECT_STR(buf_text(&out), scaled_code);
        buf_clear(&out);
        view.max_columns = 30;
        annotate_view_code(&view, &out);
        EXPECT_CONTAINS(buf_text(&out), "\n                  220  movl...\n");
        buf_release(&out);
}

TEST(lines_are_files_in_their_order)
{
        SCALED_OR_SKIP(report, a, "annotate-c2.data");
        struct annotate_view view = view_of(a);
        struct annotate_rows rows;
        struct buf out = {0};

        ASSERT_TRUE(annotate_group(annotation_get(a, 0).annotate, ANNOTATE_LINE, &rows, NULL));
        annotate_view_source(&view, &rows, &out);
        EXPECT_STR(buf_text(&out), "/src/shapes.h (is not here)\n"
                                   " % func   % all  count   line\n"
                                   "                           22          return 1;       x\n"
                                   "  50.00   25.00      4     24  [distance]\n"
                                   "                          ...\n"
                                   "  25.00   12.50      2     33  [longest]\n"
                                   "\n"
                                   "/src/one.c (is not here)\n"
                                   " % func   % all  count   line\n"
                                   "  25.00   12.50      2     22          return 1;       x\n");
        annotate_rows_release(&rows);
        buf_release(&out);
}

TEST(blocks_add_up)
{
        SCALED_OR_SKIP(report, a, "annotate-c3.data");
        struct annotate_view view = view_of(a);
        struct annotate_rows rows;
        struct buf out = {0};

        ASSERT_TRUE(annotate_group(annotation_get(a, 0).annotate, ANNOTATE_BLOCK, &rows, NULL));
        annotate_view_rows(&view, ANNOTATE_BLOCK, &rows, &out);
        EXPECT_STR(buf_text(&out),
                   "        % of function  % of all  count  block    start    end\n"
                   "        =============  ========  =====  =====    =====    ===\n"
                   "                62.50     31.25      5  block 2  0x235  0x256\n"
                   "                25.00     12.50      2  block 3  0x256  0x26e\n"
                   "                12.50      6.25      1  block 1  0x220  0x235\n"
                   "               100.00%    50.00%     8                  top 3 of 3 in total\n");
        annotate_rows_release(&rows);
        buf_release(&out);
}

TEST(windowsperfs_tables)
{
        SCALED_OR_SKIP(report, a, "annotate-c4.data");
        struct annotate_view view = view_of(a);
        struct buf out = {0};

        annotate_view_windowsperf(&view, false, &out);
        EXPECT_STR(buf_text(&out), "scaled:gcc5.so\n"
                                   "        line_number  hits  filename\n"
                                   "        ===========  ====  ========\n"
                                   "                 24     4  /src/shapes.h\n"
                                   "                 22     2  /src/one.c\n"
                                   "                 33     2  /src/shapes.h\n");
        annotate_view_windowsperf(&view, true, &out);
        EXPECT_CONTAINS(buf_text(&out), "        33 /src/shapes.h: instruction_address 0x254, hits 2\n"
                                        "        address  instruction\n"
                                        "        =======  ===========\n"
                                        "          0x24d  addq   $0x18, %rdx\n"
                                        "          0x251  cmpq   %rdx, %r8\n"
                                        "          0x254  jne    0x235\n");
        buf_release(&out);
}

TEST(json_in_windowsperfs_shape)
{
        SCALED_OR_SKIP(report, a, "annotate-c5.data");
        struct annotate_view view = view_of(a);
        struct buf out = {0};
        struct json json;

        view.is_extended = true;
        json_init(&json, &out);
        json_begin_object(&json);
        annotate_view_json(&view, true, &json);
        json_end_object(&json);
        EXPECT_TRUE(json_check(buf_text(&out)));
        EXPECT_CONTAINS(
                buf_text(&out),
                "{\"line_number\":33,\"hits\":2,\"filename\":\"/src/shapes.h\",\"share_of_function\":25.00,"
                "\"share_of_all\":12.50,\"inlined_function\":\"longest\",\"instruction_address\":\"254\","
                "\"disassembled_line\":{\"disassemble\":[{\"address\":\"24d\",\"instruction\":\"addq   $0x18, "
                "%rdx\",\"hits\":0},");
        buf_release(&out);
}

/* Code without lines: an instruction is nobody's neighbour. */
TEST(code_without_debug_information)
{
        AUTO(report)
        report = report_of("annotate-c6.data", "elf/names-arm64.so",
                           (const struct samples_at[]){{0x580, 1}, {0x584, 2}, {0, 0}});
        AUTO(annotation)
        a = annotation_new(report, &(struct annotation_request){.max_functions = 1, .with_code = true}, NULL);
        struct annotate_view view;
        struct buf out = {0};

        ASSERT_TRUE(a);
        if (!annotation_get(a, 0).code->n_insns)
                SKIP("libLLVM");
        view = view_of(a);
        annotate_view_windowsperf(&view, true, &out);
        EXPECT_CONTAINS(buf_text(&out), "                  0     3  unknown\n"
                                        "        0 unknown: instruction_address 0x584, hits 2\n"
                                        "        address  instruction\n"
                                        "        =======  ===========\n"
                                        "          0x584  ");
        EXPECT_CONTAINS(buf_text(&out), "\n        0 unknown: instruction_address 0x580, hits 1\n"
                                        "        address  instruction\n"
                                        "        =======  ===========\n"
                                        "          0x580  ");
        EXPECT_TRUE(!strstr(buf_text(&out), "0x588"));
        /* Editors open the file of each entry: without a file there is none, unless everything is wanted. */
        for (unsigned extended = 0; extended < 2; extended++) {
                struct json json;

                buf_clear(&out);
                view.is_extended = extended;
                json_init(&json, &out);
                json_begin_object(&json);
                annotate_view_json(&view, true, &json);
                json_end_object(&json);
                EXPECT_TRUE(json_check(buf_text(&out)));
                EXPECT_INT(strstr(buf_text(&out), "\"filename\"") != NULL, extended);
                EXPECT_INT(strstr(buf_text(&out), "\"source_code\":[]") != NULL, !extended);
        }
        buf_release(&out);
}

TEST(the_last_line_that_there_can_be)
{
        SCALED_OR_SKIP(report, a, "annotate-c7.data");
        struct annotate_view view = view_of(a);
        struct annotate_row row = {
                .name = "", .path = "/src/x.c", .line = UINT32_MAX - 1, .count = 1, .weight = 1};
        const struct annotate_rows rows = {.rows = &row, .n_rows = 1};
        struct buf out = {0};

        annotate_view_source(&view, &rows, &out);
        EXPECT_CONTAINS(buf_text(&out), " 4294967294\n");
        buf_release(&out);
}

TAP_MAIN
