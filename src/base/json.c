/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "buf.h"
#include "text_number.h"
#include "text_printable.h"

enum { FIRST_AFTER_C1 = 0xa0 };

void json_init(struct json *json, struct buf *out)
{
        *json = (struct json){.out = out};
}

static void before_value(struct json *json)
{
        if (json->need_comma)
                buf_add_char(json->out, ',');
        json->need_comma = true;
}

static void open_level(struct json *json, char c)
{
        assert(json->depth < JSON_MAX_DEPTH);
        before_value(json);
        buf_add_char(json->out, c);
        json->depth++;
        json->need_comma = false;
}

static void close_level(struct json *json, char c)
{
        assert(json->depth > 0);
        json->depth--;
        buf_add_char(json->out, c);
        json->need_comma = true;
}

void json_begin_object(struct json *json)
{
        open_level(json, '{');
}

void json_end_object(struct json *json)
{
        close_level(json, '}');
}

void json_begin_array(struct json *json)
{
        open_level(json, '[');
}

void json_end_array(struct json *json)
{
        close_level(json, ']');
}

/* Number of bytes at `at` that need no escape in a string. */
static size_t plain_bytes(const unsigned char *at)
{
        size_t n = 0;

        while (at[n] >= 0x20 && at[n] < 0x7f && at[n] != '"' && at[n] != '\\')
                n++;
        return n;
}

/* Escapes the C1 controls, which a terminal may obey, and invisible characters, so that they do not mislead
 * people who look at the document. */
static void add_character(const unsigned char *at, size_t n, struct buf *out)
{
        uint32_t code;

        if (!text_is_unseen(at, &code) && code >= FIRST_AFTER_C1)
                buf_add(out, at, n);
        else if (code <= 0xffff)
                buf_printf(out, "\\u%04" PRIx32, code);
        else
                buf_printf(out, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd7c0 + (code >> 10),
                           0xdc00 + (code & 0x3ff));
}

static void add_quoted(struct json *json, const char *text)
{
        const unsigned char *at = (const unsigned char *)text;
        struct buf *out = json->out;

        buf_add_char(out, '"');
        while (*at) {
                size_t plain = plain_bytes(at), n = plain ? 0 : text_utf8_length(at);

                if (plain)
                        buf_add(out, at, plain);
                else if (*at == '"' || *at == '\\')
                        buf_printf(out, "\\%c", *at);
                else if (*at == '\n')
                        buf_add_str(out, "\\n");
                else if (*at == '\t')
                        buf_add_str(out, "\\t");
                else if (*at < 0x20 || *at == 0x7f)
                        buf_printf(out, "\\u%04x", *at);
                else if (!n)
                        buf_add_str(out, "\\ufffd");
                else
                        add_character(at, n, out);
                at += plain ? plain : n ? n : 1;
        }
        buf_add_char(out, '"');
}

void json_key(struct json *json, const char *key)
{
        before_value(json);
        add_quoted(json, key);
        buf_add_char(json->out, ':');
        json->need_comma = false;
}

void json_str(struct json *json, const char *text)
{
        before_value(json);
        add_quoted(json, text);
}

void json_u64(struct json *json, uint64_t value)
{
        before_value(json);
        text_add_u64(json->out, value);
}

void json_i64(struct json *json, int64_t value)
{
        before_value(json);
        buf_printf(json->out, "%" PRId64, value);
}

void json_hex(struct json *json, uint64_t value)
{
        before_value(json);
        buf_add_char(json->out, '"');
        text_add_hex(json->out, value);
        buf_add_char(json->out, '"');
}

void json_bool(struct json *json, bool value)
{
        before_value(json);
        buf_add_str(json->out, value ? "true" : "false");
}

void json_null(struct json *json)
{
        before_value(json);
        buf_add_str(json->out, "null");
}

void json_fixed(struct json *json, double value, int decimals)
{
        if (!isfinite(value)) {
                json_null(json);
                return;
        }
        before_value(json);
        buf_printf(json->out, "%.*f", decimals, value);
}

void json_key_str(struct json *json, const char *key, const char *text)
{
        json_key(json, key);
        json_str(json, text);
}

void json_key_u64(struct json *json, const char *key, uint64_t value)
{
        json_key(json, key);
        json_u64(json, value);
}

void json_key_i64(struct json *json, const char *key, int64_t value)
{
        json_key(json, key);
        json_i64(json, value);
}

void json_key_bool(struct json *json, const char *key, bool value)
{
        json_key(json, key);
        json_bool(json, value);
}
