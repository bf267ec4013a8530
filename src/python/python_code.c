/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads code objects, and the str and bytes objects in them. */
#include "python_code.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"

/* PyASCIIObject.state, from the lowest bit on: interned, kind, compact, ascii.  interned has 2 bits; in free-threaded builds it
 * may have one or two bytes of its own, and then the first byte is below 4.  kind is never 0. */
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

/* A str object as UTF-8; NULL if there is none.  Its characters follow the header, as in all strings that the compiler makes. */
static char *read_text(const struct python_runtime *runtime, struct python_memory *memory, uint64_t addr)
{
        const struct python_layout *layout = &runtime->layout;
        uint8_t header[PYTHON_MAX_OBJECT_BYTES + 16], chars[PYTHON_MAX_NAME_CHARS * 4];
        struct text_state state;
        uint64_t length;
        uint32_t word;
        struct buf text = {0};

        if (!addr || !python_memory_read(memory, addr, header, layout->text_ascii_bytes))
                return NULL;
        length = python_word_at(header, layout->text_length);
        word = (uint32_t)python_int_at(header, layout->text_state);
        state = parse_state(word);
        if (!is_sound(state))
                return NULL;
        if (length > PYTHON_MAX_NAME_CHARS)
                length = PYTHON_MAX_NAME_CHARS;
        addr += state.is_ascii ? layout->text_ascii_bytes : layout->text_compact_bytes;
        if (length && !python_memory_read(memory, addr, chars, (size_t)length * state.kind))
                return NULL;
        for (size_t i = 0; i < length; i++)
                add_char(&text, char_at(chars, state.kind, i));
        return buf_take(&text);
}

/* The content of a bytes object; NULL if it is empty, too long or can't be read. */
static uint8_t *read_bytes(const struct python_runtime *runtime, struct python_memory *memory, uint64_t addr,
                           size_t *ret_size)
{
        const struct python_layout *layout = &runtime->layout;
        uint64_t size;
        uint8_t *bytes;

        if (!addr || !python_memory_word(memory, addr + layout->bytes_size, &size) || !size ||
            size > PYTHON_MAX_LINES_BYTES)
                return NULL;
        bytes = mem_new((size_t)size, 1);
        if (!python_memory_read(memory, addr + layout->bytes_data, bytes, (size_t)size)) {
                free(bytes);
                return NULL;
        }
        *ret_size = (size_t)size;
        return bytes;
}

/* Reads the fields of a code object that are not objects themselves. */
static bool read_fields(const struct python_runtime *runtime, struct python_memory *memory, uint64_t addr,
                        uint64_t *ret_type, struct python_code *ret_code)
{
        const struct python_layout *layout = &runtime->layout;
        uint8_t bytes[PYTHON_MAX_CODE_BYTES];

        if (!python_memory_read(memory, addr, bytes, layout->code_bytes))
                return false;
        *ret_type = python_word_at(bytes, layout->object_type);
        *ret_code = (struct python_code){
                .addr = addr,
                .first_line = python_int_at(bytes, layout->code_first_line),
                .table = layout->table,
                .name_addr = python_word_at(bytes, layout->code_name),
                .file_addr = python_word_at(bytes, layout->code_file),
                .lines_addr = python_word_at(bytes, layout->code_lines),
        };
        return true;
}

bool python_code_read(const struct python_runtime *runtime, struct python_memory *memory, uint64_t addr,
                      struct python_code *ret_code, struct err *err)
{
        struct python_code code;
        uint64_t type;

        if (!read_fields(runtime, memory, addr, &type, &code))
                return err_set(err, ERR_IO, "code object: can't be read");
        if (runtime->code_type && type != runtime->code_type)
                return err_set(err, ERR_FORMAT, "code object: of another type");
        code.name = read_text(runtime, memory, code.name_addr);
        code.file = read_text(runtime, memory, code.file_addr);
        if (!code.name || !code.file) {
                python_code_release(&code);
                return err_set(err, ERR_FORMAT, "code object: damaged name or file");
        }
        /* _Py_InitCleanup in CPython's Python/specialize.c: its name, file and qualified name are one string. */
        code.is_hidden = runtime->layout.minor >= 12 && code.name_addr == code.file_addr && !code.first_line;
        code.lines = read_bytes(runtime, memory, code.lines_addr, &code.n_lines);
        *ret_code = code;
        return true;
}

void python_code_release(struct python_code *code)
{
        free(code->name);
        free(code->file);
        free(code->lines);
        *code = (struct python_code){0};
}

bool python_code_is_same(const struct python_runtime *runtime, struct python_memory *memory,
                         const struct python_code *code)
{
        struct python_code now;
        uint64_t type;

        return read_fields(runtime, memory, code->addr, &type, &now) &&
               (!runtime->code_type || type == runtime->code_type) && now.first_line == code->first_line &&
               now.name_addr == code->name_addr && now.file_addr == code->file_addr &&
               now.lines_addr == code->lines_addr;
}

int32_t python_code_line(const struct python_code *code, int32_t instr_bytes)
{
        return python_lines_find((enum python_table)code->table, code->lines, code->n_lines, code->first_line,
                                 instr_bytes);
}
