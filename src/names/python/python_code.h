/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects: name, file, first line and line table of a function.  A code object is read once for each
 * address.  Later the address may belong to another code object; python_code_is_same checks this. */
#ifndef PYTHON_CODE_H
#define PYTHON_CODE_H

#include "python_identity.h"
#include "python_lines.h"
#include "python_memory.h"
#include "python_runtime.h"
#include "python_text.h"

enum {
        PYTHON_MAX_LINES_BYTES = 16 << 20, /* longer line tables are not read: all lines are 0 then */
        PYTHON_MAX_BYTECODE_BYTES = 1 << 26,
};

struct python_code {
        uint64_t addr;
        char *name; /* co_qualname where the version has it, else co_name; UTF-8 */
        char *file; /* co_filename, unchanged; UTF-8 */
        int32_t first_line;
        uint64_t bytecode_bytes; /* size of the bytecode, if it is in the code object: 3.11 and later */
        bool is_hidden; /* code that the interpreter runs for itself around a call of __init__; tracebacks
                           leave its frame out */
        uint8_t table;  /* enum python_table */
        uint8_t *lines; /* the line table; NULL: none, or it can't be read */
        size_t n_lines;
        struct python_identity identity; /* what python_code_is_same compares */
};

/* ERR_FORMAT: there is no code object, or a damaged one; ERR_IO: it can't be read.  The caller must call
 * python_code_release. */
bool python_code_read(const struct python_runtime *runtime, struct python_memory *memory, uint64_t addr,
                      struct python_code *ret_code, struct err *err);
void python_code_release(struct python_code *code);

/* Whether the code object is still at its address. */
bool python_code_is_same(const struct python_runtime *runtime, struct python_memory *memory,
                         const struct python_code *code);

/* The line of a frame's instruction; 0 if it has no line. */
int32_t python_code_line(const struct python_code *code, int32_t instr_bytes);

#endif
