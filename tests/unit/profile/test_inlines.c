/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows by inlined function and by line, from a session whose program has debug information. */
#include "hot_view.h"
#include "report.h"
#include "session_builder.h"
#include "tap.h"
#include "test_data.h"

enum { BASE = 0x400000, PID = 100 };

static const char session_path[] = "inlines-test.data";

/* Three samples of distance inside longest inside scaled, two of longest there, one of scaled alone, one of
 * distance inside longest inside sum_longest. */
static bool write_session(void)
{
        static const uint64_t addrs[] = {0x224, 0x225, 0x23b, 0x22c, 0x22d, 0x26a, 0x28b};
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "prog", true);
        builder_mmap(&b, 2, PID, BASE, 0x1000, 0, data_path("dwarf/gcc5.so"));
        for (size_t i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++)
                builder_sample_ip(&b, 1000 + i, PID, PID, BASE + addrs[i]);
        builder_round(&b);
        return builder_save(&b, session_path);
}

static void expect_text(struct row_keys keys, bool inlines, const char *want)
{
        struct report_request request = {
                .path = session_path, .keys = row_keys_bits(&keys), .inlines = inlines};
        struct err err = {0};
        AUTO(report) report = report_make(&request, &err);
        const struct report_event event = {.name = "e", .mean_period = 1, .n_samples = 7};
        struct hot_view view = {.events = &event, .n_events = 1, .keys = keys, .max_rows = 50};
        AUTO_RELEASE(buf) out = {0};

        if (!report) {
                TAP_FAIL("%s", err.text);
                return;
        }
        view.hot = report->hot;
        hot_view_csv(&view, &out);
        EXPECT_STR(buf_text(&out), want);
}

/* The file has no names but in its debug information, which is not asked for then. */
TEST(inlined_functions_are_where_they_were_inlined)
{
        ASSERT_TRUE(write_session());
        expect_text((struct row_keys){{ROW_SYMBOL}, 1}, false,
                    "overhead,count,symbol\n"
                    "85.71,6,0x220\n"
                    "14.29,1,0x270\n");
}

TEST(inlined_functions_have_rows_when_asked)
{
        ASSERT_TRUE(write_session());
        expect_text((struct row_keys){{ROW_SYMBOL}, 1}, true,
                    "overhead,count,symbol\n"
                    "57.14,4,distance\n"
                    "28.57,2,longest\n"
                    "14.29,1,scaled\n");
}

TEST(lines_have_rows_when_asked)
{
        ASSERT_TRUE(write_session());
        expect_text((struct row_keys){{ROW_SYMBOL, ROW_LINE}, 2}, true,
                    "overhead,count,symbol,line\n"
                    "57.14,4,distance,shapes.h:24\n"
                    "28.57,2,longest,shapes.h:31\n"
                    "14.29,1,scaled,one.c:22\n");
        expect_text((struct row_keys){{ROW_LINE}, 1}, false,
                    "overhead,count,line\n"
                    "57.14,4,shapes.h:24\n"
                    "28.57,2,shapes.h:31\n"
                    "14.29,1,one.c:22\n");
}

TAP_MAIN
