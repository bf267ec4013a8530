/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants in Rust's v0 names: numbers, characters, strings, and values composed of them. */
#include <string.h>

#include "demangle_rust_internal.h"
#include "text_printable.h"

enum { MAX_NUMBER_DIGITS = 32 }; /* digits of a u128 */

static bool is_hex(char c)
{
        return demangle_is_digit(c) || (c >= 'a' && c <= 'f');
}

static unsigned hex_value(char c)
{
        return demangle_is_digit(c) ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

/* The digits up to `_`, without a copy. */
static bool parse_digits(struct rust_name *r, const char **ret_digits, size_t *ret_n)
{
        size_t n = 0;

        while (is_hex(demangle_look(&r->d, n)))
                n++;
        *ret_digits = cursor_bytes(&r->d.in, n);
        *ret_n = n;
        return demangle_eat(&r->d, "_");
}

/* A number without its leading zeros; *ret_value is valid for up to 16 digits. */
static bool parse_value(struct rust_name *r, const char **ret_digits, size_t *ret_n, uint64_t *ret_value)
{
        if (!parse_digits(r, ret_digits, ret_n))
                return false;
        for (; *ret_n && **ret_digits == '0'; (*ret_n)--)
                (*ret_digits)++;
        *ret_value = 0;
        for (size_t i = 0; i < *ret_n; i++)
                *ret_value = *ret_value << 4 | hex_value((*ret_digits)[i]);
        return *ret_n <= MAX_NUMBER_DIGITS;
}

static bool parse_integer(struct rust_name *r, char type)
{
        const char *digits;
        uint64_t value;
        size_t n;

        if (strchr("aslxni", type) && demangle_eat(&r->d, "n"))
                rust_add(r, "-");
        if (!parse_value(r, &digits, &n, &value))
                return false;
        if (n <= 16) {
                rust_add_u64(r, value);
        } else {
                rust_add(r, "0x");
                rust_add_bytes(r, digits, n);
        }
        if (r->is_long)
                rust_add(r, rust_basic_type(type));
        return true;
}

static bool parse_bool(struct rust_name *r)
{
        const char *digits;
        uint64_t value;
        size_t n;

        if (!parse_value(r, &digits, &n, &value) || n > 1 || value > 1)
                return false;
        rust_add(r, value ? "true" : "false");
        return true;
}

static void add_escaped(struct rust_name *r, uint32_t c, char quote)
{
        static const char plain[] = "\t\r\n\\", letters[] = "trn\\";
        const char *found = c && c < 0x80 ? strchr(plain, (int)c) : NULL;
        char utf8[4];

        if (c == (unsigned char)quote || found) {
                rust_add(r, "\\");
                rust_add_bytes(r, found ? letters + (found - plain) : &quote, 1);
        } else if (c == 0) {
                rust_add(r, "\\0");
        } else if (rust_is_shown(c)) {
                rust_add_bytes(r, utf8, rust_encode(c, utf8));
        } else {
                rust_add(r, "\\u{");
                rust_add_hex(r, c);
                rust_add(r, "}");
        }
}

static bool parse_char(struct rust_name *r)
{
        const char *digits;
        uint64_t value;
        size_t n;

        if (!parse_value(r, &digits, &n, &value) || value > 0x10ffff || (value >= 0xd800 && value < 0xe000) ||
            n > 6)
                return false;
        rust_add(r, "'");
        add_escaped(r, (uint32_t)value, '\'');
        rust_add(r, "'");
        return true;
}

/* The next character from UTF-8 bytes in hexadecimal; false if it is malformed. */
static bool take_utf8(struct cursor *digits, uint32_t *ret_char)
{
        unsigned char bytes[5] = {0};
        size_t left = cursor_left(digits) / 2, len;

        for (size_t i = 0; i < 4 && i < left; i++)
                bytes[i] = (unsigned char)(hex_value((char)digits->at[2 * i]) << 4 |
                                           hex_value((char)digits->at[2 * i + 1]));
        /* NUL is a character here, but the end of a text for text_utf8_length. */
        len = bytes[0] < 0x80 ? 1 : text_utf8_length(bytes);
        if (!left || !len)
                return false;
        *ret_char = len == 1 ? bytes[0] : bytes[0] & (0xffu >> (len + 1));
        for (size_t i = 1; i < len; i++)
                *ret_char = *ret_char << 6 | (bytes[i] & 0x3f);
        return cursor_skip(digits, 2 * len);
}

static bool parse_str(struct rust_name *r)
{
        const char *text;
        struct cursor digits;
        size_t n;

        if (!parse_digits(r, &text, &n))
                return false;
        digits = cursor_make(text, n);
        rust_add(r, "\"");
        while (cursor_left(&digits)) {
                uint32_t c;

                if (!take_utf8(&digits, &c))
                        return false;
                add_escaped(r, c, '"');
        }
        rust_add(r, "\"");
        return true;
}

static bool parse_field(struct rust_name *r, enum rust_place place)
{
        struct rust_ident name;

        if (!rust_ident(r, &name) || !rust_add_ident(r, &name))
                return false;
        rust_add(r, ": ");
        return rust_const(r, place);
}

static bool parse_struct(struct rust_name *r)
{
        bool ok;

        if (!rust_path(r, RUST_VALUE))
                return false;
        switch (rust_take(r)) {
        case 'U': return true;
        case 'T':
                rust_add(r, "(");
                ok = rust_list(r, rust_const, RUST_VALUE, NULL);
                rust_add(r, ")");
                return ok;
        case 'S':
                rust_add(r, " { ");
                ok = rust_list(r, parse_field, RUST_VALUE, NULL);
                rust_add(r, " }");
                return ok;
        default: return false;
        }
}

static bool parse_sequence(struct rust_name *r, bool is_array)
{
        size_t n;

        rust_add(r, is_array ? "[" : "(");
        if (!rust_list(r, rust_const, RUST_VALUE, &n))
                return false;
        rust_add(r, is_array ? "]" : n == 1 ? ",)" : ")");
        return true;
}

/* Among generic arguments, an expression that is not a literal is printed in braces. */
static bool parse_expression(struct rust_name *r, char tag)
{
        switch (tag) {
        case 'e': rust_add(r, "*"); return parse_str(r);
        case 'R': rust_add(r, "&"); return rust_const(r, RUST_VALUE);
        case 'Q': rust_add(r, "&mut "); return rust_const(r, RUST_VALUE);
        case 'A':
        case 'T': return parse_sequence(r, tag == 'A');
        case 'V': return parse_struct(r);
        default: return false;
        }
}

static bool parse_const(struct rust_name *r, enum rust_place place)
{
        char tag = rust_take(r);
        bool ok;

        if (tag && strchr("hotmyjaslxni", tag))
                return parse_integer(r, tag);
        switch (tag) {
        case 'p': rust_add(r, "_"); return true;
        case 'b': return parse_bool(r);
        case 'c': return parse_char(r);
        case 'B': return rust_backref(r, rust_const, place);
        default: break;
        }
        if (tag == 'R' && demangle_eat(&r->d, "e"))
                return parse_str(r);
        if (place != RUST_VALUE)
                rust_add(r, "{");
        ok = parse_expression(r, tag);
        if (place != RUST_VALUE)
                rust_add(r, "}");
        return ok;
}

bool rust_const(struct rust_name *r, enum rust_place place)
{
        bool ok;

        if (!rust_enter(r))
                return false;
        ok = parse_const(r, place);
        rust_leave(r);
        return ok;
}
