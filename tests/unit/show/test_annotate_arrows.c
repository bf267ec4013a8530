/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_arrows.h"

#include "tap.h"

static void expect_drawing(const struct arrow *list, size_t n, size_t n_rows, const char *want)
{
        struct arrows *arrows = arrows_new(list, n, n_rows);
        struct buf out = {0};

        for (size_t i = 0; i < n_rows; i++) {
                arrows_add_row(arrows, i, &out);
                buf_add_char(&out, '\n');
        }
        EXPECT_STR(buf_text(&out), want);
        buf_release(&out);
        arrows_free(arrows);
}

TEST(no_arrows_take_no_place)
{
        struct arrows *arrows = arrows_new(NULL, 0, 3);

        EXPECT_INT(arrows_width(arrows), 0);
        arrows_free(arrows);
}

TEST(down_and_up)
{
        expect_drawing((struct arrow[]){{0, 2}}, 1, 3,
                       ",-\n"
                       "| \n"
                       "'>\n");
        expect_drawing((struct arrow[]){{2, 0}}, 1, 3,
                       ",>\n"
                       "| \n"
                       "'-\n");
        expect_drawing((struct arrow[]){{1, 1}}, 1, 2,
                       "  \n"
                       "@>\n");
}

TEST(short_ones_are_nearest_to_the_text)
{
        expect_drawing((struct arrow[]){{0, 4}, {3, 1}}, 2, 5,
                       ",--\n"
                       "|,>\n"
                       "|| \n"
                       "|'-\n"
                       "'->\n");
        expect_drawing((struct arrow[]){{0, 2}, {1, 3}}, 2, 4,
                       " ,-\n"
                       ",+-\n"
                       "|'>\n"
                       "'->\n");
}

TEST(what_finds_no_lane_is_left_out)
{
        struct arrow list[ARROWS_LANES + 4];
        struct arrows *arrows;

        for (size_t i = 0; i < ARROWS_LANES + 4; i++)
                list[i] = (struct arrow){i, 40 + i};
        arrows = arrows_new(list, ARROWS_LANES + 4, 60);
        EXPECT_INT(arrows_width(arrows), ARROWS_LANES + 1);
        arrows_free(arrows);
}

TEST(what_runs_between_two_rows)
{
        struct arrows *arrows = arrows_new((struct arrow[]){{0, 2}, {2, 3}}, 2, 4);
        struct buf out = {0};

        for (size_t i = 0; i < 4; i++) {
                arrows_add_between(arrows, i, &out);
                buf_add_char(&out, '|');
        }
        EXPECT_STR(buf_text(&out), "|  ||  | | |   |");
        buf_release(&out);
        arrows_free(arrows);
}

TAP_MAIN
