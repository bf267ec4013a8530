/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_reader.h"

#include <math.h>
#include <string.h>

#include "json.h"
#include "text_number.h"

void json_reader_init(struct json_reader *r, const void *bytes, size_t size)
{
        *r = (struct json_reader){.at = cursor_make(bytes, size)};
}

void json_reader_release(struct json_reader *r)
{
        buf_release(&r->text);
}

bool json_reader_fail(struct json_reader *r, const char *what)
{
        if (!r->failed)
                err_set(&r->err, ERR_FORMAT, "byte %zu: %s", cursor_pos(&r->at), what);
        r->failed = true;
        return false;
}

/* The next byte, which is not read; 0 at the end. */
static char peek(const struct json_reader *r)
{
        return cursor_left(&r->at) ? (char)*r->at.at : '\0';
}

static char skip_blanks(struct json_reader *r)
{
        while (cursor_left(&r->at) && strchr(" \t\r\n", peek(r)) && peek(r))
                cursor_skip(&r->at, 1);
        return peek(r);
}

static bool take(struct json_reader *r, char c, const char *what)
{
        if (r->failed)
                return false;
        if (skip_blanks(r) != c)
                return json_reader_fail(r, what);
        return cursor_skip(&r->at, 1);
}

static bool take_word(struct json_reader *r, const char *word)
{
        size_t len = strlen(word);

        if (cursor_left(&r->at) < len || memcmp(r->at.at, word, len) != 0)
                return json_reader_fail(r, "a JSON value was expected");
        return cursor_skip(&r->at, len);
}

/* --- Strings ---------------------------------------------------------------------------------------- */

static bool take_hex4(struct json_reader *r, uint32_t *ret)
{
        const uint8_t *digits = cursor_bytes(&r->at, 4);

        *ret = 0;
        for (int i = 0; digits && i < 4; i++) {
                static const char hex[] = "0123456789abcdef0123456789ABCDEF";
                const char *found = digits[i] ? strchr(hex, digits[i]) : NULL;

                if (!found)
                        return json_reader_fail(r, "\\u needs four hexadecimal digits");
                *ret = *ret << 4 | (uint32_t)((found - hex) % 16);
        }
        return digits || json_reader_fail(r, "the string has no end");
}

static void add_utf8(struct buf *out, uint32_t c)
{
        if (c < 0x80) {
                buf_add_char(out, (char)c);
        } else if (c < 0x800) {
                buf_add_char(out, (char)(0xc0 | c >> 6));
                buf_add_char(out, (char)(0x80 | (c & 0x3f)));
        } else if (c < 0x10000) {
                buf_add_char(out, (char)(0xe0 | c >> 12));
                buf_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
                buf_add_char(out, (char)(0x80 | (c & 0x3f)));
        } else {
                buf_add_char(out, (char)(0xf0 | c >> 18));
                buf_add_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
                buf_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
                buf_add_char(out, (char)(0x80 | (c & 0x3f)));
        }
}

/* \u, with a second half for characters beyond the first plane. */
static bool take_unicode(struct json_reader *r)
{
        uint32_t c, low;

        if (!take_hex4(r, &c))
                return false;
        if (c >= 0xd800 && c < 0xdc00) {
                if (!take_word(r, "\\u") || !take_hex4(r, &low))
                        return false;
                if (low < 0xdc00 || low > 0xdfff)
                        return json_reader_fail(r, "half of a character is missing");
                c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
        } else if (c >= 0xdc00 && c < 0xe000) {
                return json_reader_fail(r, "half of a character is missing");
        }
        if (!c)
                return json_reader_fail(r, "a text contains NUL");
        add_utf8(&r->text, c);
        return true;
}

static bool take_escape(struct json_reader *r)
{
        static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
        char c = (char)cursor_u8(&r->at);
        const char *found = c ? strchr(from, c) : NULL;

        if (c == 'u')
                return take_unicode(r);
        if (!found)
                return json_reader_fail(r, "unknown escape in a string");
        buf_add_char(&r->text, to[found - from]);
        return true;
}

static bool take_string(struct json_reader *r)
{
        buf_clear(&r->text);
        if (!take(r, '"', "a string was expected"))
                return false;
        for (;;) {
                uint8_t c = cursor_u8(&r->at);

                if (r->at.failed)
                        return json_reader_fail(r, "the string has no end");
                if (c == '"')
                        return true;
                if (c < 0x20)
                        return json_reader_fail(r, "a string contains a control byte");
                if (c != '\\')
                        buf_add_char(&r->text, (char)c);
                else if (!take_escape(r))
                        return false;
        }
}

const char *json_read_str(struct json_reader *r)
{
        return take_string(r) ? buf_text(&r->text) : "";
}

/* --- Numbers ---------------------------------------------------------------------------------------- */

static size_t take_digits(struct json_reader *r)
{
        size_t n = 0;

        for (; peek(r) >= '0' && peek(r) <= '9'; n++)
                buf_add_char(&r->text, (char)cursor_u8(&r->at));
        return n;
}

static bool take_one_of(struct json_reader *r, const char *set)
{
        if (!peek(r) || !strchr(set, peek(r)))
                return false;
        buf_add_char(&r->text, (char)cursor_u8(&r->at));
        return true;
}

/* Copies the number to the text. */
static bool take_number(struct json_reader *r)
{
        if (r->failed)
                return false;
        skip_blanks(r);
        buf_clear(&r->text);
        take_one_of(r, "-");
        if (!take_digits(r))
                return json_reader_fail(r, "a number was expected");
        if (take_one_of(r, ".") && !take_digits(r))
                return json_reader_fail(r, "digits were expected after the point");
        if (take_one_of(r, "eE")) {
                take_one_of(r, "+-");
                if (!take_digits(r))
                        return json_reader_fail(r, "digits were expected in the exponent");
        }
        return true;
}

double json_read_double(struct json_reader *r)
{
        double value = 0;

        if (!take_number(r))
                return 0;
        if (!text_to_double(buf_text(&r->text), &value) || !isfinite(value)) {
                json_reader_fail(r, "the number is too large");
                return 0;
        }
        return value;
}

uint64_t json_read_u64(struct json_reader *r)
{
        uint64_t value = 0;

        if (!take_number(r))
                return 0;
        if (!text_to_u64(buf_text(&r->text), 10, &value)) {
                json_reader_fail(r, "a whole number without sign was expected");
                return 0;
        }
        return value;
}

bool json_read_bool(struct json_reader *r)
{
        if (r->failed)
                return false;
        if (skip_blanks(r) == 't')
                return take_word(r, "true");
        take_word(r, "false");
        return false;
}

/* --- Objects and arrays ----------------------------------------------------------------------------- */

static bool begin(struct json_reader *r, char open, const char *what)
{
        if (!take(r, open, what))
                return false;
        if (r->depth == JSON_MAX_DEPTH)
                return json_reader_fail(r, "too many levels");
        r->depth++;
        return true;
}

/* Whether another element follows; reads the comma, or the end. */
static bool goes_on(struct json_reader *r, char close, bool is_first)
{
        if (r->failed)
                return false;
        if (skip_blanks(r) == close) {
                r->depth--;
                cursor_skip(&r->at, 1);
                return false;
        }
        return is_first || take(r, ',', "a comma was expected");
}

bool json_read_object(struct json_reader *r, json_each_fn *each, void *ctx)
{
        AUTO_RELEASE(buf) key = {0};

        if (!begin(r, '{', "an object was expected"))
                return false;
        for (bool is_first = true; goes_on(r, '}', is_first); is_first = false) {
                if (!take_string(r) || !take(r, ':', "a colon was expected"))
                        return false;
                buf_clear(&key);
                buf_add(&key, r->text.data, r->text.len);
                each(ctx, r, buf_text(&key));
        }
        return !r->failed;
}

bool json_read_array(struct json_reader *r, json_each_fn *each, void *ctx)
{
        if (!begin(r, '[', "an array was expected"))
                return false;
        for (bool is_first = true; goes_on(r, ']', is_first); is_first = false)
                each(ctx, r, NULL);
        return !r->failed;
}

static void skip_one(void *ctx, struct json_reader *r, const char *key)
{
        (void)ctx;
        (void)key;
        json_skip(r);
}

void json_skip(struct json_reader *r)
{
        if (r->failed)
                return;
        switch (skip_blanks(r)) {
        case '{': json_read_object(r, skip_one, NULL); break;
        case '[': json_read_array(r, skip_one, NULL); break;
        case '"': take_string(r); break;
        case 't': take_word(r, "true"); break;
        case 'f': take_word(r, "false"); break;
        case 'n': take_word(r, "null"); break;
        default: take_number(r); break;
        }
}

bool json_reader_end(struct json_reader *r, struct err *err)
{
        if (!r->failed && (skip_blanks(r), cursor_left(&r->at)))
                json_reader_fail(r, "text follows the JSON document");
        if (r->failed)
                *err = r->err;
        return !r->failed;
}
