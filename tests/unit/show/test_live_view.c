/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_view.h"

#include <string.h>

#include "tap.h"
#include "text.h"

/* Rows of 50 threads, of which the last one may stand for several. */
static void expect_end(size_t max_rows, size_t n_merged, const char *end)
{
        enum { N = 50 };
        struct live_row rows[N] = {0};
        struct live_table table = {.is_time = true, .event = "cpu-clock"};
        const struct live_view view = {
                .table = &table, .kind = LIVE_THREADS, .target = "t", .state = "", .max_rows = max_rows};
        AUTO_RELEASE(buf) out = {0};

        for (size_t i = 0; i < N; i++)
                rows[i] = (struct live_row){.name = "row", .label = "", .module = "", .file = ""};
        rows[N - 1].is_rest = n_merged;
        table.kinds[LIVE_THREADS] = (struct live_rows){.items = rows, .n = N, .n_merged = n_merged};
        live_view_text(&view, &out);
        EXPECT_TRUE(out.len > strlen(end));
        EXPECT_STR(buf_text(&out) + out.len - strlen(end), end);
}

TEST(the_number_of_rows_that_are_not_printed)
{
        expect_end(20, 0, "  row\n                    30 more\n");
        expect_end(20, 100, "  row\n                    129 more\n");
        expect_end(50, 100, "  0.0    0.0   0.0  100 more\n");
        expect_end(0, 0, "  row\n");
}

/* Why Python programs have native functions only: in words that fit, before the sums. */
TEST(a_note_in_the_heading)
{
        struct live_table table = {.is_time = true, .event = "cpu-clock"};
        struct live_view view = {.table = &table, .target = "t", .state = "", .note = "", .max_columns = 20};
        AUTO_RELEASE(buf) out = {0};

        EXPECT_INT(live_view_n_sums(&view), 1);
        view.note = "no Python functions: ask root\033";
        EXPECT_INT(live_view_n_sums(&view), 3);
        live_view_add_sums(&view, 0, &out);
        EXPECT_STR(buf_text(&out), "no Python functions:");
        buf_clear(&out);
        live_view_add_sums(&view, 1, &out);
        EXPECT_TRUE(text_starts(buf_text(&out), "ask root") && !strchr(buf_text(&out), '\033'));
        buf_clear(&out);
        live_view_add_sums(&view, 2, &out);
        EXPECT_TRUE(strstr(buf_text(&out), "0 samples, 0 lost") != NULL);
        view.max_columns = 0;
        EXPECT_INT(live_view_n_sums(&view), 2);
        buf_clear(&out);
        live_view_text(&view, &out);
        EXPECT_TRUE(strstr(buf_text(&out), "\nno Python functions: ask root") != NULL);
        buf_clear(&out);
        live_view_json(&view, &out);
        EXPECT_TRUE(strstr(buf_text(&out), "\"note\":\"no Python functions: ask root") != NULL);
}

TAP_MAIN
