/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of Chrome: slices of neighbouring samples, the wall clock, other events than clocks, and hostile
 * names. */
#include "export_chrome.h"

#include <stdio.h>
#include <string.h>

#include "json_check.h"
#include "samples_builder.h"
#include "tap.h"

enum { MS = 1000000 };

static void add(struct sample_list *list, uint64_t time_ns, uint32_t node, uint64_t weight)
{
        sample_list_add(list, &(struct listed_sample){
                                      .time_ns = time_ns,
                                      .weight = weight,
                                      .node = node,
                                      .comm = sample_list_add_text(list, "python3"),
                                      .pid = 7,
                                      .tid = 7,
                              });
}

struct pieces {
        struct buf text;
        size_t n, most_bytes;
        size_t limit; /* of the bytes in all */
};

static bool put(void *ctx, const void *bytes, size_t size, struct err *err)
{
        struct pieces *pieces = ctx;

        buf_add(&pieces->text, bytes, size);
        pieces->n++;
        pieces->most_bytes = size > pieces->most_bytes ? size : pieces->most_bytes;
        return pieces->text.len < pieces->limit || err_set(err, ERR_IO, "full");
}

static bool write_pieces(const struct export_chrome *trace, struct pieces *pieces, struct err *err)
{
        return export_chrome(trace, &(struct export_sink){put, pieces}, err);
}

static void write(const struct sample_list *samples, const struct export_about *about, struct buf *out)
{
        AUTO(named_stacks) stacks = samples_ordinary_stacks();

        struct pieces pieces = {.limit = SIZE_MAX};
        struct err err = {0};

        EXPECT_TRUE(
                write_pieces(&(struct export_chrome){.samples = samples, .stacks = stacks, .about = about},
                             &pieces, &err));
        EXPECT_TRUE(json_check(buf_text(&pieces.text)));
        *out = pieces.text;
}

/* The slices as "NAME BEGIN+DURATION", with depth not shown. */
static void expect_slices(const struct buf *out, const char *expected)
{
        AUTO_RELEASE(buf) text = {0};
        const char *at = buf_text(out);

        while ((at = strstr(at, "{\"ph\":\"X\"")) != NULL) {
                unsigned long long begin, duration;
                char name[64];

                ASSERT_CMP(
                        sscanf(at,
                               "{\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":%llu,\"dur\":%llu,\"name\":\"%63[^\"]",
                               &begin, &duration, name),
                        ==, 3);
                buf_printf(&text, "%s %llu+%llu\n", name, begin, duration);
                at++;
        }
        EXPECT_STR(buf_text(&text), expected);
}

TEST(neighbouring_samples_are_one_slice)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) out = {0};
        const struct export_about about = {.event = "cpu-clock:u", .is_time = true};

        add(samples, 101 * MS, 0, MS);
        add(samples, 102 * MS + MS / 2, 1, MS);
        add(samples, 103 * MS, 0, MS);
        add(samples, 110 * MS, 0, MS);
        write(samples, &about, &out);
        expect_slices(&out, "main 100000+3000\n"
                            "work 101000+999\nadd (inlined) 101000+999\ncarry (inlined) 101000+999\n"
                            "main 109000+1000\n");
}

TEST(the_wall_clock)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) out = {0};
        const struct export_about about = {
                .event = "cpu-clock:u", .is_time = true, .wall_offset_ns = 1700000000000000000};

        add(samples, 101 * MS, 0, MS);
        write(samples, &about, &out);
        expect_slices(&out, "main 1700000000100000+1000\n");
}

/* A session may have any number there. */
TEST(a_wall_clock_without_sense)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) out = {0};
        const struct export_about about = {
                .event = "cpu-clock:u", .is_time = true, .wall_offset_ns = INT64_MAX};

        add(samples, 101 * MS, 0, MS);
        write(samples, &about, &out);
        expect_slices(&out, "main 9223372036954775+1000\n");
}

TEST(samples_of_other_events_stand_for_the_time_before_them)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) out = {0};
        const struct export_about about = {.event = "cycles"};

        add(samples, 100 * MS, 0, 4000000);
        add(samples, 101 * MS, 0, 4000000);
        add(samples, 103 * MS, 1, 4000000);
        add(samples, 104 * MS, 0, 4000000);
        add(samples, 114 * MS, 0, 4000000);
        write(samples, &about, &out);
        expect_slices(&out, "main 99000+5000\n"
                            "work 101000+1999\nadd (inlined) 101000+1999\ncarry (inlined) 101000+1999\n"
                            "main 113000+1000\n");
}

TEST(samples_closer_than_a_microsecond)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) out = {0};
        const struct export_about about = {.event = "cpu-clock:u", .is_time = true};

        add(samples, 1000, 0, 100);
        add(samples, 1100, 1, 100);
        add(samples, 1200, 0, 1100);
        write(samples, &about, &out);
        expect_slices(&out, "main 0+2\n");
}

TEST(threads_and_files)
{
        AUTO(sample_list) samples = samples_ordinary();
        AUTO_RELEASE(buf) out = {0};
        const char *at;

        write(samples, &export_ordinary_about, &out);
        EXPECT_CONTAINS(
                buf_text(&out),
                "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"event\":\"cpu-clock:u\","
                "\"command\":\"wperf record -g -- python3 work.py\",\"tool\":\"wperf 1.2\"},\"traceEvents\":["
                "{\"ph\":\"M\",\"pid\":7,\"tid\":7,\"name\":\"process_name\",\"args\":{\"name\":\"python3\"}},"
                "{\"ph\":\"M\",\"pid\":7,\"tid\":7,\"name\":\"thread_name\",\"args\":{\"name\":\"python3\"}},"
                "{\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":99999998,\"dur\":1,\"name\":\"main\","
                "\"args\":{\"file\":\"/usr/bin/python3.11\"}},");
        at = strstr(buf_text(&out), "{\"ph\":\"M\",\"pid\":7,\"tid\":123456,\"name\":\"thread_name\"");
        ASSERT_TRUE(at);
        EXPECT_STR(
                at,
                "{\"ph\":\"M\",\"pid\":7,\"tid\":123456,\"name\":\"thread_name\",\"args\":{\"name\":\"unknown\"}},"
                "{\"ph\":\"X\",\"pid\":7,\"tid\":123456,\"ts\":100002999,\"dur\":1,\"name\":\"[unknown]\"},"
                "{\"ph\":\"X\",\"pid\":7,\"tid\":123456,\"ts\":100002999,\"dur\":1,\"name\":\"[heap]\","
                "\"args\":{\"file\":\"[heap]\"}}]}\n");
}

TEST(hostile_names)
{
        AUTO(sample_list) samples = samples_hostile();
        AUTO(named_stacks) stacks = samples_hostile_stacks();
        struct pieces pieces = {.limit = SIZE_MAX};
        struct err err = {0};

        EXPECT_TRUE(write_pieces(
                &(struct export_chrome){.samples = samples, .stacks = stacks, .about = &export_hostile_about},
                &pieces, &err));
        EXPECT_TRUE(json_check(buf_text(&pieces.text)));
        EXPECT_TRUE(!strchr(buf_text(&pieces.text), 0x1b));
        buf_release(&pieces.text);
}

TEST(written_in_pieces_until_that_fails)
{
        const struct export_about about = {.event = "cpu-clock:u", .is_time = true};
        AUTO(sample_list) samples = sample_list_new();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        const struct export_chrome trace = {.samples = samples, .stacks = stacks, .about = &about};
        struct pieces pieces = {.limit = SIZE_MAX};
        struct err err = {0};

        for (uint64_t i = 0; i < 20000; i++)
                add(samples, (100 + i) * MS, i % 2, MS);
        ASSERT_TRUE(write_pieces(&trace, &pieces, &err));
        EXPECT_TRUE(pieces.text.len > 2000000 && pieces.most_bytes < 70000);
        EXPECT_TRUE(json_check(buf_text(&pieces.text)));
        buf_release(&pieces.text);
        pieces = (struct pieces){.limit = 200000};
        EXPECT_TRUE(!write_pieces(&trace, &pieces, &err));
        EXPECT_STR(err.text, "full");
        EXPECT_CMP(pieces.n, <, 5);
        buf_release(&pieces.text);
}

TAP_MAIN
