/* SPDX-License-Identifier: BSD-3-Clause */
/* The text and the JSON form of a document, and writing it in pieces. */
#include "field_sink.h"

#include <assert.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "text.h"
#include "text_number.h"
#include "text_printable.h"

struct field_form {
        void (*begin)(struct field_sink *sink, enum field_group group, const char *name);
        void (*end)(struct field_sink *sink);
        void (*u64)(struct field_sink *sink, const char *name, uint64_t value);
        void (*i64)(struct field_sink *sink, const char *name, int64_t value);
        void (*hex)(struct field_sink *sink, const char *name, uint64_t value);
        void (*time)(struct field_sink *sink, const char *name, uint64_t ns);
        void (*text)(struct field_sink *sink, const char *name, const char *text);
        void (*word)(struct field_sink *sink, const char *name, const char *text);
        void (*truth)(struct field_sink *sink, const char *name, bool value);
        void (*gap)(struct field_sink *sink);
};

static bool is_array(enum field_group group)
{
        return group == FIELD_LINES || group == FIELD_WORDS;
}

/* --- text --- */

/* Moves to the position of a value: a new line, or after the word before. */
static void text_place(struct field_sink *sink, const char *name)
{
        if (!sink->line_depth) {
                for (unsigned i = 0; i < sink->indent; i++)
                        buf_add_str(&sink->out, "  ");
        } else if (sink->line_has_words) {
                buf_add(&sink->out, "  ", sink->has_gap ? 2 : 1);
        }
        sink->line_has_words = true;
        sink->has_gap = false;
        if (!name)
                return;
        text_add_printable(&sink->out, name);
        buf_add_char(&sink->out, ' ');
}

static void text_placed(struct field_sink *sink)
{
        if (!sink->line_depth)
                buf_add_char(&sink->out, '\n');
}

static void text_begin_line(struct field_sink *sink, enum field_group group, const char *name)
{
        bool inside = sink->line_depth;

        text_place(sink, inside ? name : NULL);
        if (inside) {
                buf_add_char(&sink->out, is_array(group) ? '[' : '{');
                sink->line_has_words = false;
        } else {
                text_add_printable(&sink->out, name ? name : "");
                sink->line_has_words = name;
                sink->line_depth = sink->depth + 1;
        }
}

static void text_begin(struct field_sink *sink, enum field_group group, const char *name)
{
        bool line = sink->line_depth || group == FIELD_LINE || group == FIELD_WORDS;

        if (line) {
                text_begin_line(sink, group, name);
                return;
        }
        sink->titled[sink->depth] = name;
        if (!name)
                return;
        text_place(sink, NULL);
        text_add_printable(&sink->out, name);
        buf_add_char(&sink->out, '\n');
        sink->indent++;
}

/* Called when depth is already that of the outer group. */
static void text_end(struct field_sink *sink)
{
        if (!sink->line_depth) {
                sink->indent -= sink->titled[sink->depth];
        } else if (sink->line_depth == sink->depth + 1) {
                buf_add_char(&sink->out, '\n');
                sink->line_depth = 0;
                sink->has_gap = false;
        } else {
                buf_add_char(&sink->out, is_array(sink->groups[sink->depth]) ? ']' : '}');
                sink->line_has_words = true;
        }
}

static void text_u64(struct field_sink *sink, const char *name, uint64_t value)
{
        text_place(sink, name);
        text_add_u64(&sink->out, value);
        text_placed(sink);
}

static void text_i64(struct field_sink *sink, const char *name, int64_t value)
{
        text_place(sink, name);
        if (value < 0)
                buf_add_char(&sink->out, '-');
        text_add_u64(&sink->out, value < 0 ? -(uint64_t)value : (uint64_t)value);
        text_placed(sink);
}

static void text_hex_number(struct field_sink *sink, const char *name, uint64_t value)
{
        text_place(sink, name);
        text_add_hex(&sink->out, value);
        text_placed(sink);
}

static void text_time(struct field_sink *sink, const char *name, uint64_t ns)
{
        enum { NS_PER_S = 1000000000 };
        size_t dot;

        text_place(sink, name);
        text_add_u64(&sink->out, ns / NS_PER_S);
        dot = sink->out.len;
        text_add_u64(&sink->out, NS_PER_S + ns % NS_PER_S);
        sink->out.data[dot] = '.'; /* replaces the leading 1 that kept the zeros */
        text_placed(sink);
}

/* A text with blanks between other words needs quotes, so that its end is visible. */
static bool needs_quotes(const struct field_sink *sink, const char *text)
{
        return sink->line_depth && (!*text || strpbrk(text, " \""));
}

/* Quotes inside quotes are written like other bytes that need an escape. */
static void add_quoted(struct buf *out, const char *text)
{
        AUTO_RELEASE(buf) piece = {0};

        buf_add_char(out, '"');
        for (;;) {
                size_t n = strcspn(text, "\"");

                buf_clear(&piece);
                buf_add(&piece, text, n);
                text_add_printable(out, buf_text(&piece));
                if (!text[n])
                        break;
                buf_add_str(out, "\\x22");
                text += n + 1;
        }
        buf_add_char(out, '"');
}

static void text_text(struct field_sink *sink, const char *name, const char *text)
{
        text_place(sink, name);
        if (needs_quotes(sink, text))
                add_quoted(&sink->out, text);
        else
                text_add_printable(&sink->out, text);
        text_placed(sink);
}

static void text_word(struct field_sink *sink, const char *name, const char *text)
{
        text_text(sink, NULL, text);
}

static void text_truth(struct field_sink *sink, const char *name, bool value)
{
        text_text(sink, name, value ? "yes" : "no");
}

static void text_gap(struct field_sink *sink)
{
        sink->has_gap = true;
}

static const struct field_form text_form = {
        .begin = text_begin,
        .end = text_end,
        .u64 = text_u64,
        .i64 = text_i64,
        .hex = text_hex_number,
        .time = text_time,
        .text = text_text,
        .word = text_word,
        .truth = text_truth,
        .gap = text_gap,
};

/* --- JSON --- */

static void json_name(struct field_sink *sink, const char *name)
{
        if (name)
                json_key(&sink->json, name);
}

static void begin_json(struct field_sink *sink, enum field_group group, const char *name)
{
        json_name(sink, name);
        if (is_array(group))
                json_begin_array(&sink->json);
        else
                json_begin_object(&sink->json);
}

static void end_json(struct field_sink *sink)
{
        if (is_array(sink->groups[sink->depth]))
                json_end_array(&sink->json);
        else
                json_end_object(&sink->json);
}

static void u64_json(struct field_sink *sink, const char *name, uint64_t value)
{
        json_name(sink, name);
        json_u64(&sink->json, value);
}

static void i64_json(struct field_sink *sink, const char *name, int64_t value)
{
        json_name(sink, name);
        json_i64(&sink->json, value);
}

static void hex_json(struct field_sink *sink, const char *name, uint64_t value)
{
        json_name(sink, name);
        json_hex(&sink->json, value);
}

static void time_json(struct field_sink *sink, const char *name, uint64_t ns)
{
        char key[32];
        size_t len = strlen(name);

        assert(len + sizeof("_ns") <= sizeof(key));
        memcpy(key, name, len);
        memcpy(key + len, "_ns", sizeof("_ns"));
        u64_json(sink, key, ns);
}

static void text_json(struct field_sink *sink, const char *name, const char *text)
{
        json_name(sink, name);
        json_str(&sink->json, text);
}

static void truth_json(struct field_sink *sink, const char *name, bool value)
{
        json_name(sink, name);
        json_bool(&sink->json, value);
}

static void gap_json(struct field_sink *sink)
{
}

static const struct field_form json_form = {
        .begin = begin_json,
        .end = end_json,
        .u64 = u64_json,
        .i64 = i64_json,
        .hex = hex_json,
        .time = time_json,
        .text = text_json,
        .word = text_json,
        .truth = truth_json,
        .gap = gap_json,
};

/* --- Output --- */

static void put_piece(struct field_sink *sink)
{
        if (!sink->failed && sink->out.len)
                sink->failed = !sink->output.put(sink->output.ctx, sink->out.data, sink->out.len, sink->err);
        buf_clear(&sink->out);
}

static void put_when_full(struct field_sink *sink)
{
        if (sink->out.len >= FIELD_PIECE_BYTES)
                put_piece(sink);
}

void field_sink_begin(struct field_sink *sink, bool json, const struct field_output *output, struct err *err)
{
        *sink = (struct field_sink){
                .form = json ? &json_form : &text_form,
                .output = *output,
                .err = err,
        };
        json_init(&sink->json, &sink->out);
        field_begin(sink, FIELD_BLOCK, NULL);
}

bool field_sink_end(struct field_sink *sink)
{
        field_end(sink);
        assert(!sink->depth);
        if (sink->form == &json_form)
                buf_add_char(&sink->out, '\n');
        put_piece(sink);
        buf_release(&sink->out);
        return !sink->failed;
}

/* The members of an object have names, those of an array have none; nor has the document. */
static bool is_named(const struct field_sink *sink, const char *name)
{
        return (name != NULL) == (sink->depth && !is_array(sink->groups[sink->depth - 1]));
}

void field_begin(struct field_sink *sink, enum field_group group, const char *name)
{
        assert(sink->depth < FIELD_MAX_DEPTH && is_named(sink, name));
        sink->form->begin(sink, group, name);
        sink->groups[sink->depth++] = group;
}

void field_end(struct field_sink *sink)
{
        assert(sink->depth);
        sink->depth--;
        sink->form->end(sink);
        put_when_full(sink);
}

void field_u64(struct field_sink *sink, const char *name, uint64_t value)
{
        sink->form->u64(sink, name, value);
        put_when_full(sink);
}

void field_i64(struct field_sink *sink, const char *name, int64_t value)
{
        sink->form->i64(sink, name, value);
        put_when_full(sink);
}

void field_hex(struct field_sink *sink, const char *name, uint64_t value)
{
        sink->form->hex(sink, name, value);
        put_when_full(sink);
}

void field_time(struct field_sink *sink, const char *name, uint64_t ns)
{
        sink->form->time(sink, name, ns);
}

void field_text(struct field_sink *sink, const char *name, const char *text)
{
        sink->form->text(sink, name, text);
        put_when_full(sink);
}

void field_bool(struct field_sink *sink, const char *name, bool value)
{
        sink->form->truth(sink, name, value);
}

void field_word(struct field_sink *sink, const char *name, const char *text)
{
        sink->form->word(sink, name, text);
}

void field_gap(struct field_sink *sink)
{
        sink->form->gap(sink);
}

void field_bytes(struct field_sink *sink, const char *name, const void *bytes, size_t size)
{
        char hex[2 * FIELD_SHOWN_BYTES + 1];

        text_hex(hex, bytes, size < FIELD_SHOWN_BYTES ? size : FIELD_SHOWN_BYTES);
        field_begin(sink, FIELD_LINE, name);
        field_u64(sink, "size", size);
        if (size)
                field_text(sink, "hex", hex);
        field_end(sink);
}
