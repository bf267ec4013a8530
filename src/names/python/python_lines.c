/* SPDX-License-Identifier: BSD-3-Clause */
/* The three formats of line tables. */
#include "python_lines.h"

#include <assert.h>
#include <stdbool.h>

/* A line that is out of range counts as no line. */
static int32_t line_of(int64_t line)
{
        return line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
}

/* Pairs of an unsigned number of code bytes and a signed line difference, which applies after these bytes. */
static int32_t find_lnotab(const uint8_t *table, size_t size, int64_t line, int64_t instr)
{
        int64_t at = 0;

        for (size_t i = 0; i + 1 < size; i += 2) {
                at += table[i];
                if (at > instr)
                        break;
                line += (int8_t)table[i + 1];
        }
        return line_of(line);
}

/* Pairs of an unsigned number of code bytes and a signed line difference, which applies to these bytes;
 * -128: they have no line. */
static int32_t find_lines(const uint8_t *table, size_t size, int64_t line, int64_t instr)
{
        int64_t at = 0;

        for (size_t i = 0; i + 1 < size; i += 2) {
                int8_t delta = (int8_t)table[i + 1];

                if (delta != -128)
                        line += delta;
                at += table[i];
                if (at > instr)
                        return delta == -128 ? 0 : line_of(line);
        }
        return 0;
}

enum {
        ENTRY_START = 0x80, /* set in the first byte of an entry only */
        CODE_FIRST_ONE_LINE = 10,
        CODE_LAST_ONE_LINE = 12,
        CODE_NO_COLUMNS = 13,
        CODE_LONG = 14,
        CODE_NO_LOCATION = 15,
        UNIT_BYTES = 2,
};

/* Each byte has six bits of the number, lowest first; bit 6 says that another byte follows.  The lowest bit
 * of the number is its sign. */
static bool read_signed(const uint8_t *table, size_t size, size_t *at, int64_t *ret_value)
{
        uint64_t value = 0;

        for (unsigned shift = 0; shift < 36 && *at < size && !(table[*at] & ENTRY_START); shift += 6) {
                uint8_t byte = table[(*at)++];

                value |= (uint64_t)(byte & 63) << shift;
                if (!(byte & 64)) {
                        *ret_value = value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
                        return true;
                }
        }
        return false;
}

/* Entries of one to eight code units; the first byte has the kind and the number of units minus 1. */
static int32_t find_locations(const uint8_t *table, size_t size, int64_t line, int64_t instr)
{
        int64_t end = 0;

        for (size_t i = 0; i < size;) {
                uint8_t first = table[i++], code = first >> 3 & 15;
                int64_t delta = 0;

                if (!(first & ENTRY_START))
                        return 0;
                if (code == CODE_NO_COLUMNS || code == CODE_LONG) {
                        if (!read_signed(table, size, &i, &delta))
                                return 0;
                } else if (code >= CODE_FIRST_ONE_LINE && code <= CODE_LAST_ONE_LINE) {
                        delta = code - CODE_FIRST_ONE_LINE;
                }
                line += delta;
                end += ((first & 7) + 1) * UNIT_BYTES;
                if (end > instr)
                        return code == CODE_NO_LOCATION ? 0 : line_of(line);
                while (i < size && !(table[i] & ENTRY_START))
                        i++;
        }
        return 0;
}

int32_t python_lines_find(enum python_table format, const uint8_t *table, size_t size, int32_t first_line,
                          int32_t instr_bytes)
{
        assert(table || !size);
        if (instr_bytes == -1)
                return line_of(first_line);
        if (instr_bytes < 0)
                return 0;
        switch (format) {
        case PYTHON_TABLE_LNOTAB: return find_lnotab(table, size, first_line, instr_bytes);
        case PYTHON_TABLE_LINES: return find_lines(table, size, first_line, instr_bytes);
        default: return find_locations(table, size, first_line, instr_bytes);
        }
}
