/* SPDX-License-Identifier: BSD-3-Clause */
/* Rust's older names.  They look like a C++ name in namespaces, whose last part is `h` and 16 hexadecimal
 * digits of a hash; characters that C++ names cannot contain are escaped as `$LT$`, `$u20$` or `..`. */
#include <string.h>

#include "demangle_rust_internal.h"

enum { HASH_LENGTH = 17 };

struct legacy_part {
        const char *text;
        size_t len;
};

static const struct {
        char code[3];
        char text[2];
} escapes[] = {
        {"SP", "@"}, {"BP", "*"}, {"RF", "&"}, {"LT", "<"}, {"GT", ">"}, {"LP", "("}, {"RP", ")"}, {"C", ","},
};

static bool is_hash(const struct legacy_part *part)
{
        if (part->len != HASH_LENGTH || part->text[0] != 'h')
                return false;
        for (size_t i = 1; i < HASH_LENGTH; i++) {
                if (!memchr("0123456789abcdef", part->text[i], 16))
                        return false;
        }
        return true;
}

static bool parse_part(struct demangle *d, struct legacy_part *ret_part)
{
        uint32_t len;

        if (!demangle_number(d, &len) || !len)
                return false;
        ret_part->text = cursor_bytes(&d->in, len);
        ret_part->len = len;
        return ret_part->text;
}

/* Decodes u20 and similar escapes; 0 if it is not one. */
static uint32_t unicode_escape(const char *code, size_t len)
{
        static const char digits[] = "0123456789abcdef";
        uint32_t c = 0;

        if (len < 2 || len > 7 || code[0] != 'u')
                return 0;
        for (size_t i = 1; i < len; i++) {
                const char *digit = memchr(digits, code[i], 16);

                if (!digit)
                        return 0;
                c = c << 4 | (uint32_t)(digit - digits);
        }
        return rust_is_shown(c) ? c : 0;
}

/* `code` is the text between two dollars. */
static bool add_escape(struct printer *p, const char *code, size_t len)
{
        uint32_t c = unicode_escape(code, len);
        char utf8[4];

        for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
                if (len == strlen(escapes[i].code) && memcmp(code, escapes[i].code, len) == 0) {
                        print_text(p, escapes[i].text);
                        return true;
                }
        }
        if (c)
                print_bytes(p, utf8, rust_encode(c, utf8));
        return c;
}

static void add_part(struct printer *p, const struct legacy_part *part)
{
        const char *at = part->text, *end = part->text + part->len;

        /* Names cannot begin with a dollar. */
        if (part->len >= 2 && memcmp(at, "_$", 2) == 0)
                at++;
        while (at < end) {
                size_t left = (size_t)(end - at);

                if (*at == '.') {
                        bool is_path = left > 1 && at[1] == '.';

                        print_text(p, is_path ? "::" : ".");
                        at += is_path ? 2 : 1;
                } else if (*at == '$') {
                        const char *close = memchr(at + 1, '$', left - 1);

                        /* Text that is not an escape is shown unchanged, up to the end. */
                        if (!close || !add_escape(p, at + 1, (size_t)(close - at - 1)))
                                break;
                        at = close + 1;
                } else {
                        print_bytes(p, at++, 1);
                }
        }
        print_bytes(p, at, (size_t)(end - at));
}

/* The hash is recognised only at the end, so this counts the parts before it. */
static bool count_parts(struct demangle *d, size_t *ret_n)
{
        struct legacy_part part = {0};
        size_t n = 0;

        for (; !demangle_eat(d, "E"); n++) {
                if (!parse_part(d, &part))
                        return false;
        }
        if (n < 2 || !is_hash(&part))
                return false;
        *ret_n = n - 1;
        return !cursor_left(&d->in) || demangle_look(d, 0) == '.';
}

bool demangle_rust_legacy(struct demangle *d, bool is_long, struct buf *out)
{
        struct printer p = {.d = d, .out = out, .start = out->len};
        struct cursor start;
        struct legacy_part part;
        size_t n;

        if (!demangle_eat(d, "_ZN"))
                return false;
        start = d->in;
        if (!count_parts(d, &n))
                return false;
        d->in = start;
        for (size_t i = 0; i < n + is_long && parse_part(d, &part); i++) {
                if (i)
                        print_text(&p, "::");
                add_part(&p, &part);
        }
        if (!is_long)
                parse_part(d, &part);
        return demangle_eat(d, "E") && !p.failed;
}
