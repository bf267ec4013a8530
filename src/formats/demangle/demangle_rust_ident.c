/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest parts of Rust's v0 names: numbers in base 62, and identifiers with their punycode (RFC 3492,
 * with `_` where that has `-`). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "demangle_rust_internal.h"

/* a limit, because every decoded letter moves those after it */
enum { MAX_PUNYCODE_CHARS = 512 };

enum { MAX_CHAR = 0x10ffff };

char rust_take(struct rust_name *r)
{
        char c = demangle_look(&r->d, 0);

        if (c)
                cursor_skip(&r->d.in, 1);
        return c;
}

static int digit62(char c)
{
        if (demangle_is_digit(c))
                return c - '0';
        if (c >= 'a' && c <= 'z')
                return c - 'a' + 10;
        return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

bool rust_number62(struct rust_name *r, uint64_t *ret_value)
{
        uint64_t value = 0;

        if (demangle_eat(&r->d, "_")) {
                *ret_value = 0;
                return true;
        }
        do {
                int digit = digit62(rust_take(r));

                if (digit < 0 || __builtin_mul_overflow(value, 62, &value) ||
                    __builtin_add_overflow(value, (uint64_t)digit, &value))
                        return false;
        } while (!demangle_eat(&r->d, "_"));
        return !__builtin_add_overflow(value, 1, ret_value);
}

bool rust_optional62(struct rust_name *r, const char *tag, uint64_t *ret_value)
{
        uint64_t value;

        if (!demangle_eat(&r->d, tag)) {
                *ret_value = 0;
                return true;
        }
        return rust_number62(r, &value) && !__builtin_add_overflow(value, 1, ret_value);
}

/* There is no leading zero: the 0 of an empty name may come before the next length. */
static bool parse_length(struct rust_name *r, size_t *ret_len)
{
        size_t len = 0;

        if (!demangle_is_digit(demangle_look(&r->d, 0)))
                return false;
        if (demangle_eat(&r->d, "0")) {
                *ret_len = 0;
                return true;
        }
        while (demangle_is_digit(demangle_look(&r->d, 0))) {
                len = len * 10 + (size_t)(rust_take(r) - '0');
                if (len > DEMANGLE_MAX_INPUT_BYTES)
                        return false;
        }
        *ret_len = len;
        return true;
}

static bool split_punycode(struct rust_ident *ident)
{
        size_t n = ident->len;

        while (n && ident->text[n - 1] != '_')
                n--;
        ident->code = ident->text + n;
        ident->code_len = ident->len - n;
        ident->len = n ? n - 1 : 0;
        return ident->code_len > 0;
}

bool rust_plain_ident(struct rust_name *r, struct rust_ident *ret_ident)
{
        bool is_punycode = demangle_eat(&r->d, "u");

        *ret_ident = (struct rust_ident){0};
        if (!parse_length(r, &ret_ident->len))
                return false;
        demangle_eat(&r->d, "_");
        ret_ident->text = cursor_bytes(&r->d.in, ret_ident->len);
        return ret_ident->text && (!is_punycode || split_punycode(ret_ident));
}

bool rust_ident(struct rust_name *r, struct rust_ident *ret_ident)
{
        uint64_t disambiguator;

        if (!rust_optional62(r, "s", &disambiguator) || !rust_plain_ident(r, ret_ident))
                return false;
        ret_ident->disambiguator = disambiguator;
        return true;
}

bool rust_is_shown(uint32_t c)
{
        return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0xd800 && c < 0xe000) && c <= MAX_CHAR;
}

size_t rust_encode(uint32_t c, char out[4])
{
        size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};

        for (size_t i = n - 1; i > 0; i--) {
                out[i] = (char)(0x80 | (c & 0x3f));
                c >>= 6;
        }
        out[0] = (char)(first[n - 1] | c);
        return n;
}

/* RFC 3492, section 6.1. */
static uint32_t adapt_bias(uint32_t delta, uint32_t n_chars, bool is_first)
{
        uint32_t k = 0;

        delta /= is_first ? 700 : 2;
        delta += delta / n_chars;
        for (; delta > (36 - 1) * 26 / 2; k += 36)
                delta /= 36 - 1;
        return k + 36 * delta / (delta + 38);
}

/* One number of variable length; false at the end, or if it is larger than a position and a character can
 * be. */
static bool parse_delta(struct cursor *code, uint32_t bias, uint32_t *ret_delta)
{
        uint64_t delta = 0, weight = 1;

        for (uint32_t k = 36;; k += 36) {
                uint32_t threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
                char c = (char)cursor_u8(code);
                uint32_t digit;

                if (c >= 'a' && c <= 'z')
                        digit = (uint32_t)(c - 'a');
                else if (demangle_is_digit(c))
                        digit = (uint32_t)(c - '0') + 26;
                else
                        return false;
                delta += digit * weight;
                if (delta > UINT32_MAX / 2)
                        return false;
                if (digit < threshold)
                        break;
                weight *= 36 - threshold;
                if (weight > UINT32_MAX)
                        return false;
        }
        *ret_delta = (uint32_t)delta;
        return true;
}

/* RFC 3492, section 6.2: returns the number of characters, 0 if the name is malformed or too long. */
static size_t decode_punycode(struct rust_name *r, const struct rust_ident *ident, uint32_t *chars)
{
        struct cursor code = cursor_make(ident->code, ident->code_len);
        uint32_t c = 0x80, at = 0, bias = 72, delta;
        size_t n = ident->len;

        if (n >= MAX_PUNYCODE_CHARS)
                return 0;
        for (size_t i = 0; i < n; i++)
                chars[i] = (uint8_t)ident->text[i];
        while (cursor_left(&code)) {
                if (n == MAX_PUNYCODE_CHARS || !demangle_spend(&r->d) || !parse_delta(&code, bias, &delta))
                        return 0;
                at += delta;
                bias = adapt_bias(delta, (uint32_t)n + 1, n == ident->len);
                c += at / ((uint32_t)n + 1);
                at %= (uint32_t)n + 1;
                memmove(chars + at + 1, chars + at, (n - at) * sizeof(*chars));
                chars[at++] = c;
                n++;
        }
        return n;
}

static bool add_punycode(struct rust_name *r, const struct rust_ident *ident)
{
        uint32_t chars[MAX_PUNYCODE_CHARS];
        size_t n = decode_punycode(r, ident, chars);

        for (size_t i = 0; i < n; i++) {
                char utf8[4];

                if (!rust_is_shown(chars[i]))
                        return false;
                rust_add_bytes(r, utf8, rust_encode(chars[i], utf8));
        }
        return n > 0;
}

bool rust_add_ident(struct rust_name *r, const struct rust_ident *ident)
{
        if (r->is_silent)
                return true;
        if (ident->code)
                return add_punycode(r, ident);
        rust_add_bytes(r, ident->text, ident->len);
        return true;
}

void rust_add_bytes(struct rust_name *r, const char *text, size_t len)
{
        if (!r->is_silent)
                print_bytes(&r->p, text, len);
}

void rust_add(struct rust_name *r, const char *text)
{
        rust_add_bytes(r, text, strlen(text));
}

void rust_add_u64(struct rust_name *r, uint64_t value)
{
        char digits[24];

        snprintf(digits, sizeof(digits), "%" PRIu64, value);
        rust_add(r, digits);
}

void rust_add_hex(struct rust_name *r, uint64_t value)
{
        char digits[24];

        snprintf(digits, sizeof(digits), "%" PRIx64, value);
        rust_add(r, digits);
}
