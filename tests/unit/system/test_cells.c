/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells, and the escape codes that change one screen to the next, read by a model of a terminal. */
#include <string.h>

#include "buf.h"
#include "cells.h"

#include "tap.h"
#include "terminal_model.h"

static const struct cell_style plain, red = {.text = CELL_RGB | 0xff0000, .attributes = CELL_BOLD};

struct drawing {
        struct cells wanted, shown;
        struct terminal_model terminal;
        struct buf bytes;
};

static struct drawing begin(unsigned columns, unsigned rows)
{
        struct drawing d = {0};

        cells_resize(&d.wanted, columns, rows);
        cells_resize(&d.terminal.cells, columns, rows);
        return d;
}

static void end(struct drawing *d)
{
        cells_release(&d->wanted);
        cells_release(&d->shown);
        cells_release(&d->terminal.cells);
        buf_release(&d->bytes);
}

/* Draws the wanted screen; the written bytes are in d->bytes. */
static void show(struct drawing *d)
{
        buf_clear(&d->bytes);
        cells_update(&d->shown, &d->wanted, CELL_COLORS_TRUE, false, &d->bytes);
        if (d->bytes.len)
                terminal_model_feed(&d->terminal, buf_text(&d->bytes));
        EXPECT_STR(d->terminal.wrong ? d->terminal.wrong : "", "");
        EXPECT_TRUE(terminal_model_shows(&d->terminal, &d->wanted));
}

static void row_text(const struct cells *cells, unsigned row, struct buf *out)
{
        buf_clear(out);
        cells_add_text(cells, row, out);
}

TEST(text_is_put_and_cut)
{
        struct drawing d = begin(10, 2);
        AUTO_RELEASE(buf) text = {0};

        EXPECT_INT(cells_put(&d.wanted, 0, 0, 4, plain, "abcdef"), 4);
        EXPECT_INT(cells_put(&d.wanted, 1, 8, 99, plain, "xyz"), 3);
        EXPECT_INT(cells_put(&d.wanted, 7, 0, 99, plain, "outside"), 7);
        row_text(&d.wanted, 0, &text);
        EXPECT_STR(buf_text(&text), "abcd");
        row_text(&d.wanted, 1, &text);
        EXPECT_STR(buf_text(&text), "        xy");
        show(&d);
        end(&d);
}

TEST(escape_codes_in_a_name_are_text)
{
        struct drawing d = begin(40, 1);
        AUTO_RELEASE(buf) text = {0};

        cells_put(&d.wanted, 0, 0, 40, plain,
                  "a\033[2Jb\x01\xff\xe2\x80\xae"
                  "c");
        row_text(&d.wanted, 0, &text);
        EXPECT_STR(buf_text(&text), "a\\x1b[2Jb\\x01\\xff\\u202ec");
        show(&d);
        end(&d);
}

TEST(a_wide_character_that_loses_a_half_is_blank)
{
        struct drawing d = begin(8, 1);
        AUTO_RELEASE(buf) text = {0};

        cells_put(&d.wanted, 0, 0, 8, plain, "\xe6\xbc\xa2\xe5\xad\x97zz");
        show(&d);
        cells_put(&d.wanted, 0, 1, 1, plain, "x");
        cells_put(&d.wanted, 0, 2, 1, plain, "y");
        row_text(&d.wanted, 0, &text);
        EXPECT_STR(buf_text(&text), " xy zz");
        show(&d);
        /* None fits into the last column. */
        EXPECT_INT(cells_put(&d.wanted, 0, 7, 1, plain, "\xe6\xbc\xa2"), 0);
        show(&d);
        end(&d);
}

TEST(marks_join_their_character)
{
        struct drawing d = begin(8, 1);

        EXPECT_INT(cells_put(&d.wanted, 0, 0, 8, plain,
                             "\xcc\x81"
                             "e\xcc\x81z"),
                   2);
        EXPECT_INT(d.wanted.items[0].len, 3);
        show(&d);
        /* The maximum number for one cell. */
        cells_put(&d.wanted, 0, 0, 8, plain,
                  "a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81");
        EXPECT_INT(d.wanted.items[0].len, 13);
        show(&d);
        end(&d);
}

TEST(only_what_changed_is_sent)
{
        struct drawing d = begin(80, 24);

        for (unsigned row = 0; row < 24; row++)
                cells_put(&d.wanted, row, 0, 80, row % 2 ? red : plain,
                          "the same line in each row of the screen");
        show(&d);
        show(&d);
        EXPECT_INT(d.bytes.len, 0);
        cells_put(&d.wanted, 3, 10, 80, red, "X");
        show(&d);
        EXPECT_TRUE(d.bytes.len > 0 && d.bytes.len < 60);
        /* A row that becomes shorter is erased to its end. */
        cells_fill(&d.wanted, 5, 4, 80, plain);
        show(&d);
        EXPECT_CMP(d.bytes.len, <, 60);
        end(&d);
}

TEST(styles_are_sent)
{
        struct drawing d = begin(20, 3);

        cells_put(&d.wanted, 0, 0, 20, red, "red");
        cells_fill(&d.wanted, 1, 2, 5, (struct cell_style){.ground = CELL_RGB | 0x102030});
        cells_restyle(&d.wanted, 0, 1, 4, (struct cell_style){.attributes = CELL_REVERSE});
        EXPECT_INT(d.wanted.items[1].style.attributes, CELL_BOLD | CELL_REVERSE);
        EXPECT_INT(d.wanted.items[1].style.text, red.text);
        show(&d);
        cells_clear(&d.wanted);
        show(&d);
        end(&d);
}

static void expect_codes(enum cell_colors colors, cell_color color, const char *want)
{
        struct cells wanted = {0}, shown = {0};
        AUTO_RELEASE(buf) bytes = {0};

        cells_resize(&wanted, 1, 1);
        cells_put(&wanted, 0, 0, 1, (struct cell_style){.text = color}, "x");
        cells_update(&shown, &wanted, colors, true, &bytes);
        EXPECT_STR(buf_text(&bytes), want);
        cells_release(&wanted);
        cells_release(&shown);
}

TEST(colors_of_poorer_terminals)
{
        expect_codes(CELL_COLORS_NONE, CELL_RGB | 0xff0000, "\033[0m\033[2J\033[1;1H\033[0mx\033[0m");
        expect_codes(CELL_COLORS_16, CELL_RGB | 0xff0000, "\033[0m\033[2J\033[1;1H\033[0;91mx\033[0m");
        expect_codes(CELL_COLORS_16, CELL_RGB | 0x008000, "\033[0m\033[2J\033[1;1H\033[0;32mx\033[0m");
        expect_codes(CELL_COLORS_256, CELL_RGB | 0xff0000, "\033[0m\033[2J\033[1;1H\033[0;38;5;196mx\033[0m");
        expect_codes(CELL_COLORS_256, CELL_RGB | 0x808080, "\033[0m\033[2J\033[1;1H\033[0;38;5;244mx\033[0m");
}

TEST(a_new_size_is_drawn_anew)
{
        struct drawing d = begin(10, 2);

        cells_put(&d.wanted, 0, 0, 10, red, "0123456789");
        show(&d);
        cells_resize(&d.wanted, 5, 3);
        cells_resize(&d.terminal.cells, 5, 3);
        cells_put(&d.wanted, 2, 0, 10, red, "0123456789");
        show(&d);
        cells_resize(&d.wanted, 0, 0);
        cells_resize(&d.terminal.cells, 0, 0);
        show(&d);
        cells_resize(&d.wanted, 100000, 100000);
        EXPECT_INT(d.wanted.columns, CELLS_MAX_COLUMNS);
        EXPECT_INT(d.wanted.rows, CELLS_MAX_ROWS);
        end(&d);
}

TAP_MAIN
