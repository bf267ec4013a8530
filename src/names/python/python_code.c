/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads code objects, and the str and bytes objects in them. */
#include "python_code.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "text.h"

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

/* A str object as UTF-8; NULL if there is none. */
static char *read_text(const struct python_runtime *runtime, struct python_memory *memory, uint64_t addr,
                       struct python_identity *identity)
{
        const struct python_layout *layout = &runtime->layout;
        uint8_t bytes[PYTHON_MAX_OBJECT_BYTES + 16 + PYTHON_MAX_NAME_CHARS * 4];
        size_t header = layout->text_ascii_bytes, start, size;
        struct buf text = {0};
        unsigned kind;

        if (!addr || !python_memory_read(memory, addr, bytes, header) ||
            !find_chars(layout, bytes, &start, &size, &kind) ||
            (size && !python_memory_read(memory, addr + header, bytes + header, start + size - header)))
                return NULL;
        python_identity_add(identity, addr + layout->object_type, bytes + layout->object_type,
                            (size ? start + size : header) - layout->object_type);
        for (size_t i = 0; i < size / kind; i++)
                add_char(&text, char_at(bytes + start, kind, i));
        return buf_take(&text);
}

/* The content of a bytes object; NULL if it is empty, too long or can't be read.  `identity` may be NULL. */
static uint8_t *read_bytes(const struct python_runtime *runtime, struct python_memory *memory, uint64_t addr,
                           struct python_identity *identity, size_t *ret_size)
{
        const struct python_layout *layout = &runtime->layout;
        size_t start = layout->bytes_data - layout->bytes_size;
        uint64_t size;
        uint8_t *bytes;

        if (!addr || !python_memory_word(memory, addr + layout->bytes_size, &size) || !size ||
            size > PYTHON_MAX_LINES_BYTES)
                return NULL;
        bytes = mem_new(start + (size_t)size, 1);
        if (!python_memory_read(memory, addr + layout->bytes_size, bytes, start + (size_t)size)) {
                free(bytes);
                return NULL;
        }
        if (identity)
                python_identity_add(identity, addr + layout->bytes_size, bytes, start + (size_t)size);
        memmove(bytes, bytes + start, (size_t)size);
        *ret_size = (size_t)size;
        return bytes;
}

/* A file that is named in <> exists in memory only: code is often made anew under this name, with the same
 * functions and first lines, but other lines.  Code of frozen modules is not. */
static bool is_generated(const char *file)
{
        return *file == '<' && !text_starts(file, "<frozen ");
}

/* Reads the name, the file and the line table. */
static bool read_parts(const struct python_runtime *runtime, struct python_memory *memory,
                       const uint8_t *bytes, struct python_code *code)
{
        const struct python_layout *layout = &runtime->layout;
        uint64_t name = python_word_at(bytes, layout->code_name);
        uint64_t file = python_word_at(bytes, layout->code_file);

        code->name = read_text(runtime, memory, name, &code->identity);
        code->file = read_text(runtime, memory, file, &code->identity);
        if (!code->name || !code->file)
                return false;
        /* _Py_InitCleanup in CPython's Python/specialize.c: its name, file and qualified name are one
         * string. */
        code->is_hidden = layout->minor >= 12 && name == file && !code->first_line;
        code->lines = read_bytes(runtime, memory, python_word_at(bytes, layout->code_lines),
                                 is_generated(code->file) ? &code->identity : NULL, &code->n_lines);
        return true;
}

bool python_code_read(const struct python_runtime *runtime, struct python_memory *memory, uint64_t addr,
                      struct python_code *ret_code, struct err *err)
{
        const struct python_layout *layout = &runtime->layout;
        uint8_t bytes[PYTHON_MAX_CODE_BYTES];
        struct python_code code = {.addr = addr, .table = layout->table};

        if (!python_memory_read(memory, addr, bytes, layout->code_bytes))
                return err_set(err, ERR_IO, "code object: can't be read");
        if (runtime->code_type && python_word_at(bytes, layout->object_type) != runtime->code_type)
                return err_set(err, ERR_FORMAT, "code object: of another type");
        code.first_line = python_int_at(bytes, layout->code_first_line);
        python_identity_begin(&code.identity, layout, addr, bytes);
        if (!read_parts(runtime, memory, bytes, &code)) {
                python_code_release(&code);
                return err_set(err, ERR_FORMAT, "code object: damaged name or file");
        }
        *ret_code = code;
        return true;
}

void python_code_release(struct python_code *code)
{
        free(code->name);
        free(code->file);
        free(code->lines);
        python_identity_release(&code->identity);
        *code = (struct python_code){0};
}

bool python_code_is_same(const struct python_runtime *runtime, struct python_memory *memory,
                         const struct python_code *code)
{
        uint8_t now[PYTHON_MAX_PIECE_BYTES];

        for (size_t i = 0; i < code->identity.n_pieces; i++) {
                const struct python_piece *piece = &code->identity.pieces[i];

                if (!python_memory_read(memory, piece->addr, now, piece->size) ||
                    !python_identity_matches(&code->identity, &runtime->layout, i, now))
                        return false;
        }
        return true;
}

int32_t python_code_line(const struct python_code *code, int32_t instr_bytes)
{
        return python_lines_find((enum python_table)code->table, code->lines, code->n_lines, code->first_line,
                                 instr_bytes);
}
