/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that defines `_PyRuntime`, an executable or a libpython: which CPython it is and where its state lies.  It is the same for
 * all processes that run the file. */
#ifndef PYTHON_BINARY_H
#define PYTHON_BINARY_H

#include "err.h"
#include "object.h"
#include "python_layout.h"

struct python_binary {
        struct python_layout layout;
        bool is_debug; /* --with-pydebug; found by a symbol, so false in a file that is stripped of .dynsym too */
        uint64_t runtime_addr; /* virtual address of _PyRuntime */
        uint64_t code_type;    /* of PyCode_Type; 0: the file does not say */
        uint64_t eval;         /* of _PyEval_EvalFrameDefault; 0: likewise */
};

/* Finds the version by `_Py_DebugOffsets`, else by the symbol Py_Version, else by the version text among the file's constants, else by
 * the file's name (python3.8, libpython3.8.so.1.0).  `path` may be NULL.  ERR_MISSING: the file does not define _PyRuntime, or
 * nothing tells the version; ERR_UNSUPPORTED: another version or machine, or a build with Py_TRACE_REFS. */
bool python_binary_find(struct object *object, const char *path, struct python_binary *ret_binary,
                        struct err *err);

#endif
