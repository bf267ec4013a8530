/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_code.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text_printable.h"

enum { ESCAPE = 0x1b, MAX_CODE = 4, MAX_KEYED = 1 + 16 + MAX_CODE + 1 };

/* What stands after the escape character and the key. */
static const char tails[TEXT_CODE_N][MAX_CODE + 1] = {"[31m", "[32m", "[0m", "\r", "[K"};

/* ESCAPE, the key, a tail.  Without a key, the code of the terminal. */
static char codes[TEXT_CODE_N][MAX_KEYED] = {"\033[31m", "\033[32m", "\033[0m", "\r", "\033[K"};

void text_code_set_key(uint64_t key)
{
        for (int i = 0; i < TEXT_CODE_N; i++)
                snprintf(codes[i], sizeof(codes[i]), "%c%016" PRIx64 "%.*s", ESCAPE, key, MAX_CODE, tails[i]);
}

const char *text_code(enum text_code code)
{
        assert(code < TEXT_CODE_N);
        return codes[code];
}

void text_code_add(struct buf *out, enum text_code code)
{
        assert(code < TEXT_CODE_N);
        buf_add_str(out, codes[code]);
}

static bool is_ascii;

void text_code_set_ascii(bool on)
{
        is_ascii = on;
}

bool text_code_is_ascii(void)
{
        return is_ascii;
}

/* Appends the code at `at` without its key, and returns its length; 0 if there is none. */
static size_t add_code(struct buf *out, const char *at, size_t left)
{
        for (int i = 0; i < TEXT_CODE_N; i++) {
                size_t len = strlen(codes[i]);

                if (left < len || memcmp(at, codes[i], len) != 0)
                        continue;
                if (tails[i][0] == '[')
                        buf_add_char(out, ESCAPE);
                buf_add_str(out, tails[i]);
                return len;
        }
        return 0;
}

/* A bit for each of eight bytes that is neither printable ASCII nor the end of a line. */
static inline uint64_t unusual_bytes(uint64_t word)
{
        const uint64_t ones = 0x0101010101010101u, low_bits = ones * 0x7f, high_bits = ones << 7;
        uint64_t low = word & low_bits, ends = word ^ ones * '\n';
        uint64_t control = ~(low + ones * (0x80 - 0x20)) | (low + ones) | word;
        uint64_t is_end = ~(((ends & low_bits) + low_bits) | ends);

        return control & ~is_end & high_bits;
}

size_t text_plain_output(const void *bytes, size_t size)
{
        const unsigned char *at = bytes;
        size_t n = 0;

        for (uint64_t word; size - n >= sizeof(word); n += sizeof(word)) {
                memcpy(&word, at + n, sizeof(word));
                if (unusual_bytes(word))
                        break;
        }
        while (n < size && (at[n] == '\n' || (at[n] >= 0x20 && at[n] < 0x7f)))
                n++;
        return n;
}

void text_add_output(struct buf *out, const void *bytes, size_t size)
{
        const char *at = bytes, *end = at + size;

        while (at < end) {
                size_t n = text_plain_output(at, (size_t)(end - at));

                buf_add(out, at, n);
                at += n;
                if (at == end)
                        return;
                if (*at == '\t' || (*at == '\r' && end - at > 1 && at[1] == '\n')) {
                        buf_add_char(out, *at++);
                        continue;
                }
                n = add_code(out, at, (size_t)(end - at));
                at += n ? n : text_add_escaped(out, at, (size_t)(end - at));
        }
}
