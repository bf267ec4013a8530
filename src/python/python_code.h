/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects: the name, file, first line and line table of a function.  Read once for each address that frames have; the address
 * may belong to another code object later, which python_code_is_same tells. */
#ifndef PYTHON_CODE_H
#define PYTHON_CODE_H

#include "python_lines.h"
#include "python_memory.h"
#include "python_runtime.h"

enum {
        PYTHON_MAX_NAME_CHARS = 4096,      /* longer names and paths are cut */
        PYTHON_MAX_LINES_BYTES = 16 << 20, /* longer line tables are not read: all lines are 0 then */
};

struct python_code {
        uint64_t addr;
        char *name; /* co_qualname where the version has it, else co_name; UTF-8 */
        char *file; /* co_filename, as it stands there; UTF-8 */
        int32_t first_line;
        bool is_hidden; /* code that the interpreter runs for itself around a call of __init__; tracebacks leave its frame out */
        uint8_t table;  /* enum python_table */
        uint8_t *lines; /* the line table; NULL: none, or it can't be read */
        size_t n_lines;
        /* What python_code_is_same compares. */
        uint64_t name_addr, file_addr, lines_addr;
};

/* ERR_FORMAT: no code object lies there, or a damaged one; ERR_IO: it can't be read.  python_code_release it. */
bool python_code_read(const struct python_runtime *runtime, struct python_memory *memory, uint64_t addr,
                      struct python_code *ret_code, struct err *err);
void python_code_release(struct python_code *code);

/* Whether the code object is still there; one read. */
bool python_code_is_same(const struct python_runtime *runtime, struct python_memory *memory,
                         const struct python_code *code);

/* The line of a frame's instruction; 0: it has none. */
int32_t python_code_line(const struct python_code *code, int32_t instr_bytes);

#endif
