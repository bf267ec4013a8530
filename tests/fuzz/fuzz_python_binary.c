/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the file of a CPython, and names as its native functions.  Input: the file's path, which is
 * also a function's name, a zero byte, the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "python_binary.h"
#include "python_native.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_UNPACKED_BYTES = 4 << 20 }; /* larger packed sections are not read, for speed */

static void expect(bool condition)
{
        if (!condition)
                abort();
}

/* The kinds do not overlap, and a suffix after a dot does not matter. */
static void try_name(const char *name)
{
        enum python_native kind = python_native_of(name);
        bool is_glue = strncmp(name, "py::", 4) == 0 || strncmp(name, "_TAIL_CALL_", 11) == 0;

        expect(kind != PYTHON_NATIVE_UNKNOWN);
        expect(!is_glue || kind == PYTHON_NATIVE_GLUE);
        expect(strcmp(name, "_PyEval_EvalFrameDefault") != 0 || kind == PYTHON_NATIVE_EVAL);
        if (!strchr(name, '.') && strlen(name) < 64) {
                char piece[80];

                snprintf(piece, sizeof(piece), "%s.cold", name);
                expect(python_native_of(piece) == kind);
        }
}

static void try_symbols(struct object *object, enum object_table table)
{
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(object, table, &symbols))
                return;
        while (object_symbols_next(&symbols, &symbol))
                try_name(object_symbols_name(&symbols, &symbol));
}

static bool is_small(struct object *object)
{
        for (size_t i = 0; i < object_n_sections(object); i++) {
                const struct object_section *section = object_get_section(object, i);

                if ((section->flags & OBJECT_SECTION_PACKED) &&
                    section->file_size > MAX_UNPACKED_BYTES / 4096)
                        return false;
        }
        return true;
}

/* Other reads in a process are at offsets that are limited by the layout's own limits. */
static void check_layout(const struct python_layout *layout)
{
        expect(layout->minor >= 8 && layout->minor <= 15);
        expect(layout->thread_bytes && layout->thread_bytes <= PYTHON_MAX_THREAD_BYTES);
        expect(layout->frame_bytes && layout->frame_bytes <= PYTHON_MAX_FRAME_BYTES);
        expect(layout->code_bytes && layout->code_bytes <= PYTHON_MAX_CODE_BYTES);
        expect(layout->runtime_interpreters < PYTHON_MAX_RUNTIME_OFFSET);
}

static void try_file(const char *path, const uint8_t *data, size_t size)
{
        AUTO(object) object = object_open_bytes(data, size, "input", NULL);
        struct python_binary binary, before;
        struct err err = {0};

        if (!object || !is_small(object))
                return;
        try_symbols(object, OBJECT_SYMBOLS);
        try_symbols(object, OBJECT_DYNAMIC_SYMBOLS);
        memset(&binary, 0x55, sizeof(binary));
        memcpy(&before, &binary, sizeof(before));
        if (python_binary_find(object, path, &binary, &err)) {
                check_layout(&binary.layout);
                return;
        }
        expect(err.code && strncmp(err.text, "input: ", 7) == 0 &&
               memcmp(&binary, &before, sizeof(binary)) == 0);
        expect(!python_binary_find(object, path, &binary, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
        const char *path = (const char *)data;

        if (!nul)
                return 0;
        expect(python_native_of(NULL) == PYTHON_NATIVE_UNKNOWN);
        try_name(path);
        try_file(*path ? path : NULL, nul + 1, size - (size_t)(nul + 1 - data));
        return 0;
}
