/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress lines, as scripts read them. */
#include "progress_view.h"
#include "tap.h"

TEST(the_line_of_sampling_comes_whole)
{
        const char seconds[] = {progress_view_second(true), progress_view_second(false), '\0'};
        AUTO_RELEASE(buf) out = {0};

        progress_view_sampling(seconds, false, &out);
        EXPECT_STR(buf_text(&out), "sampling .e done!\n");
        buf_clear(&out);
        progress_view_sampling("", true, &out);
        EXPECT_STR(buf_text(&out), "sampling Ctrl-C received, quit counting... done!\n");
}

TEST(a_download_has_a_size_where_it_is_known)
{
        AUTO_RELEASE(buf) out = {0};

        progress_view_download("libc\x1b.debug", 3000, 10240, 9500000000, &out);
        EXPECT_STR(buf_text(&out), "\rdebuginfod: libc\\x1b.debug 2 of 10 KiB, 9 s left\x1b[K");
        buf_clear(&out);
        progress_view_download("a", 3000, 0, 0, &out);
        EXPECT_STR(buf_text(&out), "\rdebuginfod: a, 0 s left\x1b[K");
}

TEST(reading_has_a_share_while_records_are_read)
{
        AUTO_RELEASE(buf) out = {0};

        progress_view_reading("a\x1b", 0, 0, 1, &out);
        EXPECT_STR(buf_text(&out), "\rreading a\\x1b, 1 s\x1b[K");
        buf_clear(&out);
        progress_view_reading("a.data", 45, 100, 2, &out);
        EXPECT_STR(buf_text(&out), "\rreading a.data: 45 %, 2 s\x1b[K");
        buf_clear(&out);
        progress_view_reading("a.data", 100, 100, 3, &out);
        EXPECT_STR(buf_text(&out), "\rreading a.data: looking up names, 3 s\x1b[K");
}

TAP_MAIN
