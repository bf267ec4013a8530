/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises by their symbols the native functions of the interpreter that run Python frames. */
#ifndef PYTHON_NATIVE_H
#define PYTHON_NATIVE_H

enum python_native {
        PYTHON_NATIVE_OTHER,
        PYTHON_NATIVE_UNKNOWN, /* no symbol: may be a part of the eval function in a stripped file */
        PYTHON_NATIVE_EVAL,    /* _PyEval_EvalFrameDefault, whole or a part */
        /* Next to an eval function, for the same Python frames: the function of one instruction in an interpreter with tail
         * calls, or the trampoline of -X perf with its caller. */
        PYTHON_NATIVE_GLUE,
};

/* Classifies a function by its symbol; NULL: it has none. */
enum python_native python_native_of(const char *symbol);

#endif
