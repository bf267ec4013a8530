/* SPDX-License-Identifier: BSD-3-Clause */
/* String constants in decorated names (`??_C@_05...@hello?$AA@`) have their length in bytes, a checksum and
 * the first bytes.  The width of the characters is guessed from zero bytes, as in llvm-undname. */
#include <string.h>

#include "msvc_internal.h"

enum {
        MAX_NARROW_BYTES = 128, /* compilers write 32; some wrote more */
        WIDE_SHOWN_BYTES = 64,  /* longer wide strings are cut */
        NARROW_SHOWN_BYTES = 32,
};

static bool is_hex(char c)
{
        return c >= 'A' && c <= 'P';
}

/* After `?`: digits for frequent characters, letters for letters above 127, `$` and two digits for other
 * bytes. */
static bool parse_escaped(struct cursor *in, uint8_t *ret_byte)
{
        static const char frequent[] = ",/\\:. \n\t'-";
        uint8_t c = cursor_u8(in);

        if (c >= '0' && c <= '9') {
                *ret_byte = (uint8_t)frequent[c - '0'];
        } else if (c == '$') {
                uint8_t high = cursor_u8(in), low = cursor_u8(in);

                if (!is_hex((char)high) || !is_hex((char)low))
                        return false;
                *ret_byte = (uint8_t)((high - 'A') << 4 | (low - 'A'));
        } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
                *ret_byte = c | 0x80;
        } else {
                return false;
        }
        return true;
}

static bool parse_byte(struct cursor *in, uint8_t *ret_byte)
{
        *ret_byte = cursor_u8(in);
        if (*ret_byte == '?' && !parse_escaped(in, ret_byte))
                return false;
        return !in->failed;
}

/* Text up to and including the @; *ret_n is the number of bytes. */
static bool parse_text(struct msvc_name *m, uint64_t *ret_n)
{
        uint8_t byte;

        for (*ret_n = 0; !demangle_eat(&m->d, "@"); (*ret_n)++) {
                if (!parse_byte(&m->d.in, &byte))
                        return false;
        }
        return true;
}

static bool is_text_right(const struct msvc_node *n, uint64_t n_bytes)
{
        if (!n->is_negative)
                return n_bytes <= MAX_NARROW_BYTES;
        return n_bytes % 2 == 0 && n_bytes <= n->num && (n->num % 2 == 0 || !n_bytes);
}

struct msvc_node *msvc_string(struct msvc_name *m)
{
        struct msvc_node *n = msvc_node(m, MSVC_STRING);
        const char *checksum;
        uint64_t n_bytes;

        if (!n || !demangle_eat(&m->d, "@_"))
                return NULL;
        n->is_negative = demangle_eat(&m->d, "1"); /* wide characters */
        if (!n->is_negative && !demangle_eat(&m->d, "0"))
                return NULL;
        if (!msvc_unsigned(m, &n->num) || n->num < (n->is_negative ? 2 : 1))
                return NULL;
        checksum = memchr(m->d.in.at, '@', cursor_left(&m->d.in));
        if (!checksum)
                return NULL;
        cursor_skip(&m->d.in, (size_t)(checksum - (const char *)m->d.in.at) + 1);
        n->text = (const char *)m->d.in.at;
        if (!parse_text(m, &n_bytes) || !is_text_right(n, n_bytes))
                return NULL;
        n->len = (size_t)((const char *)m->d.in.at - n->text) - 1;
        return n;
}

static void add_hex(struct msvc_printer *p, uint32_t c)
{
        static const char digits[] = "0123456789ABCDEF";
        unsigned shift = c > 0xffffff ? 24 : c > 0xffff ? 16 : c > 0xff ? 8 : 0;

        msvc_add(p, "\\x");
        for (unsigned n = shift + 8; n; n -= 4)
                msvc_add_bytes(p, &digits[c >> (n - 4) & 15], 1);
}

static void add_char(struct msvc_printer *p, uint32_t c)
{
        static const char plain[] = "\0'\"\\\a\b\f\n\r\t\v", letters[] = "0'\"\\abfnrtv";
        bool is_plain = c >= 0x20 && c < 0x7f && c != '\'' && c != '"' && c != '\\';
        const char *at = !is_plain && c < 0x80 ? memchr(plain, (int)c, sizeof(plain) - 1) : NULL;
        char text = (char)c;

        if (is_plain) {
                msvc_add_bytes(p, &text, 1);
        } else if (at) {
                msvc_add(p, "\\");
                msvc_add_bytes(p, &letters[at - plain], 1);
        } else {
                add_hex(p, c);
        }
}

static void print_wide(struct msvc_printer *p, const struct msvc_node *n)
{
        struct cursor in = cursor_make(n->text, n->len);
        bool is_cut = n->num > WIDE_SHOWN_BYTES;
        uint8_t high, low;

        msvc_add(p, "L\"");
        for (uint64_t left = n->num; parse_byte(&in, &high) && parse_byte(&in, &low); left -= 2) {
                if (left != 2 || is_cut)
                        add_char(p, (uint32_t)high << 8 | low);
        }
        msvc_add(p, is_cut ? "\"..." : "\"");
}

static size_t trailing_zeros(const uint8_t *bytes, size_t n)
{
        size_t n_zeros = 0;

        while (n_zeros < n && !bytes[n - 1 - n_zeros])
                n_zeros++;
        return n_zeros;
}

static size_t all_zeros(const uint8_t *bytes, size_t n)
{
        size_t n_zeros = 0;

        for (size_t i = 0; i < n; i++)
                n_zeros += !bytes[i];
        return n_zeros;
}

/* A complete string ends with a zero as wide as its characters; in a cut string, plain letters have zero
 * bytes. */
static unsigned guess_width(const uint8_t *bytes, size_t n, uint64_t n_whole)
{
        bool is_whole = n_whole < NARROW_SHOWN_BYTES;
        size_t n_zeros = is_whole ? trailing_zeros(bytes, n) : all_zeros(bytes, n);

        if (n_whole % 2)
                return 1;
        if (n_zeros >= (is_whole ? 4 : 2 * n / 3) && n_whole % 4 == 0)
                return 4;
        return n_zeros >= (is_whole ? 2 : n / 3) ? 2 : 1;
}

static void print_narrow(struct msvc_printer *p, const struct msvc_node *n)
{
        struct cursor in = cursor_make(n->text, n->len);
        uint8_t bytes[MAX_NARROW_BYTES];
        size_t n_bytes = 0, n_chars;
        unsigned width;
        bool is_cut;

        while (n_bytes < sizeof(bytes) && cursor_left(&in) && parse_byte(&in, &bytes[n_bytes]))
                n_bytes++;
        is_cut = n->num > n_bytes;
        width = guess_width(bytes, n_bytes, n->num);
        n_chars = n_bytes / width;
        msvc_add(p, width == 1 ? "\"" : width == 2 ? "u\"" : "U\"");
        for (size_t i = 0; i < n_chars && (i + 1 < n_chars || is_cut); i++) {
                uint32_t c = 0;

                for (unsigned k = width; k; k--)
                        c = c << 8 | bytes[i * width + k - 1];
                add_char(p, c);
        }
        msvc_add(p, is_cut ? "\"..." : "\"");
}

void msvc_print_string(struct msvc_printer *p, const struct msvc_node *n)
{
        if (n->is_negative)
                print_wide(p, n);
        else
                print_narrow(p, n);
}
