/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the CPython version and the address of its state in the file that defines `_PyRuntime`, an
 * executable, a libpython, or Windows' python312.dll.
 * The result is the same for all processes that run the file. */
#ifndef PYTHON_BINARY_H
#define PYTHON_BINARY_H

#include "err.h"
#include "object.h"
#include "python_layout.h"
#include "python_task_layout.h"

struct python_binary {
        struct python_layout layout;
        struct python_task_layout tasks; /* of a file that contains _asyncio */
        bool is_debug; /* --with-pydebug; found by a symbol, so false for a file without any symbol tables */
        uint64_t runtime_addr; /* virtual address of _PyRuntime */
        uint64_t code_type;    /* address of PyCode_Type; 0: not known */
        uint64_t eval;         /* address of _PyEval_EvalFrameDefault; 0: not known */
};

/* Finds the version by `_Py_DebugOffsets`, else by the symbol Py_Version, else by the version text among
 * the file's constants, else by the file's name (python3.8, libpython3.8.so.1.0, python38.dll).  `path` may
 * be NULL.  ERR_MISSING: the file does not define _PyRuntime, or the version was not found;
 * ERR_UNSUPPORTED: another version or machine, a build with Py_TRACE_REFS, or a free-threaded one for
 * Windows. */
bool python_binary_find(struct object *object, const char *path, struct python_binary *ret_binary,
                        struct err *err);

/* Reads the section .AsyncioDebug; all 0 if the file has none that is understood. */
void python_binary_read_tasks(struct object *object, struct python_task_layout *ret_layout);

/* Whether a file defines the state of a CPython, whatever its version. */
bool python_binary_defines(struct object *object);

#endif
