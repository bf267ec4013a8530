/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts of versions that are not installed here, from the structs that CPython publishes, and the tables
 * `_Py_DebugOffsets` of such an interpreter.  Words are in the order of the header; sections that the room
 * python does not read have 0. */
#ifndef PYTHON_PUBLISHED_H
#define PYTHON_PUBLISHED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Include/internal/pycore_interpframe_structs.h of 3.14 and later, GIL build; _PyStackRef is one word. */
struct published_frame {
        uint64_t f_executable, previous, f_funcobj, f_globals, f_builtins, f_locals, frame_obj, instr_ptr,
                stackpointer;
        uint16_t return_offset;
        char owner;
        uint8_t visited;
        uint64_t localsplus[1];
};

/* The same with Py_GIL_DISABLED. */
struct published_frame_ft {
        uint64_t f_executable, previous, f_funcobj, f_globals, f_builtins, f_locals, frame_obj, instr_ptr,
                stackpointer;
        int32_t tlbc_index;
        uint16_t return_offset;
        char owner;
        uint8_t visited;
        uint64_t localsplus[1];
};

struct published {
        unsigned minor;
        bool is_free_threaded;
        uint64_t words[128];
        size_t n_words;
};

static inline void published_add(struct published *table, size_t n, const uint64_t *words)
{
        memcpy(table->words + table->n_words, words, n * sizeof(*words));
        table->n_words += n;
}

#define PUBLISHED_SECTION(table, ...)                                                                        \
        published_add(table, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__})

#define PUBLISHED_FRAME(type, tlbc)                                                                          \
        sizeof(struct type), offsetof(struct type, previous), offsetof(struct type, f_executable),           \
                offsetof(struct type, instr_ptr), offsetof(struct type, localsplus),                         \
                offsetof(struct type, owner), offsetof(struct type, stackpointer), tlbc

/* thread_state: Include/cpython/pystate.h; 3.14 and 3.15 have other sections than 3.13; the numbers are
 * examples. */
static inline void published_add_thread(struct published *table)
{
        if (table->minor < 15)
                PUBLISHED_SECTION(table, 304, 0, 8, 16, 72, 152, 160, 232, 24);
        else
                PUBLISHED_SECTION(table, 400, 0, 8, 16, 72, 80, 88, 96, 176, 184, 256, 24, 28, 32, 136, 144,
                                  /* err_stackitem */ 0);
}

/* All sections of the table of 3.13, 3.14 or 3.15. */
static inline void published_make(struct published *table, unsigned minor, bool is_free_threaded)
{
        uint64_t header = is_free_threaded ? 32 : 16, wide = is_free_threaded ? 16 : 0;

        *table = (struct published){.minor = minor, .is_free_threaded = is_free_threaded};
        memcpy(table->words, "xdebugpy", 8);
        table->n_words = 1;
        PUBLISHED_SECTION(table, 0x030000f0 | minor << 16, is_free_threaded, /* runtime_state */ 283320, 600,
                          632);
        if (minor == 13)
                PUBLISHED_SECTION(table, 194968, 7000, 7264, 7344, 0, 7656, 0, 0, 0, 0, 0, 0, 0);
        else
                PUBLISHED_SECTION(table, 194968, 7000, 7264, 7344, 0, 0, 7688, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        published_add_thread(table);
        if (minor == 13)
                PUBLISHED_SECTION(table, 88, 8, 0, 56, 72, 70);
        else if (is_free_threaded)
                PUBLISHED_SECTION(table, PUBLISHED_FRAME(published_frame_ft,
                                                         offsetof(struct published_frame_ft, tlbc_index)));
        else
                PUBLISHED_SECTION(table, PUBLISHED_FRAME(published_frame, 0));
        PUBLISHED_SECTION(table, /* code_object */ 224 + wide, 112 + wide, 120 + wide, 128 + wide, 136 + wide,
                          68 + wide, 0, 0, 0, 208 + wide);
        if (minor > 13)
                PUBLISHED_SECTION(table, is_free_threaded ? 216 : 0);
        PUBLISHED_SECTION(table, header, header - 8, /* type_object */ 416, header + 8, 0, 0);
        if (minor == 15)
                PUBLISHED_SECTION(table, 0, 0, /* heap_type_object */ 944 + wide, 888 + wide);
        PUBLISHED_SECTION(table, /* tuple, list */ 0, 0, 0, 0, 0, 0);
        if (minor > 13)
                PUBLISHED_SECTION(table, /* set */ 0, 0, 0, 0);
        PUBLISHED_SECTION(table, /* dict, float, long */ 0, 0, 0, 0, 0, 0, 0, 0, /* bytes */ header + 24,
                          header, header + 16, /* unicode */ header + 48, header + 16, header, header + 24);
        if (minor == 14)
                PUBLISHED_SECTION(table, /* gc */ 0, 0, /* gen */ 160 + wide, 24 + wide, 72 + wide, 67 + wide,
                                  /* llist */ 0, 8);
        if (minor == 15)
                PUBLISHED_SECTION(table, header + 40, /* gc */ 0, 0, 0, 0, 0, /* gen */ 160 + wide, 24 + wide,
                                  72 + wide, 67 + wide, /* llist */ 0, 8,
                                  /* debugger_support */ 0, 0, 0, 0, 0, 0);
}

#endif
