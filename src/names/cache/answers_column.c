/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <string.h>

#include "answers_internal.h"
#include "archive_section.h"

enum { WIDTH_MASK = 0x0f, IS_DELTA = 0x10, IS_LEB = 0x20, MAX_WIDTH = 8 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers stand in a file as in memory");

/* --- Reading --- */

/* As cursor_uleb(), faster for numbers of one byte. */
static inline uint64_t take_leb(struct cursor *c)
{
        return c->at < c->end && *c->at < 0x80 ? *c->at++ : cursor_uleb(c);
}

struct answers_column column_begin(struct cursor *c, size_t n)
{
        struct answers_column column = {.n = n, .before = UINT64_MAX};
        uint8_t head;

        if (!n)
                return column;
        head = cursor_u8(c);
        column.width = head & WIDTH_MASK;
        column.is_delta = head & IS_DELTA;
        column.least = cursor_uleb(c);
        if (head & ~(WIDTH_MASK | IS_DELTA | IS_LEB) || column.width > MAX_WIDTH ||
            (head & IS_LEB && column.width)) {
                cursor_fail(c);
                return column;
        }
        column.is_leb = head & IS_LEB;
        if (column.is_leb) {
                /* Skip the numbers to find the end and to check that all can be read. */
                column.lebs = *c;
                for (size_t i = 0; i < n && !c->failed; i++)
                        take_leb(c);
                return column;
        }
        column.bytes = cursor_bytes(c, (uint64_t)n * column.width);
        return column;
}

static uint64_t unzigzag(uint64_t value)
{
        return value >> 1 ^ (~(value & 1) + 1);
}

/* The number of values that can be read as whole words, because eight bytes follow their first byte. */
static size_t count_words(const struct answers_column *column, size_t at, size_t n)
{
        size_t last = (sizeof(uint64_t) - 1) / column->width, rest = column->n - at;

        if (rest <= last)
                return 0;
        return n < rest - last ? n : rest - last;
}

static void take_numbers(const struct answers_column *column, size_t at, size_t n, uint64_t *ret_values)
{
        size_t width = column->width, n_words = count_words(column, at, n);
        uint64_t mask = UINT64_MAX >> (8 * (MAX_WIDTH - width));
        const uint8_t *bytes = column->bytes + at * width;

        for (size_t i = 0; i < n_words; i++, bytes += width) {
                uint64_t word;

                memcpy(&word, bytes, sizeof(word));
                ret_values[i] = (word & mask) + column->least;
        }
        for (size_t i = n_words; i < n; i++, bytes += width) {
                ret_values[i] = column->least;
                for (unsigned k = 0; k < width; k++)
                        ret_values[i] += (uint64_t)bytes[k] << (8 * k);
        }
}

void column_take(struct answers_column *column, size_t at, size_t n, uint64_t *ret_values)
{
        assert(n <= COLUMN_CHUNK && n <= column->n - at);
        if (column->is_leb) {
                for (size_t i = 0; i < n; i++)
                        ret_values[i] = take_leb(&column->lebs) + column->least;
        } else if (column->width) {
                take_numbers(column, at, n, ret_values);
        } else {
                for (size_t i = 0; i < n; i++)
                        ret_values[i] = column->least;
        }
        if (!column->is_delta)
                return;
        for (size_t i = 0; i < n; i++)
                ret_values[i] = column->before += unzigzag(ret_values[i]);
}

size_t column_store(const struct answers_column *column, size_t at, size_t n, uint64_t end, uint8_t *to,
                    size_t step)
{
        size_t width = column->width, n_words;
        uint64_t mask, most = 0;
        const uint8_t *bytes;

        if (column->is_delta || !width)
                return 0;
        n_words = count_words(column, at, n);
        mask = UINT64_MAX >> (8 * (MAX_WIDTH - width));
        bytes = column->bytes + at * width;
        for (size_t i = 0; i < n_words; i++, bytes += width, to += step) {
                uint64_t value;
                uint32_t narrow;

                memcpy(&value, bytes, sizeof(value));
                value = (value & mask) + column->least;
                most = value > most ? value : most;
                narrow = (uint32_t)value;
                memcpy(to, &narrow, sizeof(narrow));
        }
        return most < end ? n_words : 0;
}

/* --- Writing --- */

static uint64_t zigzag(uint64_t value)
{
        return value << 1 ^ (~(value >> 63) + 1);
}

static unsigned width_of(uint64_t value)
{
        unsigned width = 0;

        for (; value; value >>= 8)
                width++;
        return width;
}

struct column_range {
        uint64_t least, most;
        size_t leb_bytes; /* as LEB128 of the values themselves */
};

static void widen(struct column_range *range, uint64_t value)
{
        range->least = value < range->least ? value : range->least;
        range->most = value > range->most ? value : range->most;
        for (range->leb_bytes++; value > 0x7f; value >>= 7)
                range->leb_bytes++;
}

/* For numbers of which only a few are large. */
static void write_lebs(const uint64_t *values, size_t n, bool is_delta, struct buf *out)
{
        uint64_t before = UINT64_MAX;

        buf_add_u8(out, IS_LEB | (is_delta ? IS_DELTA : 0));
        buf_add_uleb(out, 0);
        for (size_t i = 0; i < n; i++) {
                buf_add_uleb(out, is_delta ? zigzag(values[i] - before) : values[i]);
                before = values[i];
        }
}

void column_write(const uint64_t *values, size_t n, bool is_small, struct buf *out)
{
        struct column_range plain = {UINT64_MAX, 0, 0}, deltas = {UINT64_MAX, 0, 0};
        size_t leb_bytes;
        uint64_t before = UINT64_MAX;
        unsigned width, delta_width;
        bool is_delta;
        uint8_t *bytes;

        if (!n)
                return;
        for (size_t i = 0; i < n; i++) {
                widen(&plain, values[i]);
                widen(&deltas, zigzag(values[i] - before));
                before = values[i];
        }
        width = width_of(plain.most - plain.least);
        delta_width = width_of(deltas.most - deltas.least);
        is_delta = delta_width < width;
        width = is_delta ? delta_width : width;
        leb_bytes = plain.leb_bytes < deltas.leb_bytes ? plain.leb_bytes : deltas.leb_bytes;
        if (is_small && leb_bytes < n * width / 8 * 7) {
                write_lebs(values, n, leb_bytes < plain.leb_bytes, out);
                return;
        }
        buf_add_u8(out, (uint8_t)(width | (is_delta ? IS_DELTA : 0)));
        buf_add_uleb(out, is_delta ? deltas.least : plain.least);
        bytes = buf_extend(out, n * width);
        before = UINT64_MAX;
        for (size_t i = 0; i < n; i++) {
                uint64_t value =
                        is_delta ? zigzag(values[i] - before) - deltas.least : values[i] - plain.least;

                for (unsigned k = 0; k < width; k++)
                        *bytes++ = (uint8_t)(value >> (8 * k));
                before = values[i];
        }
}
