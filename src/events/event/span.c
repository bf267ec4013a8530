/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of text: comparison, numbers, and a form that is safe in messages. */
#include <assert.h>
#include <string.h>

#include "buf.h"
#include "event_grammar.h"
#include "text.h"
#include "text_printable.h"

struct span span_of(const char *text)
{
        return (struct span){text, strlen(text)};
}

static unsigned char lower(char c)
{
        return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool span_equal_nocase(struct span span, const char *text)
{
        for (size_t i = 0; i < span.len; i++) {
                if (!text[i] || lower(text[i]) != lower(span.at[i]))
                        return false;
        }
        return !text[span.len];
}

bool span_copy(char *to, size_t size, struct span span)
{
        assert(size > 0);
        if (span.len >= size)
                return false;
        memcpy(to, span.at, span.len);
        to[span.len] = '\0';
        return true;
}

static unsigned digit_value(char c)
{
        if (c >= '0' && c <= '9')
                return (unsigned)(c - '0');
        c = (char)lower(c);
        return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

static enum number_result digits_to_u64(struct span digits, unsigned base, uint64_t *ret_value)
{
        enum number_result result = NUMBER_OK;
        uint64_t value = 0;

        if (!digits.len)
                return NUMBER_BAD;
        for (size_t i = 0; i < digits.len; i++) {
                unsigned digit = digit_value(digits.at[i]);

                if (digit >= base)
                        return NUMBER_BAD;
                if (__builtin_mul_overflow(value, base, &value) ||
                    __builtin_add_overflow(value, digit, &value))
                        result = NUMBER_RANGE;
        }
        if (result == NUMBER_OK)
                *ret_value = value;
        return result;
}

enum number_result span_to_u64(struct span span, bool octal, uint64_t *ret_value)
{
        if (span.len >= 2 && span.at[0] == '0' && lower(span.at[1]) == 'x')
                return digits_to_u64((struct span){span.at + 2, span.len - 2}, 16, ret_value);
        return digits_to_u64(span, octal && span.len > 1 && span.at[0] == '0' ? 8 : 10, ret_value);
}

struct quoted span_quote(struct span span)
{
        enum { SHOWN_BYTES = 60 };
        static const char cut[] = "...";
        char raw[SHOWN_BYTES + 1];
        AUTO_RELEASE(buf) printable = {0};
        struct quoted quoted;
        size_t len = span.len < SHOWN_BYTES ? span.len : SHOWN_BYTES;

        /* Do not cut a UTF-8 character. */
        while (len < span.len && len && (span.at[len] & 0xc0) == 0x80)
                len--;
        memcpy(raw, span.at, len);
        raw[len] = '\0';
        text_add_printable(&printable, raw);
        if (!text_copy(quoted.text, sizeof(quoted.text) - strlen(cut), buf_text(&printable)) ||
            len < span.len)
                memcpy(quoted.text + strlen(quoted.text), cut, sizeof(cut));
        return quoted;
}

size_t event_column(const char *whole, const char *at)
{
        size_t column = 1;

        for (const char *c = whole; c < at; c++)
                column += (*c & 0xc0) != 0x80;
        return column;
}
