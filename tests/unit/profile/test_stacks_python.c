/* SPDX-License-Identifier: BSD-3-Clause */
/* Which frames are shown, and the label of a line of a Python function. */
#include "stacks_python.h"

#include "python_label.h"
#include "tap.h"

TEST(words_choose_frames)
{
        enum stacks_python how = STACKS_PYTHON_ALL;

        EXPECT_TRUE(stacks_python_parse("merged", &how) && how == STACKS_PYTHON_MERGED);
        EXPECT_TRUE(stacks_python_parse("only", &how) && how == STACKS_PYTHON_ONLY);
        EXPECT_TRUE(stacks_python_parse("native", &how) && how == STACKS_PYTHON_NATIVE);
        EXPECT_TRUE(stacks_python_parse("all", &how) && how == STACKS_PYTHON_ALL);
        EXPECT_TRUE(!stacks_python_parse("", &how) && !stacks_python_parse("merge", &how));
}

static void expect_label(const char *function, const char *path, uint32_t line, const char *want)
{
        AUTO_RELEASE(buf) label = {0};

        python_label_add(&label, function, path, line);
        EXPECT_STR(buf_text(&label), want);
}

TEST(a_label_has_function_file_and_line)
{
        expect_label("parse", "/home/me/app.py", 6, "parse [app.py:6]");
        expect_label("parse", "app.py", 0, "parse [app.py]");
        expect_label("loads", "/usr/lib/python3.11/json/__init__.py", 346, "loads [json/__init__.py:346]");
        expect_label("main", "C:\\py\\tool\\__main__.py", 3, "main [tool\\__main__.py:3]");
        expect_label("f", "__init__.py", 1, "f [__init__.py:1]");
        expect_label("f", "/__init__.py", 1, "f [__init__.py:1]");
        expect_label("_find_and_load", "<frozen importlib._bootstrap>", 1027,
                     "_find_and_load [<frozen importlib._bootstrap>:1027]");
        expect_label("", "", 0, "? [?]");
}

TEST(files_are_as_long_as_they_must_be)
{
        static const char *const paths[] = {
                "/p/x/util.py",
                "/p/y/util.py",
                "/p/y/util.py",
                "/p/app.py",
                "util.py",
                "/p/__init__.py",
                "/q/json/__init__.py",
                "/r/json/__init__.py",
                "C:\\a\\m.py",
                "C:\\b\\m.py",
                "",
                "/p/z/x/util.py",
        };
        static const char *const files[N_ELEMENTS(paths)] = {
                "p/x/util.py",
                "y/util.py",
                "y/util.py",
                "app.py",
                "util.py",
                "p/__init__.py",
                "q/json/__init__.py",
                "r/json/__init__.py",
                "a\\m.py",
                "b\\m.py",
                "",
                "z/x/util.py",
        };
        const char *got[N_ELEMENTS(paths)];

        python_label_files(paths, N_ELEMENTS(paths), got);
        for (size_t i = 0; i < N_ELEMENTS(paths); i++)
                EXPECT_STR(got[i], files[i]);
}

TAP_MAIN
