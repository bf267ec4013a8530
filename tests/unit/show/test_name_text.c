/* SPDX-License-Identifier: BSD-3-Clause */
#include "name_text.h"

#include "buf.h"
#include "tap.h"

static const char *shown(struct buf *out, const char *name, const char *twin, size_t columns)
{
        buf_clear(out);
        name_text_add(out, name, twin, columns);
        return buf_text(out);
}

TEST(names_of_python_go_before_their_files)
{
        AUTO_RELEASE(buf) out = {0};

        EXPECT_STR(shown(&out, "loads [json/__init__.py:299]", NULL, 30), "loads [json/__init__.py:299]");
        EXPECT_STR(shown(&out, "loads [json/__init__.py:299]", NULL, 12), "loads");
        EXPECT_STR(shown(&out, "JSONEncoder.iterencode [json/encoder.py:205]", NULL, 12), "JSONE...code");
}

TEST(words_of_python_are_no_arguments_of_templates)
{
        AUTO_RELEASE(buf) out = {0};

        EXPECT_STR(shown(&out, "<module> [app.py:1]", NULL, 12), "<module>");
        EXPECT_STR(shown(&out, "f.<locals>.<lambda> [<string>:1]", NULL, 24), "f.<locals>.<lambda>");
        EXPECT_STR(shown(&out, "std::sort<int *, less<int>>", NULL, 24), "std::sort<...>");
}

TEST(files_stay_where_only_they_differ)
{
        AUTO_RELEASE(buf) out = {0};

        EXPECT_STR(shown(&out, "run [first.py:5]", "run [second.py:5]", 14), "run [f...py:5]");
        EXPECT_STR(shown(&out, "first_of_all [a.py:5]", "first_of_four [a.py:5]", 8), "fir...ll");
}

TAP_MAIN
