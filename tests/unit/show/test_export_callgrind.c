/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles of Callgrind: lines, calls, recursion, code of other files, and texts that would break a line. */
#include "export_callgrind.h"

#include <string.h>

#include "buf.h"
#include "export_builder.h"
#include "tap.h"

TEST(functions_lines_and_calls)
{
        AUTO(calltree) tree = export_ordinary();
        AUTO_RELEASE(buf) out = {0};

        export_callgrind(tree, &export_ordinary_about, &out);
        EXPECT_STR(
                buf_text(&out),
                "# callgrind format\nversion: 1\ncreator: wperf 1.2\ncmd: wperf record -g -- python3 work.py\n"
                "positions: line\nevent: cpu_clock_u : cpu-clock:u in ns\nevent: samples : samples\n"
                "events: cpu_clock_u samples\nsummary: 10000 100\n"
                "\nob=(1) ???\nfl=(1) ???\nfn=(1) [unknown]\n0 100 1\n"
                "\nob=(1)\nfl=(1)\nfn=(2) python3 (process)\n0 0 0\n"
                "cob=(6) /usr/bin/python3.11\ncfi=(4) /src/work.c\ncfn=(3) main\ncalls=85 10\n0 8500 85\n"
                "cob=(1)\ncfn=(8) [cut]\ncalls=5 0\n0 500 5\n"
                "\nob=(6)\nfl=(4)\nfn=(3)\n10 200 2\n"
                "cob=(6)\ncfn=(4) work\ncalls=85 20\n10 8500 85\n"
                "\nob=(6)\nfl=(4)\nfn=(4)\n20 4700 47\n"
                "cob=(6)\ncfn=(4)\ncalls=1 20\n20 0 0\n"
                "cob=(6)\ncfn=(5) add\ncalls=38 30\n20 3800 38\n"
                "\nob=(6)\nfl=(4)\nfn=(5)\n30 1000 10\n"
                "cob=(6)\ncfn=(6) carry\ncalls=28 40\n30 2800 28\n"
                "\nob=(6)\nfl=(4)\nfn=(6)\n40 2000 20\n"
                "cob=(11) [kernel.kallsyms]\ncfi=(1)\ncfn=(7) do_syscall_64\ncalls=8 0\n40 800 8\n"
                "\nob=(11)\nfl=(1)\nfn=(7)\n0 800 8\n"
                "\nob=(1)\nfl=(1)\nfn=(8)\n0 0 0\n"
                "cob=(14) /usr/lib/libc.so.6\ncfn=(9) [libc.so.6]\ncalls=5 0\n0 500 5\n"
                "\nob=(14)\nfl=(1)\nfn=(9)\n0 0 0\n"
                "cob=(14)\ncfn=(10) [libc.so.6+0x1f00]\ncalls=5 0\n0 500 5\n"
                "\nob=(14)\nfl=(1)\nfn=(10)\n0 500 5\n"
                "\nob=(1)\nfl=(1)\nfn=(11) Thread 1 (process)\n0 400 4\n"
                "cob=(6)\ncfi=(4)\ncfn=(3)\ncalls=2 10\n0 200 2\n"
                "cob=(14)\ncfn=(12) main\ncalls=3 0\n0 300 3\n"
                "\nob=(14)\nfl=(1)\nfn=(12)\n0 300 3\n");
}

/* What follows the head. */
static void expect_body(const struct calltree *tree, const char *expected)
{
        AUTO_RELEASE(buf) out = {0};
        const char *body;

        export_callgrind(tree, &(struct export_about){.event = "cycles"}, &out);
        body = strstr(buf_text(&out), "\n\n");
        ASSERT_TRUE(body);
        EXPECT_STR(body + 2, expected);
}

TEST(a_recursion_counts_once)
{
        const struct calltree_function f[] = {{.name = "f", IN_PYTHON}, {.name = "g", IN_PYTHON}};
        AUTO(calltree) tree = calltree_new();

        ADD_PATH(tree, f, 3, 30, 0, 1, 0, 0);
        ADD_PATH(tree, f, 1, 10, 0, 1);
        calltree_finish(tree);
        expect_body(tree, "ob=(4) /usr/bin/python3.11\nfl=(1) ???\nfn=(2) f\n"
                          "0 30 3\n"
                          "cob=(4)\ncfn=(2)\ncalls=1 0\n0 0 0\n"
                          "cob=(4)\ncfn=(3) g\ncalls=4 0\n0 40 4\n"
                          "\nob=(4)\nfl=(1)\nfn=(3)\n"
                          "0 10 1\n"
                          "cob=(4)\ncfn=(2)\ncalls=1 0\n0 0 0\n");
}

/* f calls g, which calls f again...  Readers add up the calls of a function. */
TEST(a_mutual_recursion_counts_once)
{
        const struct calltree_function f[] = {
                {.name = "f", IN_PYTHON}, {.name = "g", IN_PYTHON}, {.name = "main", IN_PYTHON}};
        AUTO(calltree) tree = calltree_new();

        ADD_PATH(tree, f, 3, 30, 2, 0, 1, 0, 1, 0);
        ADD_PATH(tree, f, 2, 20, 2, 0, 1, 0, 1);
        ADD_PATH(tree, f, 1, 10, 2, 0, 1);
        calltree_finish(tree);
        expect_body(tree, "ob=(4) /usr/bin/python3.11\nfl=(1) ???\nfn=(2) main\n"
                          "0 0 0\n"
                          "cob=(4)\ncfn=(3) f\ncalls=6 0\n0 60 6\n"
                          "\nob=(4)\nfl=(1)\nfn=(3)\n"
                          "0 30 3\n"
                          "cob=(4)\ncfn=(4) g\ncalls=6 0\n0 60 6\n"
                          "\nob=(4)\nfl=(1)\nfn=(4)\n"
                          "0 30 3\n"
                          "cob=(4)\ncfn=(3)\ncalls=1 0\n0 0 0\n");
}

TEST(lines_of_other_files)
{
        const struct calltree_function f[] = {
                {.name = "f", IN_PYTHON},
                {.name = "f", IN_PYTHON, .file = "f.c", .line = 7},
                {.name = "f", IN_PYTHON, .file = "f.h", .line = 1},
                {.name = "f", IN_PYTHON, .file = "f.c", .line = 5},
        };
        AUTO(calltree) tree = calltree_new();

        for (int i = 0; i < 4; i++)
                ADD_PATH(tree, f, 1, (uint64_t)(40 - i), i);
        calltree_finish(tree);
        expect_body(tree, "ob=(4) /usr/bin/python3.11\nfl=(5) f.c\nfn=(2) f\n"
                          "0 40 1\n5 37 1\n7 39 1\nfi=(6) f.h\n1 38 1\n");
}

TEST(a_python_function_is_known_by_its_file)
{
        const struct calltree_function f[] = {
                {.name = "<module> [a.py:2]",
                 .brief = "<module>",
                 .file = "/a.py",
                 .line = 2,
                 .is_python = true},
                {.name = "<module> [b.py:3]",
                 .brief = "<module>",
                 .file = "/b.py",
                 .line = 3,
                 .is_python = true},
        };
        AUTO(calltree) tree = calltree_new();

        ADD_PATH(tree, f, 2, 20, 0);
        ADD_PATH(tree, f, 1, 10, 1);
        calltree_finish(tree);
        expect_body(tree, "ob=(5) [Python]\nfl=(3) /a.py\nfn=(2) <module>\n2 20 2\n"
                          "\nob=(5)\nfl=(6) /b.py\nfn=(3) <module>\n3 10 1\n");
}

TEST(hostile_names_stay_on_their_lines)
{
        AUTO(calltree) tree = export_hostile();
        AUTO_RELEASE(buf) out = {0};
        size_t n_lines = 0;

        export_callgrind(tree, &export_hostile_about, &out);
        for (const char *at = buf_text(&out); *at; at++) {
                n_lines += *at == '\n';
                EXPECT_TRUE((unsigned char)*at >= ' ' || *at == '\n');
        }
        EXPECT_INT(n_lines, 107);
        EXPECT_TRUE(strstr(buf_text(&out), ") _\n"));
}

TAP_MAIN
