/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises by their symbols the native functions of the interpreter that run Python frames. */
#ifndef PYTHON_NATIVE_H
#define PYTHON_NATIVE_H

#include <stdbool.h>

enum python_native {
        PYTHON_NATIVE_OTHER,
        PYTHON_NATIVE_UNKNOWN, /* no symbol: may be a part of the eval function in a stripped file */
        PYTHON_NATIVE_EVAL,    /* _PyEval_EvalFrameDefault, whole or a part */
        /* Next to an eval function, for the same Python frames: the function of one instruction in an
         * interpreter with tail calls, or the trampoline of -X perf with its caller. */
        PYTHON_NATIVE_GLUE,
};

/* Whether the file at this path is a library that switches C stacks: greenlet, on which gevent and eventlet
 * are built.  All its coroutines run on the stack of their thread: a coroutine's stack ends at the
 * library's function that started it, and what is further out on the stack belongs to coroutines that are
 * suspended, or did. */
bool python_native_switches(const char *path);

/* Classifies a function by its symbol; NULL: it has none. */
enum python_native python_native_of(const char *symbol);

#endif
