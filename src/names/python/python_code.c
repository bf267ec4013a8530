/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads code objects, and the bytes objects in them. */
#include "python_code.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "python_text.h"
#include "text.h"

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

        code->name = python_text_read(&runtime->layout, memory, name, &code->identity);
        code->file = python_text_read(&runtime->layout, memory, file, &code->identity);
        if (!code->name || !code->file)
                return false;
        /* _Py_InitCleanup in CPython's Python/specialize.c: its name, file and qualified name are one
         * string. */
        code->is_hidden = layout->minor >= 12 && name == file && !code->first_line;
        code->lines = read_bytes(runtime, memory, python_word_at(bytes, layout->code_lines),
                                 is_generated(code->file) ? &code->identity : NULL, &code->n_lines);
        return true;
}

/* A code object begins like a bytes object; its size is in code units. */
static uint64_t bytecode_bytes(const struct python_layout *layout, const uint8_t *bytes)
{
        enum { UNIT_BYTES = 2 };
        uint64_t n = layout->code_instrs == PYTHON_NO_FIELD ? 0 : python_word_at(bytes, layout->bytes_size);

        return n <= PYTHON_MAX_BYTECODE_BYTES / UNIT_BYTES ? n * UNIT_BYTES : 0;
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
        code.bytecode_bytes = bytecode_bytes(layout, bytes);
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
