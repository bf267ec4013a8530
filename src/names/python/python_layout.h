/* SPDX-License-Identifier: BSD-3-Clause */
/* Offsets of fields in CPython's structs, as data: tables for 3.8 to 3.12, and from 3.13 on the table
 * `_Py_DebugOffsets` of the interpreter.  64-bit builds for Linux and for Windows, where `unsigned long`,
 * the type of a thread's ids, has 4 bytes. */
#ifndef PYTHON_LAYOUT_H
#define PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

enum { PYTHON_MIN_MINOR = 8, PYTHON_MAX_MINOR = 15 };

/* Limits of a layout; a table from memory that exceeds them is refused. */
enum {
        PYTHON_MAX_RUNTIME_OFFSET =
                1 << 21, /* offsets in the runtime and the interpreter, which are never copied */
        PYTHON_MAX_THREAD_BYTES = 2048,
        PYTHON_MAX_FRAME_BYTES = 256,
        PYTHON_MAX_CODE_BYTES = 512,
        PYTHON_MAX_OBJECT_BYTES = 64,
        PYTHON_OFFSETS_BYTES = 1024, /* size of _Py_DebugOffsets; the longest has 888 */
};

/* How the frames of a thread are stored. */
enum python_frames {
        PYTHON_FRAMES_HEAP,   /* 3.8 to 3.10: PyFrameObject; each has its own native eval frame */
        PYTHON_FRAMES_CFRAME, /* 3.11, 3.12: _PyInterpreterFrame, found through the thread state's cframe */
        PYTHON_FRAMES_THREAD, /* 3.13 and later: found through the thread state itself */
};

/* The format of a code object's line table; python_lines.h. */
enum python_table {
        PYTHON_TABLE_LNOTAB,    /* 3.8, 3.9: co_lnotab */
        PYTHON_TABLE_LINES,     /* 3.10: co_linetable, PEP 626 */
        PYTHON_TABLE_LOCATIONS, /* 3.11 and later: co_linetable with columns, PEP 657 */
};

enum { PYTHON_NO_FIELD = 0x7fffffff }; /* this version has no such field */

/* Offsets in bytes. */
struct python_layout {
        uint8_t minor; /* 8: CPython 3.8 */
        bool is_free_threaded;
        bool is_windows;
        uint8_t frames; /* enum python_frames */
        uint8_t table;  /* enum python_table */

        uint32_t runtime_interpreters; /* the newest interpreter state */
        uint32_t runtime_current;      /* up to 3.11: the thread state that has the GIL */

        uint32_t interp_next;
        uint32_t interp_threads; /* the newest thread state */

        uint32_t thread_bytes; /* size that contains all used fields */
        uint32_t thread_next;
        uint32_t thread_interp;
        uint32_t thread_frame; /* the innermost frame, or the cframe */
        uint32_t thread_id;    /* pthread_self(); GetCurrentThreadId() on Windows */
        uint32_t thread_native_id;
        uint32_t thread_chunk;  /* the newest chunk of the data stack; next field: the end of its used part */
        uint32_t thread_status; /* bits; PYTHON_STATUS_ACTIVE */

        uint32_t cframe_frame;
        uint32_t cframe_previous;

        uint32_t frame_bytes; /* size that contains all used fields */
        uint32_t frame_previous;
        uint32_t frame_code;
        uint32_t frame_instr; /* 3.8 to 3.10: an int, f_lasti; else a pointer into the bytecode */
        uint32_t frame_owner; /* 3.12 and later */
        uint32_t frame_entry; /* 3.11: is_entry */
        uint32_t frame_copy;  /* free-threaded: tlbc_index */

        uint32_t code_bytes; /* size that contains all used fields */
        uint32_t code_file;
        uint32_t code_name; /* co_qualname if the version has it */
        uint32_t code_first_line;
        uint32_t code_lines;
        uint32_t code_instrs;  /* 3.11 and later: beginning of the bytecode */
        uint32_t code_copies;  /* free-threaded: co_tlbc */
        uint32_t code_version; /* 3.12 and later: co_version, a number that no other code object gets; 0 if
                                  there are no more */
        uint32_t code_mutable; /* 3.11: co_warmup and the size of line entries, which change, between fields
                                  that do not */

        uint32_t object_type;
        uint32_t bytes_size; /* ob_size */
        uint32_t bytes_data;
        uint32_t text_length;
        uint32_t text_state;
        uint32_t text_ascii_bytes; /* sizeof(PyASCIIObject), after which ASCII characters begin */
        /* sizeof(PyCompactUnicodeObject), after which the characters of other compact strings begin */
        uint32_t text_compact_bytes;

        /* For objects of the program (python_objects.h); PYTHON_NO_FIELD: they can't be read. */
        uint32_t interp_modules; /* sys.modules */
        uint32_t type_keys;      /* ht_cached_keys */
        /* 3.14 and later */
        uint32_t frame_stack; /* stackpointer */
        uint32_t gen_frame;   /* gi_iframe, which is not a pointer */
        uint32_t gen_state;   /* gi_frame_state */
};

enum { PYTHON_STATUS_ACTIVE = 1 << 4 }; /* _status.active of 3.12 and later */

/* The layout of 3.8 to 3.12; false for other versions.  A debug build (--with-pydebug) has the same
 * offsets. */
bool python_layout_get(unsigned minor, bool is_windows, struct python_layout *ret_layout);

/* Reads `_Py_DebugOffsets` of 3.13 to 3.15, which is at the start of `_PyRuntime`.  ERR_FORMAT: no cookie,
 * or impossible offsets; ERR_UNSUPPORTED: another version. */
bool python_layout_read(const void *bytes, size_t size, bool is_windows, struct python_layout *ret_layout,
                        struct err *err);

/* The size of an id of a thread. */
static inline uint32_t python_layout_id_bytes(const struct python_layout *layout)
{
        return layout->is_windows ? 4 : 8;
}

#endif
