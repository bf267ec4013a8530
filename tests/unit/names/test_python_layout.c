/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts: the tables of 3.8 to 3.12, and `_Py_DebugOffsets` of 3.13 to 3.15 as published and damaged. */
#include "python_layout.h"
#include "python_published.h"
#include "tap.h"

TEST(tables)
{
        for (unsigned minor = 0; minor < 20; minor++) {
                struct python_layout layout;
                bool has = python_layout_get(minor, false, &layout);

                EXPECT_INT(has, minor >= 8 && minor <= 12);
                if (has)
                        EXPECT_INT(layout.minor, minor);
        }
}

/* Tests for Windows compare these with CPython's headers: tests/windows/test_layouts.py. */
TEST(tables_for_windows)
{
        static const struct {
                uint8_t minor;
                uint32_t id, native_id, chunk, bytes;
        } facts[] = {
                {8, 176, PYTHON_NO_FIELD, PYTHON_NO_FIELD, 184},
                {11, 152, 156, 288, 352},
                {12, 136, 140, 224, 240},
        };

        for (size_t i = 0; i < N_ELEMENTS(facts); i++) {
                struct python_layout layout;

                EXPECT_TRUE(python_layout_get(facts[i].minor, true, &layout));
                EXPECT_TRUE(layout.is_windows);
                EXPECT_INT(layout.thread_id, facts[i].id);
                EXPECT_INT(layout.thread_native_id, facts[i].native_id);
                EXPECT_INT(layout.thread_chunk, facts[i].chunk);
                EXPECT_INT(layout.thread_bytes, facts[i].bytes);
                EXPECT_INT(layout.runtime_current, PYTHON_NO_FIELD);
        }
}

static bool read_published(const struct published *table, struct python_layout *ret_layout, struct err *err)
{
        return python_layout_read(table->words, table->n_words * 8, false, ret_layout, err);
}

/* What Debian's and pyenv's headers of 3.13.0 say. */
TEST(offsets_of_3_13)
{
        struct published table;
        struct python_layout layout;

        published_make(&table, 13, false);
        EXPECT_INT(table.n_words, 71);
        ASSERT_TRUE(read_published(&table, &layout, NULL));
        EXPECT_INT(layout.minor, 13);
        EXPECT_TRUE(!layout.is_free_threaded);
        EXPECT_INT(layout.frames, PYTHON_FRAMES_THREAD);
        EXPECT_INT(layout.table, PYTHON_TABLE_LOCATIONS);
        EXPECT_INT(layout.runtime_interpreters, 632);
        EXPECT_INT(layout.interp_next, 7264);
        EXPECT_INT(layout.interp_threads, 7344);
        EXPECT_INT(layout.thread_frame, 72);
        EXPECT_INT(layout.thread_id, 152);
        EXPECT_INT(layout.thread_native_id, 160);
        EXPECT_INT(layout.thread_chunk, 232);
        EXPECT_INT(layout.thread_status, 24);
        EXPECT_INT(layout.thread_bytes, 248);
        EXPECT_INT(layout.frame_instr, 56);
        EXPECT_INT(layout.frame_owner, 70);
        EXPECT_INT(layout.code_name, 128);
        EXPECT_INT(layout.code_instrs, 208);
        EXPECT_INT(layout.bytes_data, 32);
        EXPECT_INT(layout.text_ascii_bytes, 40);
        EXPECT_INT(layout.text_compact_bytes, 56);
}

TEST(offsets_of_3_14)
{
        struct published table;
        struct python_layout layout;

        published_make(&table, 14, false);
        ASSERT_TRUE(read_published(&table, &layout, NULL));
        EXPECT_INT(layout.minor, 14);
        EXPECT_INT(layout.thread_id, 152);
        EXPECT_INT(layout.frame_owner, 74);
        EXPECT_INT(layout.frame_copy, PYTHON_NO_FIELD);
        EXPECT_INT(layout.code_copies, PYTHON_NO_FIELD);
        EXPECT_INT(layout.frame_bytes, 75);
}

TEST(offsets_of_3_14_free_threaded)
{
        struct published table;
        struct python_layout layout;

        published_make(&table, 14, true);
        ASSERT_TRUE(read_published(&table, &layout, NULL));
        EXPECT_TRUE(layout.is_free_threaded);
        EXPECT_INT(layout.frame_copy, 72);
        EXPECT_INT(layout.frame_owner, 78);
        EXPECT_INT(layout.code_copies, 216);
        EXPECT_INT(layout.object_type, 24);
        EXPECT_INT(layout.bytes_data, 48);
        EXPECT_INT(layout.text_length, 32);
        EXPECT_INT(layout.text_ascii_bytes, 56);
}

TEST(offsets_of_3_15)
{
        struct published table;
        struct python_layout layout;

        published_make(&table, 15, false);
        EXPECT_INT(table.n_words * 8, 888); /* PY_REMOTE_DEBUG_OFFSETS_TOTAL_SIZE */
        ASSERT_TRUE(read_published(&table, &layout, NULL));
        EXPECT_INT(layout.minor, 15);
        EXPECT_INT(layout.thread_frame, 72);
        EXPECT_INT(layout.thread_id, 176);
        EXPECT_INT(layout.thread_native_id, 184);
        EXPECT_INT(layout.thread_chunk, 256);
        EXPECT_INT(layout.frame_owner, 74);
        EXPECT_INT(layout.text_compact_bytes, 56);
}

/* Words of _Py_DebugOffsets, the third as in 3.15. */
enum { COOKIE_WORD = 0, VERSION_WORD = 1, LAST_PROFILED_FRAME_SEQ_WORD = 29 };

/* Without last_profiled_frame_seq, as 3.15 had it before. */
TEST(offsets_of_early_3_15)
{
        struct published table;
        struct python_layout layout;

        published_make(&table, 15, false);
        table.n_words--;
        memmove(table.words + LAST_PROFILED_FRAME_SEQ_WORD, table.words + LAST_PROFILED_FRAME_SEQ_WORD + 1,
                (table.n_words - LAST_PROFILED_FRAME_SEQ_WORD) * 8);
        ASSERT_TRUE(read_published(&table, &layout, NULL));
        EXPECT_INT(layout.thread_id, 176);
        EXPECT_INT(layout.frame_owner, 74);
        EXPECT_INT(layout.code_first_line, 68);
}

TEST(refused_offsets)
{
        struct published table;
        struct python_layout layout;
        struct err err = {0};

        published_make(&table, 13, false);
        table.words[COOKIE_WORD] ^= 1;
        EXPECT_TRUE(!read_published(&table, &layout, &err));
        EXPECT_STR(err.text, "_Py_DebugOffsets: does not begin with its magic bytes");
        published_make(&table, 13, false);
        table.words[VERSION_WORD] = 0x031000f0;
        EXPECT_TRUE(!read_published(&table, &layout, &err));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
        EXPECT_STR(err.text, "_Py_DebugOffsets: CPython 3.16 is not supported");
        published_make(&table, 14, false);
        table.n_words = 20;
        EXPECT_TRUE(!read_published(&table, &layout, &err));
        EXPECT_STR(err.text, "_Py_DebugOffsets: malformed offsets");
        EXPECT_TRUE(!python_layout_read("xdebugpy", 8, false, &layout, &err));
}

/* Each word in turn has an impossible value: no accepted table leads outside the buffers. */
TEST(hostile_offsets)
{
        static const uint64_t values[] = {
                0, 1, 3, 7, 0x7fffffff, 0xffffffff, 1ull << 33, UINT64_MAX, UINT64_MAX - 7};
        unsigned n_refused = 0;

        for (unsigned minor = 13; minor <= 15; minor++)
                for (size_t i = 3; i < 100; i++)
                        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
                                struct published table;
                                struct python_layout layout;

                                published_make(&table, minor, v & 1);
                                if (i >= table.n_words)
                                        continue;
                                table.words[i] = values[v];
                                if (!read_published(&table, &layout, NULL)) {
                                        n_refused++;
                                        continue;
                                }
                                EXPECT_CMP(layout.thread_bytes, <=, PYTHON_MAX_THREAD_BYTES);
                                EXPECT_CMP(layout.frame_bytes, <=, PYTHON_MAX_FRAME_BYTES);
                                EXPECT_CMP(layout.code_bytes, <=, PYTHON_MAX_CODE_BYTES);
                                EXPECT_CMP(layout.text_ascii_bytes, <=, PYTHON_MAX_OBJECT_BYTES);
                                EXPECT_CMP(layout.interp_threads, <=, PYTHON_MAX_RUNTIME_OFFSET);
                                EXPECT_CMP(layout.runtime_interpreters, <=, PYTHON_MAX_RUNTIME_OFFSET);
                        }
        EXPECT_CMP(n_refused, >, 300);
}

TAP_MAIN
