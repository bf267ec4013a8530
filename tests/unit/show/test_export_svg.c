/* SPDX-License-Identifier: BSD-3-Clause */
/* Flame graphs: positions and texts of frames, narrow frames, labels that fit, hostile names. */
#include "export_svg.h"

#include <stdlib.h>

#include "buf.h"
#include "export_builder.h"
#include "tap.h"
#include "text.h"

static const struct export_svg_options downwards = {0}, upwards = {.upwards = true};

/* The frames, without what stands around them. */
static void add_frames(const struct calltree *tree, const struct export_svg_options *options, struct buf *out)
{
        AUTO_RELEASE(buf) svg = {0};
        const char *begin, *end;

        export_svg(tree, &export_ordinary_about, options, &svg);
        begin = strstr(buf_text(&svg), "<g class=\"f\">\n");
        ASSERT_CMP(begin, !=, NULL);
        begin += strlen("<g class=\"f\">\n");
        end = strstr(begin, "\n</g>\n");
        ASSERT_CMP(end, !=, NULL);
        buf_add(out, begin, (size_t)(end + 1 - begin));
}

static struct calltree *small_tree(void)
{
        struct calltree *tree = calltree_new();

        ADD_PATH(tree, export_functions, 1, 250, PYTHON, WORK, SYSCALL);
        ADD_PATH(tree, export_functions, 2, 500, PYTHON, WORK, ADD);
        ADD_PATH(tree, export_functions, 1, 250, NOWHERE);
        calltree_finish(tree);
        return tree;
}

TEST(frames_stand_on_what_called_them)
{
        AUTO(calltree) tree = small_tree();
        AUTO_RELEASE(buf) out = {0};

        add_frames(tree, &upwards, &out);
        EXPECT_STR(buf_text(&out),
                   "<g><title>all\n4 samples, 100.00 %</title>"
                   "<rect class=\"p0\" x=\"10.00\" y=\"117\" width=\"1180.00\" height=\"16\"/>"
                   "<text x=\"13.00\" y=\"129\">all</text></g>\n"
                   "<g><title>python3\n3 samples, 75.00 %</title>"
                   "<rect class=\"p2\" x=\"10.00\" y=\"100\" width=\"885.00\" height=\"16\"/>"
                   "<text x=\"13.00\" y=\"112\">python3</text></g>\n"
                   "<g><title>work\npython3.11: 3 samples, 75.00 %</title>"
                   "<rect class=\"u0\" x=\"10.00\" y=\"83\" width=\"885.00\" height=\"16\"/>"
                   "<text x=\"13.00\" y=\"95\">work</text></g>\n"
                   "<g><title>add\npython3.11, inlined: 2 samples, 50.00 %; 2 of its own</title>"
                   "<rect class=\"i4\" x=\"10.00\" y=\"66\" width=\"590.00\" height=\"16\"/>"
                   "<text x=\"13.00\" y=\"78\">add</text></g>\n"
                   "<g><title>do_syscall_64\n[kernel]: 1 sample, 25.00 %; 1 of its own</title>"
                   "<rect class=\"k2\" x=\"600.00\" y=\"66\" width=\"295.00\" height=\"16\"/>"
                   "<text x=\"603.00\" y=\"78\">do_syscall_64</text></g>\n"
                   "<g><title>[unknown]\n1 sample, 25.00 %; 1 of its own</title>"
                   "<rect class=\"n1\" x=\"895.00\" y=\"100\" width=\"295.00\" height=\"16\"/>"
                   "<text x=\"898.00\" y=\"112\">[unknown]</text></g>\n");
}

TEST(or_hang_below_it)
{
        AUTO(calltree) tree = small_tree();
        AUTO_RELEASE(buf) out = {0};

        add_frames(tree, &downwards, &out);
        EXPECT_CONTAINS(buf_text(&out), "y=\"66\" width=\"1180.00\"");
        EXPECT_CONTAINS(buf_text(&out), "work\npython3.11: 3 samples, 75.00 %</title>");
        EXPECT_CONTAINS(buf_text(&out), "x=\"10.00\" y=\"100\" width=\"885.00\"");
}

/* Without options, and in a viewer without scripts. */
TEST(the_root_is_the_first_row)
{
        AUTO(calltree) tree = small_tree();
        AUTO_RELEASE(buf) down = {0};
        AUTO_RELEASE(buf) up = {0};

        export_svg(tree, &export_ordinary_about, &downwards, &down);
        EXPECT_CONTAINS(buf_text(&down), "<title>all\n4 samples, 100.00 %</title>"
                                         "<rect class=\"p0\" x=\"10.00\" y=\"66\" width=\"1180.00\"");
        EXPECT_TRUE(!strstr(buf_text(&down), "class=\"up\""));
        export_svg(tree, &export_ordinary_about, &upwards, &up);
        EXPECT_CONTAINS(buf_text(&up), "viewBox=\"0 0 1200 168\" class=\"up\">");
}

/* The status line shows names that do not fit into labels. */
TEST(whole_names_are_in_the_picture)
{
        static char name[3001];
        const struct calltree_function functions[] = {{.name = name}};
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) out = {0}, want = {0};

        memset(name, 'n', sizeof(name) - 1);
        ADD_PATH(tree, functions, 1, 1, 0);
        calltree_finish(tree);
        export_svg(tree, &export_ordinary_about, &downwards, &out);
        buf_printf(&want, "<title>%s\n", name);
        EXPECT_CONTAINS(buf_text(&out), buf_text(&want));
        EXPECT_CONTAINS(buf_text(&out), "<desc>wperf record -g -- python3 work.py</desc>");
}

TEST(the_same_bytes_each_time)
{
        AUTO(calltree) tree = export_ordinary();
        AUTO(calltree) again = export_ordinary();
        AUTO_RELEASE(buf) one = {0}, two = {0};

        export_svg(tree, &export_ordinary_about, &upwards, &one);
        export_svg(again, &export_ordinary_about, &upwards, &two);
        EXPECT_INT(one.len, two.len);
        EXPECT_TRUE(one.len && !memcmp(one.data, two.data, one.len));
        EXPECT_CONTAINS(buf_text(&one), "<title>cpu-clock:u: 100 samples</title>");
        EXPECT_CONTAINS(buf_text(&one), ">wperf record -g -- python3 work.py</text>");
        EXPECT_CONTAINS(buf_text(&one), "Widths are shares of the time.  wperf 1.2</text>");
}

/* 1/20000 of 1180 pixels is 0.06. */
TEST(what_is_too_narrow_is_counted)
{
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) out = {0};

        ADD_PATH(tree, export_functions, 1, 19996, PYTHON, MAIN);
        ADD_PATH(tree, export_functions, 1, 2, PYTHON, WORK);
        ADD_PATH(tree, export_functions, 1, 1, PYTHON, ADD, CARRY);
        ADD_PATH(tree, export_functions, 1, 1, PYTHON, OTHER_MAIN);
        calltree_finish(tree);
        export_svg(tree, &export_ordinary_about, &upwards, &out);
        EXPECT_CONTAINS(buf_text(&out),
                        "; 2 frames narrower than 0.1 pixel, together 0.01 %, are not drawn, nor their "
                        "callees.");
        EXPECT_CONTAINS(buf_text(&out), "<title>work\n");
        EXPECT_TRUE(!strstr(buf_text(&out), "<title>add\n"));
        EXPECT_TRUE(!strstr(buf_text(&out), "<title>carry\n"));
}

TEST(without_weights_widths_are_numbers_of_samples)
{
        AUTO(calltree) tree = calltree_new();
        AUTO(calltree) empty = calltree_new();
        AUTO_RELEASE(buf) out = {0};

        ADD_PATH(tree, export_functions, 3, 0, MAIN);
        ADD_PATH(tree, export_functions, 1, 0, WORK);
        calltree_finish(tree);
        export_svg(tree, &export_ordinary_about, &upwards, &out);
        EXPECT_CONTAINS(buf_text(&out), "width=\"885.00\"");
        EXPECT_CONTAINS(buf_text(&out), "Widths are shares of the samples.");
        calltree_finish(empty);
        buf_clear(&out);
        export_svg(empty, &export_ordinary_about, &upwards, &out);
        EXPECT_CONTAINS(buf_text(&out), "<title>all\n0 samples, 0.00 %</title>");
}

/* Sums near 2^64: positions increase, and the last frame ends where the root does. */
TEST(weights_of_any_size)
{
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) out = {0};

        ADD_PATH(tree, export_functions, 1, UINT64_C(1) << 62, MAIN);
        ADD_PATH(tree, export_functions, 1, UINT64_C(1) << 62, WORK);
        calltree_finish(tree);
        add_frames(tree, &upwards, &out);
        EXPECT_CONTAINS(buf_text(&out), "x=\"10.00\" y=\"66\" width=\"590.00\"");
        EXPECT_CONTAINS(buf_text(&out), "x=\"600.00\" y=\"66\" width=\"590.00\"");
        EXPECT_CONTAINS(buf_text(&out), "1 sample, 50.00 %");
}

/* The label of a function that is `share` thousandths of the picture. */
static void expect_label(const char *name, unsigned share, const char *label)
{
        const struct calltree_function functions[] = {{.name = name}, {.name = "rest"}};
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) out = {0}, want = {0};

        ADD_PATH(tree, functions, 1, share, 0);
        ADD_PATH(tree, functions, 1, 1000 - share, 1);
        calltree_finish(tree);
        add_frames(tree, &upwards, &out);
        buf_printf(&want, ">%s</text></g>\n", label);
        EXPECT_CONTAINS(buf_text(&out), buf_text(&want));
}

/* 1180 pixels are 162 characters of 7.23 pixels and the margins. */
TEST(labels_are_cut_to_fit)
{
        expect_label("evaluate", 60, "evaluate");
        expect_label("evaluate", 50, "evalu..");
        expect_label("evaluate", 24, "e..");
        expect_label("abc", 24, "abc");
        expect_label("a<b>&c", 40, "a&lt;b..");
        expect_label("\xc3\xa9t\xc3\xa9 \xc3\xa9t\xc3\xa9", 40, "\xc3\xa9t\xc3\xa9..");
        expect_label("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 40, "\xe6\x97\xa5..");
}

/* There is no text if there is no room for a letter and two dots. */
TEST(narrow_frames_have_no_label)
{
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) out = {0};

        ADD_PATH(tree, export_functions, 1, 980, WORK);
        ADD_PATH(tree, export_functions, 1, 20, SYSCALL);
        calltree_finish(tree);
        add_frames(tree, &upwards, &out);
        EXPECT_CONTAINS(buf_text(&out), "width=\"23.60\" height=\"16\"/></g>\n");
}

/* Names cannot open tags: each tag is one of the elements that wperf writes. */
TEST(hostile_names_open_and_close_nothing)
{
        static const char *const known[] = {"g>",      "/g>",      "title>",         "/title>",
                                            "rect ",   "text ",    "/text>",         "?xml ",
                                            "svg ",    "/svg>",    "style>",         "/style>",
                                            "script>", "/script>", "![CDATA[",       "g class=\"f\">",
                                            "desc>",   "/desc>",   "g class=\"s\">", "g class=\"l\">"};
        AUTO(calltree) tree = export_hostile();
        AUTO_RELEASE(buf) out = {0};
        const char *script;

        export_svg(tree, &export_hostile_about, &upwards, &out);
        script = strstr(buf_text(&out), "<script>");
        ASSERT_CMP(script, !=, NULL);
        out.data[script - out.data] = '\0';
        for (const char *at = out.data; *at; at++) {
                bool is_known = *at != '<';

                for (size_t i = 0; i < N_ELEMENTS(known) && !is_known; i++)
                        is_known = text_starts(at + 1, known[i]);
                EXPECT_TRUE(is_known);
                EXPECT_TRUE((unsigned char)*at >= 0x20 || *at == '\n');
                EXPECT_TRUE(!text_starts(at, "]]>") && !text_starts(at, "\xef\xbf\xbe"));
                EXPECT_TRUE(*at != '&' || text_starts(at, "&lt;") || text_starts(at, "&gt;") ||
                            text_starts(at, "&amp;") || text_starts(at, "&quot;"));
        }
        EXPECT_CMP(out.len, <, 32768);
        EXPECT_CONTAINS(out.data, "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&quot;'\n");
}

TEST(a_deep_stack)
{
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) out = {0};
        uint32_t at = CALLTREE_ROOT, function = calltree_add_function(tree, &export_functions[MAIN]);

        for (int i = 0; i < 2000; i++)
                at = calltree_add_child(tree, at, function);
        calltree_add(tree, at, 1, 1);
        calltree_finish(tree);
        export_svg(tree, &export_ordinary_about, &upwards, &out);
        /* 2001 rows of 17 pixels, 66 above and 34 below. */
        EXPECT_CONTAINS(buf_text(&out), "width=\"1200\" height=\"34117\"");
}

/* More is red, less is blue, by the largest difference. */
TEST(a_differential_graph_is_coloured_by_the_difference)
{
        AUTO(calltree) tree = small_tree();
        /* the whole, python3, work, the kernel, add, code without a name */
        double before[6] = {0};
        const struct export_svg_options options = {.before = before};
        AUTO_RELEASE(buf) out = {0};

        ASSERT_CMP(calltree_n_nodes(tree), ==, 6);
        for (uint32_t i = 0; i < 6; i++)
                before[i] = (double)calltree_get_node(tree, i)->weight;
        for (uint32_t i = 1; i < 6; i++) {
                const char *name = calltree_get_function(tree, calltree_get_node(tree, i)->function)->name;

                if (!strcmp(name, "add"))
                        before[i] = 100; /* now 500 */
                else if (!strcmp(name, "do_syscall_64"))
                        before[i] = 450; /* now 250 */
                else if (!strcmp(name, "work"))
                        before[i] = 0;
        }
        add_frames(tree, &options, &out);
        EXPECT_CONTAINS(
                buf_text(&out),
                "<g><title>all\n4 samples, 100.00 %; A 100.00 %; change +0.0 %</title><rect class=\"e0\"");
        EXPECT_CONTAINS(buf_text(&out), "2 of its own; A 10.00 %; change +400.0 %</title><rect class=\"a2\"");
        EXPECT_CONTAINS(buf_text(&out), "1 of its own; A 45.00 %; change -44.4 %</title><rect class=\"b1\"");
        EXPECT_CONTAINS(buf_text(&out), "3 samples, 75.00 %; A 0.00 %; only in B</title><rect class=\"a4\"");
}

TAP_MAIN
