/* SPDX-License-Identifier: BSD-3-Clause */
#include "aligned_lines.h"

#include "tap.h"

static struct aligned_lines *make(void)
{
        struct aligned_lines *lines = aligned_lines_new("rlnn");

        aligned_lines_add(lines, (const char *const[]){"before", "verdict", "", ""});
        aligned_lines_add(lines, (const char *const[]){"94 ms", "slower", "norm", "app.py"});
        aligned_lines_add_blank(lines);
        aligned_lines_add(lines,
                          (const char *const[]){"3 ms", "", "a_function_with_a_long_name", "x\x1b.py"});
        return lines;
}

TEST(cells_stand_below_each_other)
{
        AUTO(aligned_lines) lines = make();
        AUTO_RELEASE(buf) out = {0};

        aligned_lines_render(lines, 0, &out);
        EXPECT_STR(buf_text(&out), "before  verdict\n"
                                   " 94 ms  slower   norm                         app.py\n"
                                   "\n"
                                   "  3 ms           a_function_with_a_long_name  x\\x1b.py\n");
}

TEST(names_are_cut_to_the_screen)
{
        AUTO(aligned_lines) lines = make();
        AUTO_RELEASE(buf) out = {0};

        aligned_lines_render(lines, 40, &out);
        EXPECT_STR(buf_text(&out), "before  verdict\n"
                                   " 94 ms  slower   norm           app.py\n"
                                   "\n"
                                   "  3 ms           a_fun..._name  x\\x1b.py\n");
}

TEST(a_line_has_a_colour)
{
        AUTO(aligned_lines) lines = aligned_lines_new("l");
        AUTO_RELEASE(buf) out = {0};
        AUTO_RELEASE(buf) shown = {0};

        aligned_lines_add(lines, (const char *const[]){"plain"});
        aligned_lines_add(lines, (const char *const[]){"red"});
        aligned_lines_color(lines, TEXT_CODE_RED);
        aligned_lines_render(lines, 0, &out);
        EXPECT_STR(buf_text(&out), "plain\n\x1b[31mred\x1b[0m\n");
        /* With the key of a program the code is not that of the terminal yet, or it would be made visible. */
        text_code_set_key(1);
        buf_clear(&out);
        buf_clear(&shown);
        aligned_lines_render(lines, 0, &out);
        text_add_output(&shown, out.data, out.len);
        EXPECT_STR(buf_text(&shown), "plain\n\x1b[31mred\x1b[0m\n");
}

TAP_MAIN
