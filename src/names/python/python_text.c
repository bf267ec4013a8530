/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a str object says how wide its characters are, and where they begin. */
#include "python_text.h"

#include <string.h>

#include "buf.h"
#include "python_runtime.h"

/* PyASCIIObject.state, from the lowest bit on: interned, kind, compact, ascii.  interned has 2 bits; in
 * free-threaded builds it may have one or two bytes of its own, and then the first byte is below 4.  kind
 * is never 0. */
struct text_state {
        unsigned kind; /* bytes a character: 1, 2, 4 */
        bool is_compact, is_ascii;
};

static struct text_state parse_state(uint32_t state)
{
        state >>= state & 0xfc ? 2 : state & 0xff00 ? 8 : 16;
        return (struct text_state){
                .kind = state & 7, .is_compact = state >> 3 & 1, .is_ascii = state >> 4 & 1};
}

static bool is_sound(struct text_state state)
{
        return state.is_compact &&
               (state.kind == 1 || (!state.is_ascii && (state.kind == 2 || state.kind == 4)));
}

static void add_char(struct buf *text, uint32_t c)
{
        if (c < 0x80) {
                buf_add_char(text, (char)c);
        } else if (c < 0x800) {
                buf_add_char(text, (char)(0xc0 | c >> 6));
                buf_add_char(text, (char)(0x80 | (c & 63)));
        } else if (c < 0x10000) {
                /* Half of a surrogate pair represents a byte of a path that is not UTF-8 (PEP 383). */
                if (c >= 0xd800 && c < 0xe000)
                        c = 0xfffd;
                buf_add_char(text, (char)(0xe0 | c >> 12));
                buf_add_char(text, (char)(0x80 | (c >> 6 & 63)));
                buf_add_char(text, (char)(0x80 | (c & 63)));
        } else if (c < 0x110000) {
                buf_add_char(text, (char)(0xf0 | c >> 18));
                buf_add_char(text, (char)(0x80 | (c >> 12 & 63)));
                buf_add_char(text, (char)(0x80 | (c >> 6 & 63)));
                buf_add_char(text, (char)(0x80 | (c & 63)));
        } else {
                add_char(text, 0xfffd);
        }
}

static uint32_t char_at(const uint8_t *chars, unsigned kind, size_t i)
{
        uint16_t c16;
        uint32_t c32;

        switch (kind) {
        case 1: return chars[i];
        case 2: memcpy(&c16, chars + i * 2, 2); return c16;
        default: memcpy(&c32, chars + i * 4, 4); return c32;
        }
}

/* Where the characters of a str object begin, and their size; false if there is none.  They follow the
 * header, as in all strings that the compiler makes. */
static bool find_chars(const struct python_layout *layout, const uint8_t *header, size_t *ret_start,
                       size_t *ret_size, unsigned *ret_kind)
{
        uint64_t length = python_word_at(header, layout->text_length);
        struct text_state state = parse_state((uint32_t)python_int_at(header, layout->text_state));

        if (!is_sound(state))
                return false;
        if (length > PYTHON_MAX_NAME_CHARS)
                length = PYTHON_MAX_NAME_CHARS;
        *ret_start = state.is_ascii ? layout->text_ascii_bytes : layout->text_compact_bytes;
        *ret_size = (size_t)length * state.kind;
        *ret_kind = state.kind;
        return true;
}

char *python_text_read(const struct python_layout *layout, struct python_memory *memory, uint64_t addr,
                       struct python_identity *identity)
{
        uint8_t bytes[PYTHON_MAX_OBJECT_BYTES + 16 + PYTHON_MAX_NAME_CHARS * 4];
        size_t header = layout->text_ascii_bytes, start, size;
        struct buf text = {0};
        unsigned kind;

        if (!addr || !python_memory_read(memory, addr, bytes, header) ||
            !find_chars(layout, bytes, &start, &size, &kind) ||
            (size && !python_memory_read(memory, addr + header, bytes + header, start + size - header)))
                return NULL;
        if (identity)
                python_identity_add(identity, addr + layout->object_type, bytes + layout->object_type,
                                    (size ? start + size : header) - layout->object_type);
        for (size_t i = 0; i < size / kind; i++)
                add_char(&text, char_at(bytes + start, kind, i));
        return buf_take(&text);
}
