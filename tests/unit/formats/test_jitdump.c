/* SPDX-License-Identifier: BSD-3-Clause */
#include "jitdump.h"

#include <stdlib.h>

#include "jitdump_builder.h"
#include "os.h"
#include "tap.h"
#include "test_data.h"

/* The checkout may be another user's. */
static const struct os_origin any_origin = {.any_owner = true};

static size_t count_loads(const struct jitdump *dump)
{
        size_t n = 0;

        while (jitdump_get_load(dump, n))
                n++;
        return n;
}

static const char *name_at(const struct jitdump *dump, uint64_t addr, uint64_t time)
{
        static char name[64];
        struct jitdump_hit hit;

        if (!jitdump_find(dump, addr, time, &hit))
                return "";
        snprintf(name, sizeof(name), "%.*s", (int)hit.load->name_len, hit.load->name);
        return name;
}

static const char *latest_at(const struct jitdump *dump, uint64_t addr)
{
        return name_at(dump, addr, CODE_HISTORY_LATEST);
}

static void check_lines(const struct jitdump *dump, const struct jitdump_load *load, uint64_t addr)
{
        struct jitdump_lines lines;
        struct jitdump_line line;

        jitdump_lines_begin(dump, load, &lines);
        ASSERT_TRUE(jitdump_lines_next(&lines, &line));
        EXPECT_INT(line.addr, addr);
        EXPECT_INT(line.line, 7);
        EXPECT_INT(line.discriminator, 0);
        EXPECT_STR(line.file, "a.js");
        ASSERT_TRUE(jitdump_lines_next(&lines, &line));
        EXPECT_INT(line.addr, addr + 8);
        EXPECT_INT(line.line, 8);
        EXPECT_INT(line.discriminator, 2);
        EXPECT_STR(line.file, "a.js");
        ASSERT_TRUE(jitdump_lines_next(&lines, &line));
        EXPECT_STR(line.file, "b.js");
        EXPECT_TRUE(!jitdump_lines_next(&lines, &line));
}

static void check_frames(const struct jitdump *dump, size_t index, uint64_t addr)
{
        const struct jitdump_load *load = jitdump_get_load(dump, index);
        struct cursor frames;
        uint64_t at;

        if (!addr) {
                EXPECT_TRUE(!jitdump_get_frames(dump, load, &frames, &at));
                return;
        }
        ASSERT_TRUE(jitdump_get_frames(dump, load, &frames, &at));
        EXPECT_INT(at, addr);
        EXPECT_INT(cursor_left(&frames), 16);
        EXPECT_TRUE(!memcmp(frames.at, "frames of second", 16));
}

/* Code that was moved is the code that was loaded. */
static void check_offsets(const struct jitdump *dump)
{
        const struct jitdump_load *second = jitdump_get_load(dump, 1);
        const struct code_history *history = jitdump_history(dump);
        struct jitdump_hit hit;
        const uint8_t *code;
        uint64_t off = 0;

        EXPECT_TRUE(code_history_to_off(history, 0x3004, 25, &off));
        EXPECT_INT(off, second->code_off + 4);
        EXPECT_TRUE(code_history_to_off(history, 0x2004, 25, &off));
        EXPECT_INT(off, second->code_off + 4);
        ASSERT_TRUE(jitdump_find_off(dump, off, &hit));
        EXPECT_INT(hit.load->addr, 0x2000);
        EXPECT_INT(hit.same_from, second->code_off);
        EXPECT_INT(hit.same_to, second->code_off + 32);
        EXPECT_TRUE(jitdump_read_code(dump, off, 28, &code));
        EXPECT_TRUE(!jitdump_read_code(dump, off, 29, &code));
        EXPECT_TRUE(!jitdump_find_off(dump, second->code_off + 32, &hit));
        EXPECT_TRUE(!jitdump_find_off(dump, 0, &hit));
        EXPECT_TRUE(!jitdump_find(dump, 0x2800, CODE_HISTORY_LATEST, &hit));
        EXPECT_INT(hit.same_from, 0x2020);
        EXPECT_INT(hit.same_to, 0x3000);
}

static void check_every_kind(bool swap)
{
        AUTO_RELEASE(buf) note = {0};
        struct dump_builder b = {.swap = swap};
        AUTO(jitdump) dump = NULL;
        const struct jitdump_load *load;
        struct jitdump_hit hit;

        dump_every_kind(&b);
        dump = jitdump_new_bytes(b.bytes.data, b.bytes.len, NULL, &note);
        EXPECT_STR(buf_text(&note), "");
        EXPECT_INT(jitdump_get_facts(dump)->machine, 62);
        EXPECT_INT(jitdump_get_facts(dump)->pid, 4711);
        EXPECT_INT(jitdump_get_facts(dump)->time, 5);
        EXPECT_TRUE(!jitdump_get_facts(dump)->arch_time);
        EXPECT_TRUE(jitdump_get_facts(dump)->has_replaced);
        ASSERT_CMP(count_loads(dump), ==, 5);

        load = jitdump_get_load(dump, 1);
        EXPECT_INT(load->time, 12);
        EXPECT_INT(load->addr, 0x2000);
        EXPECT_INT(load->size_bytes, 32);
        EXPECT_INT(load->code_index, 1);
        EXPECT_STR(load->name, "second");
        EXPECT_INT(load->name_len, 6);
        EXPECT_INT(b.bytes.data[load->code_off - 1], 0);
        for (unsigned i = 0; i < 32; i++)
                EXPECT_INT(b.bytes.data[load->code_off + i], 0x2000 & 15);
        check_lines(dump, load, 0x2000);
        load = jitdump_get_load(dump, 2);
        EXPECT_INT(load->addr, 0x3000);
        EXPECT_INT(load->time, 20);
        EXPECT_STR(load->name, "second");
        check_lines(dump, load, 0x3000);
        EXPECT_INT(jitdump_get_load(dump, 0)->n_lines, 0);
        EXPECT_INT(jitdump_get_load(dump, 3)->n_lines, 0);
        check_frames(dump, 0, 0);
        check_frames(dump, 1, 0x2020);
        check_frames(dump, 2, 0x3020);
        check_frames(dump, 3, 0);

        EXPECT_STR(latest_at(dump, 0xfff), "");
        EXPECT_STR(latest_at(dump, 0x1007), "first");
        EXPECT_STR(latest_at(dump, 0x1008), "replacing");
        EXPECT_STR(latest_at(dump, 0x1018), "");
        EXPECT_STR(latest_at(dump, 0x5000), "");
        EXPECT_STR(name_at(dump, 0x1008, 9), "");
        EXPECT_STR(name_at(dump, 0x1008, 10), "first");
        EXPECT_STR(name_at(dump, 0x1008, 29), "first");
        EXPECT_STR(name_at(dump, 0x1008, 30), "replacing");
        EXPECT_STR(name_at(dump, 0x3000, 19), "");
        EXPECT_STR(name_at(dump, 0x301f, 20), "second");
        ASSERT_TRUE(jitdump_find(dump, 0x1004, CODE_HISTORY_LATEST, &hit));
        EXPECT_INT(hit.load->addr, 0x1000);
        EXPECT_INT(hit.load->size_bytes, 0x10);
        EXPECT_INT(hit.same_from, 0x1000);
        EXPECT_INT(hit.same_to, 0x1008);
        check_offsets(dump);
        buf_release(&b.bytes);
}

TEST(jitdump_reads_every_kind_of_record)
{
        check_every_kind(false);
}

TEST(jitdump_reads_the_other_byte_order)
{
        check_every_kind(true);
}

TEST(jitdump_leaves_out_damaged_unwinding_information)
{
        AUTO_RELEASE(buf) note = {0};
        struct dump_builder b = {0};
        AUTO(jitdump) dump = NULL;

        dump_header(&b, 0);
        dump_unwinding(&b, 1, "of nobody", 9, 0);
        dump_begin(&b, 4, 1); /* a header that is larger than all of it */
        dump_u64(&b, 8);
        dump_u64(&b, 9);
        dump_u64(&b, 0);
        buf_add_zeros(&b.bytes, 8);
        dump_end(&b);
        dump_load(&b, 2, 0x1000, 11, 0, "first");
        dump_begin(&b, 4, 3); /* more than there is */
        dump_u64(&b, UINT64_MAX);
        dump_u64(&b, 0);
        dump_u64(&b, 0);
        dump_end(&b);
        dump_load(&b, 4, 0x2000, 11, 1, "second");
        dump_unwinding(&b, 5, "frames of second", 16, 0);
        dump_load(&b, 6, 0x3000, 11, 2, "third");
        dump = jitdump_new_bytes(b.bytes.data, b.bytes.len, NULL, &note);
        EXPECT_STR(buf_text(&note), "has damaged records, which are not read: 2");
        ASSERT_CMP(count_loads(dump), ==, 3);
        check_frames(dump, 0, 0);
        check_frames(dump, 1, 0);
        check_frames(dump, 2, 0x3010);
        buf_release(&b.bytes);
}

/* Bytes of a file of a big-endian machine, on any machine. */
TEST(jitdump_reads_big_endian_bytes)
{
        static const uint8_t bytes[] =
                "JiTD\0\0\0\1\0\0\0\x30\0\0\0\x16\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1moreinit"
                "\0\0\0\0\0\0\0\x3d\0\0\0\0\0\0\0\2\0\0\0\7\0\0\0\7\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\x10\0"
                "\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0f\0abc";
        AUTO_RELEASE(buf) note = {0};
        AUTO(jitdump) dump = jitdump_new_bytes(bytes, sizeof(bytes) - 1, NULL, &note);

        EXPECT_STR(buf_text(&note), "");
        EXPECT_INT(jitdump_get_facts(dump)->machine, 22);
        EXPECT_TRUE(jitdump_get_facts(dump)->arch_time);
        EXPECT_STR(name_at(dump, 0x1002, 2), "f");
        EXPECT_STR(name_at(dump, 0x1003, 2), "");
}

/* A file of any length gives the loads that are completely in it, and a note unless it ends between two
 * records. */
TEST(jitdump_takes_what_is_whole_at_every_length)
{
        struct dump_builder b = {0};
        size_t ends[16], n_ends = 0, at = DUMP_HEADER_BYTES;

        dump_every_kind(&b);
        for (; at < b.bytes.len; n_ends++) {
                uint32_t size;

                memcpy(&size, b.bytes.data + at + DUMP_RECORD_SIZE_OFF, sizeof(size));
                ends[n_ends] = at += size;
        }
        for (size_t size = 0; size <= b.bytes.len; size++) {
                static const size_t loads_after[] = {1, 1, 1, 2, 2, 3, 4, 5, 5};
                AUTO_RELEASE(buf) note = {0};
                uint8_t *exact = malloc(size ? size : 1);
                AUTO(jitdump) dump = NULL;
                size_t n_whole = 0;
                bool between;

                ASSERT_TRUE(exact);
                memcpy(exact, b.bytes.data, size);
                dump = jitdump_new_bytes(exact, size, NULL, &note);
                while (n_whole < n_ends && ends[n_whole] <= size)
                        n_whole++;
                between = n_whole && ends[n_whole - 1] == size;
                EXPECT_INT(count_loads(dump), n_whole ? loads_after[n_whole - 1] : 0);
                EXPECT_INT(note.len == 0, between);
                if (size > DUMP_HEADER_BYTES && !n_whole)
                        EXPECT_STR(
                                buf_text(&note),
                                "ends inside the record at byte 40, which is normal while its process runs; has no functions");
                free(exact);
        }
        EXPECT_INT(n_ends, 9);
        buf_release(&b.bytes);
}

static void expect_note(struct dump_builder *b, const char *want)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(jitdump) dump = jitdump_new_bytes(b->bytes.data, b->bytes.len, NULL, &note);

        EXPECT_STR(buf_text(&note), want);
        EXPECT_STR(latest_at(dump, 0x99), "");
        EXPECT_STR(latest_at(dump, UINT64_MAX), "");
        buf_release(&b->bytes);
}

TEST(jitdump_says_what_is_wrong_with_a_header)
{
        struct dump_builder b = {0};

        expect_note(&b, "is not a jitdump file");
        buf_add_zeros(&b.bytes, 100);
        expect_note(&b, "is not a jitdump file");
        dump_header(&b, 0);
        dump_set_u32(&b, DUMP_VERSION_OFF, 2);
        expect_note(&b, "jitdump version 2 is not supported");
        dump_header(&b, 0);
        dump_set_u32(&b, DUMP_TOTAL_SIZE_OFF, DUMP_HEADER_BYTES - 1);
        expect_note(&b, "is not a jitdump file");
        dump_header(&b, 0);
        dump_set_u32(&b, DUMP_TOTAL_SIZE_OFF, UINT32_MAX);
        expect_note(&b, "ends inside its header");
        dump_header(&b, 0);
        expect_note(&b, "has no functions");
}

TEST(jitdump_says_what_is_wrong_with_a_record)
{
        struct dump_builder b = {0};

        for (uint32_t size = 0; size < DUMP_PREFIX_BYTES; size++) {
                dump_header(&b, 0);
                dump_load(&b, 1, 0x1000, 1, 0, "f");
                dump_begin(&b, 3, 1);
                dump_set_u32(&b, b.record + DUMP_RECORD_SIZE_OFF, size);
                expect_note(&b, "is damaged at byte 99 and not read further");
        }
        dump_header(&b, 0);
        dump_begin(&b, 0, 1);
        dump_set_u32(&b, b.record + DUMP_RECORD_SIZE_OFF, UINT32_MAX);
        expect_note(
                &b,
                "ends inside the record at byte 40, which is normal while its process runs; has no functions");
        dump_header(&b, 0);
        for (uint32_t id = 0; id < 3; id++) {
                dump_begin(&b, id, 1);
                dump_end(&b);
        }
        expect_note(&b, "has damaged records, which are not read: 3; has no functions");
        dump_header(&b, 0);
        dump_move(&b, 1, 0x1000, 0x2000, 4, 9); /* of what was never loaded */
        expect_note(&b, "has damaged records, which are not read: 1; has no functions");
}

static void add_odd_load(struct dump_builder *b, uint64_t addr, uint64_t size, const char *tail,
                         size_t tail_size)
{
        dump_begin(b, 0, 1);
        dump_u64(b, 0);
        dump_u64(b, addr);
        dump_u64(b, addr);
        dump_u64(b, size);
        dump_u64(b, 0);
        buf_add(&b->bytes, tail, tail_size);
        dump_end(b);
}

TEST(jitdump_leaves_out_loads_of_extreme_sizes)
{
        static const uint64_t sizes[] = {5, 1u << 31, UINT32_MAX, 1ull << 32, 1ull << 63, UINT64_MAX};
        AUTO_RELEASE(buf) note = {0};
        AUTO(jitdump) dump = NULL;
        struct dump_builder b = {0};

        dump_header(&b, 0);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                add_odd_load(&b, 0x1000, sizes[i], "f\0abcd", 6);
        add_odd_load(&b, 0x1000, 0, "no end", 6);
        add_odd_load(&b, UINT64_MAX, 2, "f\0ab", 4); /* beyond the last address */
        add_odd_load(&b, UINT64_MAX - 4, 4, "last\0abcd", 9);
        dump_move(&b, 2, UINT64_MAX - 4, UINT64_MAX - 3, 4, 0);
        dump_move(&b, 2, UINT64_MAX - 4, UINT64_MAX - 2, 4, 0); /* wraps, too */
        dump = jitdump_new_bytes(b.bytes.data, b.bytes.len, NULL, &note);
        EXPECT_STR(buf_text(&note), "has damaged records, which are not read: 10");
        EXPECT_STR(latest_at(dump, UINT64_MAX - 5), "");
        EXPECT_STR(latest_at(dump, UINT64_MAX - 1), "last");
        EXPECT_STR(latest_at(dump, UINT64_MAX), "");
        buf_release(&b.bytes);
}

TEST(jitdump_leaves_out_line_tables_of_extreme_sizes)
{
        static const uint64_t counts[] = {3, 1u << 31, 1ull << 60, UINT64_MAX};
        AUTO_RELEASE(buf) note = {0};
        AUTO(jitdump) dump = NULL;
        struct dump_builder b = {0};
        struct jitdump_lines lines;
        struct jitdump_line line;

        dump_header(&b, 0);
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
                dump_lines_begin(&b, 1, 0x1000, counts[i]);
                dump_line(&b, 0x1000, 1, 0, "a");
                dump_line(&b, 0x1001, 1, 0, "a");
                dump_end(&b);
                dump_load(&b, 1, 0x1000, 4, i, "f");
        }
        /* Of another function: it is not the line table of this function, nor of the next one. */
        dump_lines_begin(&b, 2, 0x2000, 1);
        dump_line(&b, 0x2000, 1, 0, "a");
        dump_end(&b);
        dump_load(&b, 2, 0x1000, 4, 9, "f");
        dump_load(&b, 2, 0x2000, 4, 10, "g");
        dump = jitdump_new_bytes(b.bytes.data, b.bytes.len, NULL, &note);
        EXPECT_STR(buf_text(&note), "has damaged records, which are not read: 4");
        ASSERT_CMP(count_loads(dump), ==, 6);
        for (size_t i = 0; i < 6; i++) {
                jitdump_lines_begin(dump, jitdump_get_load(dump, i), &lines);
                EXPECT_TRUE(!jitdump_lines_next(&lines, &line));
        }
        buf_release(&b.bytes);
}

/* Some compilers give every function the same number, and move code that was moved before. */
TEST(jitdump_follows_moves)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(jitdump) dump = NULL;
        struct dump_builder b = {0};

        dump_header(&b, 0);
        dump_load(&b, 1, 0x1000, 16, 0, "one");
        dump_load(&b, 2, 0x2000, 16, 0, "two");
        dump_move(&b, 3, 0x1000, 0x3000, 16, 0);
        dump_move(&b, 4, 0x3000, 0x4000, 16, 0);
        dump_move(&b, 5, 0x2000, 0x1000, 16, 0);
        dump = jitdump_new_bytes(b.bytes.data, b.bytes.len, NULL, &note);
        EXPECT_STR(buf_text(&note), "");
        EXPECT_STR(latest_at(dump, 0x400f), "one");
        EXPECT_STR(latest_at(dump, 0x1000), "two");
        EXPECT_STR(name_at(dump, 0x1000, 4), "one");
        EXPECT_STR(name_at(dump, 0x4000, 3), "");
        buf_release(&b.bytes);
}

TEST(jitdump_keeps_its_limits)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(jitdump) dump = NULL;
        struct dump_builder b = {0};
        char *name = malloc(JITDUMP_MAX_NAME + 2);

        ASSERT_TRUE(name);
        memset(name, 'x', JITDUMP_MAX_NAME + 1);
        name[JITDUMP_MAX_NAME + 1] = '\0';
        dump_header(&b, 0);
        dump_load(&b, 1, 0x1000, 1, 0, name);
        for (size_t i = 1; i <= JITDUMP_MAX_LOADS; i++)
                dump_load(&b, 1, 0x1000 + i, 1, i, "f");
        dump = jitdump_new_bytes(b.bytes.data, b.bytes.len, NULL, &note);
        EXPECT_STR(buf_text(&note), "only its first 1048576 functions are read");
        EXPECT_INT(count_loads(dump), JITDUMP_MAX_LOADS);
        EXPECT_INT(jitdump_get_load(dump, 0)->name_len, JITDUMP_MAX_NAME);
        EXPECT_STR(latest_at(dump, 0x1000 + JITDUMP_MAX_LOADS - 1), "f");
        EXPECT_STR(latest_at(dump, 0x1000 + JITDUMP_MAX_LOADS), "");
        buf_release(&b.bytes);
        free(name);
}

TEST(jitdump_says_that_a_file_is_missing)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(jitdump) gone = jitdump_new(data_path("text/jit-1.dump"), &any_origin, NULL, &note);
        struct jitdump_facts none = {0};

        EXPECT_STR(buf_text(&note), "no such file");
        EXPECT_STR(latest_at(gone, 0), "");
        EXPECT_TRUE(!memcmp(jitdump_get_facts(gone), &none, sizeof(none)));
        buf_clear(&note);
        jitdump_free(jitdump_new(data_path("text/perf.map"), &any_origin, NULL, &note));
        EXPECT_STR(buf_text(&note), "is not a jitdump file");
}

TAP_MAIN
