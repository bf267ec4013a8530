/* SPDX-License-Identifier: BSD-3-Clause */
/* Line tables: those of each version's compiler compared with the lines of that version, and hand-made
 * tables. */
#include "python_lines.h"
#include "python_lines_data.h"
#include "tap.h"

static enum python_table table_of(unsigned minor)
{
        return minor < 10 ? PYTHON_TABLE_LNOTAB : minor == 10 ? PYTHON_TABLE_LINES : PYTHON_TABLE_LOCATIONS;
}

TEST(tables_of_compilers)
{
        size_t n_cases = sizeof(line_cases) / sizeof(line_cases[0]);
        unsigned versions = 0;

        for (size_t i = 0; i < n_cases; i++) {
                const struct line_case *c = &line_cases[i];

                versions |= 1u << c->minor;
                for (size_t unit = 0; unit < c->n_lines; unit++) {
                        int32_t got = python_lines_find(table_of(c->minor), c->table, c->n_table,
                                                        c->first_line, (int32_t)unit * 2);

                        if (got != c->lines[unit])
                                TAP_FAIL("3.%u %s at %zu: line %d, want %d", c->minor, c->name, unit * 2, got,
                                         c->lines[unit]);
                }
                EXPECT_INT(python_lines_find(table_of(c->minor), c->table, c->n_table, c->first_line, -1),
                           c->first_line);
        }
        EXPECT_INT(versions, 1 << 8 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13);
}

#define FIND(format, first, instr, ...)                                                                      \
        python_lines_find(PYTHON_TABLE_##format, (const uint8_t[]){__VA_ARGS__},                             \
                          sizeof((const uint8_t[]){__VA_ARGS__}), first, instr)

TEST(lnotab_by_hand)
{
        EXPECT_INT(FIND(LNOTAB, 1, 0, 0, 1, 50, 44), 2);
        EXPECT_INT(FIND(LNOTAB, 1, 49, 0, 1, 50, 44), 2);
        EXPECT_INT(FIND(LNOTAB, 1, 50, 0, 1, 50, 44), 46);
        EXPECT_INT(FIND(LNOTAB, 1, 255, 255, 0, 45, 45), 1);
        EXPECT_INT(FIND(LNOTAB, 1, 300, 255, 0, 45, 45), 46);
        EXPECT_INT(FIND(LNOTAB, 10, 4, 4, 0xfe), 8);
        EXPECT_INT(FIND(LNOTAB, 10, 4, 4, 0xfe, 4), 8); /* half a pair */
        EXPECT_INT(FIND(LNOTAB, 1, 4, 4, 0x80), 0);     /* before the first line */
}

TEST(lines_by_hand)
{
        /* The example of PEP 626: lnotab_notes.txt. */
        EXPECT_INT(FIND(LINES, 1, 0, 6, 1, 44, 0, 6, 44), 2);
        EXPECT_INT(FIND(LINES, 1, 49, 6, 1, 44, 0, 6, 44), 2);
        EXPECT_INT(FIND(LINES, 1, 50, 6, 1, 44, 0, 6, 44), 46);
        EXPECT_INT(FIND(LINES, 1, 56, 6, 1, 44, 0, 6, 44), 0); /* behind the table */
        EXPECT_INT(FIND(LINES, 5, 2, 2, 0, 2, 0x80, 2, 1), 0); /* no line */
        EXPECT_INT(FIND(LINES, 5, 4, 2, 0, 2, 0x80, 2, 1), 6);
        EXPECT_INT(FIND(LINES, 5, 0, 0, 100, 2, 100), 205); /* more than one byte can say */
}

TEST(locations_by_hand)
{
        EXPECT_INT(FIND(LOCATIONS, 7, 0, 0x80 | 0 << 3 | 1, 0), 7); /* short, two units */
        EXPECT_INT(FIND(LOCATIONS, 7, 3, 0x80 | 0 << 3 | 1, 0), 7);
        EXPECT_INT(FIND(LOCATIONS, 7, 4, 0x80 | 0 << 3 | 1, 0), 0);
        EXPECT_INT(FIND(LOCATIONS, 7, 0, 0x80 | 12 << 3, 1, 2), 9);
        EXPECT_INT(FIND(LOCATIONS, 7, 0, 0x80 | 13 << 3, 3), 6); /* -1 */
        EXPECT_INT(FIND(LOCATIONS, 7, 0, 0x80 | 14 << 3, 64, 32, 0, 0, 0),
                   7 + 1024); /* two bytes of six bits */
        EXPECT_INT(FIND(LOCATIONS, 7, 2, 0x80 | 15 << 3, 0x80 | 11 << 3, 0, 0), 8);
        EXPECT_INT(FIND(LOCATIONS, 7, 0, 0x80 | 15 << 3, 0x80 | 11 << 3, 0, 0), 0);
}

TEST(damaged_locations)
{
        EXPECT_INT(FIND(LOCATIONS, 7, 0, 0x01), 0);           /* no entry begins so */
        EXPECT_INT(FIND(LOCATIONS, 7, 0, 0x80 | 13 << 3), 0); /* ends in a number */
        EXPECT_INT(FIND(LOCATIONS, 7, 0, 0x80 | 13 << 3, 0x80), 0);
        EXPECT_INT(FIND(LOCATIONS, 7, 0, 0x80 | 13 << 3, 64, 64, 64, 64, 64, 64, 64, 1), 0);
        EXPECT_INT(FIND(LOCATIONS, INT32_MAX, 0, 0x80 | 12 << 3, 0, 0), 0); /* no line can be that large */
        EXPECT_INT(python_lines_find(PYTHON_TABLE_LOCATIONS, NULL, 0, 7, 0), 0);
        EXPECT_INT(python_lines_find(PYTHON_TABLE_LINES, NULL, 0, 7, 0), 0);
        EXPECT_INT(python_lines_find(PYTHON_TABLE_LNOTAB, NULL, 0, 7, 0), 7);
        EXPECT_INT(FIND(LOCATIONS, 7, INT32_MIN, 0x80 | 0 << 3 | 1, 0), 0);
}

TAP_MAIN
