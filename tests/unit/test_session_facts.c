/* SPDX-License-Identifier: BSD-3-Clause */
/* The line that a session was recorded by. */
#include "session_facts.h"

#include "session_builder.h"
#include "tap.h"

/* What is read of a CMDLINE section, cut to `size` bytes. */
static void expect_line(const struct buf *section, size_t size, const char *text)
{
        struct session_builder b;
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) line = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct err err = {0};

        builder_init(&b);
        if (size)
                builder_feature(&b, FEATURE_CMDLINE, section->data, size);
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        ASSERT_TRUE(reader != NULL);
        session_facts_add_command_line(reader, &line);
        EXPECT_STR(buf_text(&line), text);
        builder_release(&b);
}

TEST(words_are_joined_and_a_cut_list_ends_where_it_is_cut)
{
        static const char *const words[] = {"perf", "record", "a b"};
        AUTO_RELEASE(buf) section = {0};

        buf_add_u32(&section, 3);
        for (int i = 0; i < 3; i++) {
                buf_add_u32(&section, 12);
                buf_add(&section, words[i], strlen(words[i]));
                buf_add_zeros(&section, 12 - strlen(words[i]));
        }
        expect_line(&section, section.len, "perf record a b");
        expect_line(&section, section.len - 1, "perf record");
        expect_line(&section, 4 + 16, "perf");
        expect_line(&section, 4, "");
        expect_line(&section, 0, "");
}

TEST(a_word_without_an_end)
{
        AUTO_RELEASE(buf) section = {0};

        buf_add_u32(&section, 1);
        buf_add_u32(&section, 4);
        buf_add_str(&section, "perf");
        expect_line(&section, section.len, "perf");
}

TAP_MAIN
