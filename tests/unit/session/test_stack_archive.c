/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack_archive.h"

#include <stdlib.h>

#include "archive_section.h"
#include "codec.h"
#include "mem.h"
#include "section_layout.h"
#include "tap.h"

enum { N_WAYS = 6, N_ENDS = 8 };

static const struct walked_frame main_and_above[] = {{0x401000, 0, true}, {0x402000, 1, false}};
static const struct walked_frame with_signal[] = {
        {0x7fff0010, 0, true}, {0x401005, 3, true}, {0x401000, 1, true}, {0x402000, 1, false}};
static const struct walked_frame at_the_borders[] = {
        {UINT64_MAX, 0, true}, {0, 2, false}, {UINT64_MAX, 2, false}};

static void expect_walk(const struct stack_archive *archive, uint64_t sample, const struct walked_frame *want,
                        size_t n, uint8_t end)
{
        const struct archived_walk *walk = stack_archive_find(archive, sample);
        struct walked_frame frames[8];

        ASSERT_TRUE(walk);
        EXPECT_INT(walk->sample, sample);
        EXPECT_INT(walk->n_frames, n);
        EXPECT_INT(walk->end, end);
        ASSERT_CMP(stack_archive_frames(archive, walk, frames, N_ELEMENTS(frames)), ==, n);
        for (size_t i = 0; i < n; i++) {
                EXPECT_INT(frames[i].pc, want[i].pc);
                EXPECT_INT(frames[i].way, want[i].way);
                EXPECT_INT(frames[i].is_exact, want[i].is_exact);
        }
}

static void write_walks(struct buf *out)
{
        AUTO(stack_archive_writer) w = stack_archive_writer_new();

        stack_archive_add(w, 0, main_and_above, 2, 1);
        stack_archive_add(w, 1, with_signal, 4, 7);
        stack_archive_add(w, 5, NULL, 0, 7);
        stack_archive_add(w, 6, main_and_above, 2, 0);
        stack_archive_add(w, 1ull << 40, at_the_borders, 3, 2);
        stack_archive_add(w, UINT64_MAX - 1, with_signal + 2, 2, 3);
        EXPECT_INT(stack_archive_n_added(w), 6);
        ASSERT_TRUE(stack_archive_write(w, out, NULL));
}

TEST(written_and_read)
{
        AUTO_RELEASE(buf) section = {0};
        AUTO(stack_archive) archive = NULL;
        struct err err = {0};

        write_walks(&section);
        archive = stack_archive_open(cursor_make(section.data, section.len), N_WAYS, N_ENDS, NULL, &err);
        if (!archive)
                TAP_FAIL("%s", err.text);
        EXPECT_INT(stack_archive_n_walks(archive), 6);
        expect_walk(archive, 0, main_and_above, 2, 1);
        expect_walk(archive, 1, with_signal, 4, 7);
        expect_walk(archive, 5, NULL, 0, 7);
        expect_walk(archive, 6, main_and_above, 2, 0);
        expect_walk(archive, 1ull << 40, at_the_borders, 3, 2);
        expect_walk(archive, UINT64_MAX - 1, with_signal + 2, 2, 3);
        EXPECT_TRUE(!stack_archive_find(archive, 2) && !stack_archive_find(archive, 4));
        EXPECT_TRUE(!stack_archive_find(archive, UINT64_MAX));
        EXPECT_INT(stack_archive_get(archive, 2)->sample, 5);
        /* The caller is shared; a frame that a signal interrupted is a separate frame. */
        EXPECT_INT(stack_archive_n_nodes(archive), 2 + 3 + 3);
}

TEST(as_many_frames_as_there_is_room_for)
{
        AUTO_RELEASE(buf) section = {0};
        AUTO(stack_archive) archive = NULL;
        struct walked_frame frames[3] = {{0}, {0}, {99, 0, false}};
        const struct archived_walk *walk;

        write_walks(&section);
        archive = stack_archive_open(cursor_make(section.data, section.len), N_WAYS, N_ENDS, NULL, NULL);
        ASSERT_TRUE(archive && (walk = stack_archive_find(archive, 1)));
        EXPECT_INT(stack_archive_frames(archive, walk, frames, 2), 2);
        EXPECT_INT(frames[0].pc, 0x7fff0010);
        EXPECT_INT(frames[1].pc, 0x401005);
        EXPECT_INT(frames[2].pc, 99);
        EXPECT_INT(stack_archive_frames(archive, walk, frames, 0), 0);
}

TEST(the_same_walks_are_the_same_bytes)
{
        AUTO_RELEASE(buf) first = {0};
        AUTO_RELEASE(buf) second = {0};
        AUTO(stack_archive) archive = NULL;
        AUTO(stack_archive_writer) w = stack_archive_writer_new();
        struct walked_frame frames[8];

        write_walks(&first);
        archive = stack_archive_open(cursor_make(first.data, first.len), N_WAYS, N_ENDS, NULL, NULL);
        ASSERT_TRUE(archive);
        for (size_t i = 0; i < stack_archive_n_walks(archive); i++) {
                const struct archived_walk *walk = stack_archive_get(archive, i);

                stack_archive_add(w, walk->sample, frames, stack_archive_frames(archive, walk, frames, 8),
                                  walk->end);
        }
        ASSERT_TRUE(stack_archive_write(w, &second, NULL));
        EXPECT_TRUE(first.len == second.len && !memcmp(first.data, second.data, first.len));
}

TEST(many_stacks_cost_what_is_new)
{
        AUTO(stack_archive_writer) w = stack_archive_writer_new();
        AUTO(stack_archive) archive = NULL;
        AUTO_RELEASE(buf) section = {0};
        struct walked_frame *frames = mem_new(STACK_ARCHIVE_MAX_FRAMES, sizeof(*frames));

        for (size_t i = 0; i < STACK_ARCHIVE_MAX_FRAMES; i++)
                frames[i] = (struct walked_frame){0x555500000000 + i * 16, 1, false};
        for (uint64_t i = 0; i < 1000; i++) {
                frames[0].pc = 0x7f0000000000 + i % 10;
                stack_archive_add(w, i, frames, STACK_ARCHIVE_MAX_FRAMES, 0);
        }
        ASSERT_TRUE(stack_archive_write(w, &section, NULL));
        EXPECT_CMP(section.len, <, 3 * 1000 + 5 * STACK_ARCHIVE_MAX_FRAMES);
        archive = stack_archive_open(cursor_make(section.data, section.len), N_WAYS, N_ENDS, NULL, NULL);
        ASSERT_TRUE(archive);
        EXPECT_INT(stack_archive_n_nodes(archive), STACK_ARCHIVE_MAX_FRAMES - 1 + 10);
        frames[0].pc = 0x7f0000000009;
        EXPECT_INT(stack_archive_find(archive, 999)->n_frames, STACK_ARCHIVE_MAX_FRAMES);
        stack_archive_frames(archive, stack_archive_find(archive, 999), frames, STACK_ARCHIVE_MAX_FRAMES);
        EXPECT_INT(frames[0].pc, 0x7f0000000009);
        EXPECT_INT(frames[STACK_ARCHIVE_MAX_FRAMES - 1].pc,
                   0x555500000000 + (STACK_ARCHIVE_MAX_FRAMES - 1) * 16);
        free(frames);
}

TEST(nothing_walked)
{
        AUTO(stack_archive_writer) w = stack_archive_writer_new();
        AUTO_RELEASE(buf) section = {0};
        AUTO(stack_archive) archive = NULL;

        ASSERT_TRUE(stack_archive_write(w, &section, NULL));
        archive = stack_archive_open(cursor_make(section.data, section.len), N_WAYS, N_ENDS, NULL, NULL);
        ASSERT_TRUE(archive);
        EXPECT_INT(stack_archive_n_walks(archive), 0);
        EXPECT_TRUE(!stack_archive_find(archive, 0));
}

/* --- Damage --------------------------------------------------------------------------------------- */

/* The error for a section with this content, or "". */
static void open_content(const struct buf *content, struct err *err)
{
        static const struct archive_section_kind kind = {"WPSW", STACK_ARCHIVE_VERSION};
        AUTO_RELEASE(buf) section = {0};
        AUTO(stack_archive) archive = NULL;

        *err = (struct err){0};
        ASSERT_TRUE(archive_section_write(&kind, content, &section, NULL));
        archive = stack_archive_open(cursor_make(section.data, section.len), N_WAYS, N_ENDS, NULL, err);
        EXPECT_CMP(!archive, ==, !!err->text[0]);
}

static void expect_content(bool is_good, const uint8_t *bytes, size_t size)
{
        struct buf content = {.data = (char *)bytes, .len = size, .cap = size};
        struct err err;

        open_content(&content, &err);
        if (is_good)
                EXPECT_STR(err.text, "");
        else
                EXPECT_STR(err.text, "is damaged: a number in it is impossible");
}

#define GOOD(...) expect_content(true, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define BAD(...)  expect_content(false, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Frames (+pc, flags), nodes (back, frame), walks (gap, +number, end). */
TEST(numbers_are_checked)
{
        GOOD(1, 9, 1, 2, 0, 0, 1, 0, 1, 0, 2, 0);
        BAD(2, 9, 1, 2, 0, 0, 1, 0, 1, 0, 2, 0);           /* more frames than there are */
        BAD(1, 9, N_WAYS << 1, 2, 0, 0, 1, 0, 1, 0, 2, 0); /* a way that is none */
        BAD(1, 9, 1, 2, 1, 0, 1, 0, 1, 0, 2, 0);           /* a caller before the first */
        BAD(1, 9, 1, 2, 0, 0, 2, 0, 1, 0, 2, 0);
        BAD(1, 9, 1, 2, 0, 0, 1, 1, 1, 0, 2, 0); /* a frame that is not there */
        BAD(1, 9, 1, 2, 0, 0, 1, 0, 1, 0, 3, 0); /* a node that is not there */
        BAD(1, 9, 1, 2, 0, 0, 1, 0, 1, 0, 0x7f, 0);
        BAD(1, 9, 1, 2, 0, 0, 1, 0, 1, 0, 2, N_ENDS); /* an end that is none */
        BAD(1, 9, 1, 2, 0, 0, 1, 0, 2, 0, 2, 0);      /* more walks than there are */
        BAD(1, 9, 1, 2, 0, 0, 1, 0, 1, 0, 2, 0, 0);   /* more behind it */
        BAD(1, 9, 1, 2, 0, 0, 1, 0, 1, 0, 2);         /* less */
        BAD(1, 9, 1, 2, 0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            1); /* hostile counts */
        BAD(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
        BAD(0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
        /* Addresses and samples beyond 64 bits. */
        GOOD(2, 1, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0);
        BAD(2, 2, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0);
        GOOD(0, 0, 2, 0, 0, 0, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0);
        BAD(0, 0, 2, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0);
}

/* A path of `depth` nodes. */
static void make_path(size_t depth, struct buf *out)
{
        buf_add_uleb(out, 1);
        buf_add_uleb(out, 5);
        buf_add_u8(out, 0);
        buf_add_uleb(out, depth);
        for (size_t i = 0; i < depth; i++) {
                buf_add_u8(out, i > 0);
                buf_add_u8(out, 0);
        }
        buf_add_uleb(out, 0);
}

TEST(depth_is_bounded)
{
        AUTO_RELEASE(buf) deep = {0};
        AUTO_RELEASE(buf) deeper = {0};
        struct err err;

        make_path(STACK_ARCHIVE_MAX_FRAMES, &deep);
        open_content(&deep, &err);
        EXPECT_STR(err.text, "");
        make_path(STACK_ARCHIVE_MAX_FRAMES + 1, &deeper);
        open_content(&deeper, &err);
        EXPECT_STR(err.text, "is damaged: a number in it is impossible");
}

/* The same frame many times compresses well, and would take unlimited memory. */
TEST(memory_is_bounded)
{
        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        for (size_t mib = 1; mib <= 16; mib *= 4) {
                AUTO_RELEASE(buf) content = {0};
                struct err err;

                buf_add_uleb(&content, mib << 20);
                buf_add_zeros(&content, mib << 21);
                buf_add_zeros(&content, 2);
                open_content(&content, &err);
                EXPECT_STR(err.text, mib <= 4 ? "" : "is damaged: a number in it is impossible");
        }
}

TEST(cut_and_changed)
{
        AUTO_RELEASE(buf) section = {0};
        struct err err = {0};

        write_walks(&section);
        for (size_t size = 0; size < section.len; size++)
                EXPECT_TRUE(!stack_archive_open(cursor_make(section.data, size), N_WAYS, N_ENDS, NULL, NULL));
        section.data[section.len - 1] ^= 1;
        EXPECT_TRUE(!stack_archive_open(cursor_make(section.data, section.len), N_WAYS, N_ENDS, NULL, &err));
        EXPECT_STR(err.text, "is damaged: its checksum is wrong");
        section.data[SECTION_VERSION_OFF] = 2;
        EXPECT_TRUE(!stack_archive_open(cursor_make(section.data, section.len), N_WAYS, N_ENDS, NULL, &err));
        EXPECT_STR(err.text, "has version 2, which this wperf does not support");
}

TAP_MAIN
