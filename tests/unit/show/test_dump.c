/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions of the builder as text and as JSON: valid, cut, swapped, compressed and piped.
 * tests/golden/dump_every_kind.stdout shows every record. */
#include "dump.h"

#include <stdlib.h>

#include "every_kind.h"
#include "json_check.h"
#include "tap.h"

struct pieces {
        struct buf all;
        size_t n, largest;
        size_t fail_at; /* the piece that is refused, from 1; 0: none */
};

static bool take_piece(void *ctx, const void *bytes, size_t size, struct err *err)
{
        struct pieces *p = ctx;

        p->n++;
        if (p->n == p->fail_at)
                return err_set(err, ERR_IO, "no room");
        buf_add(&p->all, bytes, size);
        p->largest = size > p->largest ? size : p->largest;
        return true;
}

static bool write_pieces(const struct buf *file, bool json, struct pieces *p, struct err *err)
{
        AUTO(dump) dump = dump_open_bytes(file->data, file->len, "FILE", err);

        return dump && dump_write(dump, json, &(struct field_output){take_piece, p}, err);
}

/* The document; "" and a failed test if there is none. */
static char *dump_text(const struct buf *file, bool json)
{
        struct pieces p = {0};
        struct err err = {0};

        if (!write_pieces(file, json, &p, &err))
                TAP_FAIL("%s", err.text);
        return buf_take(&p.all);
}

static void build(struct session_builder *b, struct buf *out, bool features)
{
        every_kind_records(b);
        if (features)
                every_kind_features(b);
        builder_file(b, out);
        builder_release(b);
}

static unsigned count(const char *text, const char *what)
{
        unsigned n = 0;

        for (; (text = strstr(text, what)); text += strlen(what))
                n++;
        return n;
}

TEST(json_says_what_text_says)
{
        AUTO_RELEASE(buf) file = {0};
        struct session_builder b;
        char *text, *json;

        builder_init(&b);
        build(&b, &file, true);
        text = dump_text(&file, false);
        json = dump_text(&file, true);
        EXPECT_TRUE(json_check(json));
        EXPECT_INT(count(json, "{\"offset\":"), count(text, "\n  0x"));
        EXPECT_CMP(count(json, "{\"offset\":"), >, 40);
        EXPECT_CONTAINS(json, "{\"header\":{\"magic\":\"PERFILE2\"");
        EXPECT_CONTAINS(json, "\"comm\":\"a \\\"b\\\"\\u001b[2J\\ufffd\"");
        EXPECT_CONTAINS(text, "comm \"a \\x22b\\x22\\x1b[2J\\xff\"");
        EXPECT_CONTAINS(json,
                        "\"event\":\"cpu-clock\",\"pid\":100,\"tid\":101,\"cpu\":3,\"time_ns\":1000000001,"
                        "\"ip\":\"0xffffffff81000100\",\"period\":1000000,\"id\":11,\"chain\":[\"0x");
        EXPECT_CONTAINS(text,
                        "cpu-clock pid 100 tid 101 cpu 3 time 1.000000001 ip 0xffffffff81000100 period");
        EXPECT_CONTAINS(
                json,
                "\"damage\":{\"cut_bytes\":0,\"malformed\":1,\"unknown_types\":2,\"unknown_events\":1,");
        free(text);
        free(json);
}

/* From the events on, except for bytes that are shown unchanged. */
TEST(other_byte_order_reads_the_same)
{
        static const char *const lines[] = {
                "MMAP2  misc 0x4002 size 120  pid 100 tid 100 start 0x500000 len 0x2000 pgoff 0x0 build_id b11d01",
                "NAMESPACES  misc 0x0 size 88  pid 100 tid 101 namespaces [{dev 0x3 inode 4026531837} {dev",
                "READ  misc 0x0 size 88  pid 100 tid 101 read {value 12345 enabled 99 running 98 id 11 lost 1}",
                ("every-field pid 100 tid 101 cpu 3 time 3058.968324123 ip 0x400110 period 1001001 id 12 addr 0xadd0 "
                 "weight 5 ins_lat 6 p_stage_cyc 7 data_src"),
                "branches [{from 0x400110 to 0x400200 predicted yes cycles 16}]",
                "STAT  misc 0x0 size 48  id 11 cpu 3 thread 0 value 123456789 enabled 100 running 50",
        };

        for (int swap = 0; swap < 2; swap++) {
                AUTO_RELEASE(buf) file = {0};
                struct session_builder b;
                char *text;

                builder_init(&b);
                b.swap = swap;
                builder_feature_str(&b, 3, "host"); /* its bit tells how the others are written */
                b.names[0] = "cpu-clock";
                b.names[1] = "every-field";
                build(&b, &file, false);
                text = dump_text(&file, false);
                for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
                        EXPECT_CONTAINS(text, lines[i]);
                EXPECT_CMP(!strstr(text, "big endian"), !=,
                           (swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)));
                free(text);
        }
}

TEST(pipe_knows_its_events_before_its_records)
{
        AUTO_RELEASE(buf) file = {0};
        struct session_builder b;
        char *text;

        builder_init(&b);
        b.pipe = true;
        builder_feature_str(&b, 3, "host");
        every_kind_records(&b);
        buf_truncate(&b.records, b.record_start); /* a pipe ends at a type that is not a record of perf */
        builder_file(&b, &file);
        builder_release(&b);
        text = dump_text(&file, false);
        EXPECT_CONTAINS(text, "mode pipe\n");
        EXPECT_CONTAINS(text, "\nevents\n  name cpu-clock:u\n  ids 11\n");
        EXPECT_CONTAINS(text, "\n  name every-field\n");
        EXPECT_CONTAINS(text, "\nfeatures\n  HOSTNAME host\nrecords\n");
        EXPECT_CONTAINS(text, "  0x10  ATTR  misc 0x0 size 152  attr_type 1 attr_size 136 config 0x0 ");
        EXPECT_CONTAINS(text, " ids [11]\n");
        EXPECT_CONTAINS(text, "  FEATURE  misc 0x0 size 84  HOSTNAME host\n");
        free(text);
}

TEST(packed_records_are_shown_behind_their_pack)
{
        AUTO_RELEASE(buf) file = {0};
        struct session_builder b;
        char *text;

        builder_init(&b);
        builder_sample_ip(&b, 1, 100, 100, 0x400100);
        builder_sample_ip(&b, 2, 100, 100, 0x400104);
        if (!builder_compress(&b, 1000, false)) {
                builder_release(&b);
                SKIP("no zstd in this build");
        }
        builder_file(&b, &file);
        builder_release(&b);
        text = dump_text(&file, false);
        EXPECT_CONTAINS(text, "COMPRESSED  misc 0x0 size ");
        EXPECT_CONTAINS(text, " packed {size ");
        EXPECT_INT(count(text, "  SAMPLE  misc"), 2);
        EXPECT_CMP(strstr(text, "COMPRESSED"), <, strstr(text, "SAMPLE  "));
        free(text);
}

/* Its bytes are in no text: the section is shown. */
TEST(a_piece_of_a_section_is_named)
{
        AUTO_RELEASE(buf) file = {0};
        struct session_builder b;
        char *text;

        builder_init(&b);
        builder_begin(&b, PERF_RECORD_HEADER_FEATURE, 0);
        builder_u64(&b, 15);
        builder_bytes(&b, "WPERFSEC", 8);
        builder_u32(&b, 234);
        builder_u32(&b, 8);
        builder_bytes(&b, "WPWA\4\0\0\0", 8);
        builder_end(&b);
        builder_file(&b, &file);
        builder_release(&b);
        text = dump_text(&file, false);
        EXPECT_CONTAINS(text, "FEATURE  misc 0x0 size 40  WPERF_WAITS bytes 8\n");
        free(text);
        text = dump_text(&file, true);
        EXPECT_CONTAINS(text, "\"piece_of\":\"WPERF_WAITS\",\"bytes\":8}");
        free(text);
}

TEST(cut_anywhere_it_stays_a_document)
{
        AUTO_RELEASE(buf) file = {0};
        struct session_builder b;

        builder_init(&b);
        build(&b, &file, true);
        for (size_t size = 0; size < file.len; size += size < 300 ? 1 : 61) {
                struct buf part = {.data = file.data, .len = size};
                struct pieces p = {0};
                struct err err = {0};

                if (!write_pieces(&part, true, &p, &err))
                        EXPECT_CONTAINS(err.text, "FILE: ");
                else if (!json_check(buf_text(&p.all)))
                        TAP_FAIL("%zu bytes: %s", size, buf_text(&p.all));
                buf_release(&p.all);
        }
}

static void build_long(struct buf *out)
{
        enum { N_SAMPLES = 5000 };
        struct session_builder b;

        builder_init(&b);
        for (uint64_t i = 1; i <= N_SAMPLES; i++)
                builder_sample_ip(&b, i, 100, 100, 0x400000 + i);
        builder_file(&b, out);
        builder_release(&b);
}

TEST(goes_out_in_pieces)
{
        for (int json = 0; json < 2; json++) {
                AUTO_RELEASE(buf) file = {0};
                struct pieces p = {0};

                build_long(&file);
                EXPECT_TRUE(write_pieces(&file, json, &p, NULL));
                EXPECT_CMP(p.n, >, 8);
                EXPECT_CMP(p.largest, <, FIELD_PIECE_BYTES + 1024);
                EXPECT_INT(count(buf_text(&p.all), "SAMPLE"), 5000);
                EXPECT_TRUE(!json || json_check(buf_text(&p.all)));
                buf_release(&p.all);
        }
}

TEST(a_refused_piece_ends_it)
{
        AUTO_RELEASE(buf) file = {0};
        struct pieces p = {.fail_at = 3};
        struct err err = {0};

        build_long(&file);
        EXPECT_TRUE(!write_pieces(&file, false, &p, &err));
        EXPECT_STR(err.text, "no room");
        EXPECT_INT(p.n, 3);
        buf_release(&p.all);
}

TAP_MAIN
