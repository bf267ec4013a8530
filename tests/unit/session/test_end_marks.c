/* SPDX-License-Identifier: BSD-3-Clause */
#include "end_marks.h"

#include "section_layout.h"
#include "tap.h"

enum { N_MARKS_OFF = SECTION_CONTENT_OFF, FIRST_KIND_OFF = N_MARKS_OFF + 4 };

static void add_two(struct buf *section)
{
        EXPECT_TRUE(end_marks_add(section, &(struct end_mark){END_MARK_RETURN, 0x27249, "/lib/libc.so.6"}));
        EXPECT_TRUE(end_marks_add(section, &(struct end_mark){END_MARK_NO_FILE, 0, "/gone"}));
}

TEST(written_and_read)
{
        AUTO_RELEASE(buf) section = {0};
        struct end_marks marks;
        struct end_mark mark;

        add_two(&section);
        ASSERT_TRUE(end_marks_begin(cursor_make(section.data, section.len), &marks));
        ASSERT_TRUE(end_marks_next(&marks, &mark));
        EXPECT_TRUE(mark.kind == END_MARK_RETURN && mark.offset == 0x27249);
        EXPECT_STR(mark.path, "/lib/libc.so.6");
        ASSERT_TRUE(end_marks_next(&marks, &mark));
        EXPECT_TRUE(mark.kind == END_MARK_NO_FILE && !mark.offset);
        EXPECT_STR(mark.path, "/gone");
        EXPECT_TRUE(!end_marks_next(&marks, &mark));
}

TEST(damage_ends_it)
{
        AUTO_RELEASE(buf) section = {0};
        struct end_marks marks;
        struct end_mark mark;

        add_two(&section);
        EXPECT_TRUE(!end_marks_begin(cursor_make(section.data, FIRST_KIND_OFF - 1), &marks));
        ASSERT_TRUE(end_marks_begin(cursor_make(section.data, section.len - 1), &marks));
        EXPECT_TRUE(end_marks_next(&marks, &mark));
        EXPECT_TRUE(!end_marks_next(&marks, &mark));
        section.data[FIRST_KIND_OFF] = END_MARK_N_KINDS;
        ASSERT_TRUE(end_marks_begin(cursor_make(section.data, section.len), &marks));
        EXPECT_TRUE(!end_marks_next(&marks, &mark));
        EXPECT_TRUE(!end_marks_next(&marks, &mark));
        section.data[SECTION_VERSION_OFF] = 2;
        EXPECT_TRUE(!end_marks_begin(cursor_make(section.data, section.len), &marks));
        memset(section.data + SECTION_VERSION_OFF, 0, FIRST_KIND_OFF - SECTION_VERSION_OFF);
        section.data[SECTION_VERSION_OFF] = 1;
        section.data[N_MARKS_OFF + 3] = 1; /* 16 million */
        EXPECT_TRUE(!end_marks_begin(cursor_make(section.data, section.len), &marks));
}

TAP_MAIN
