/* SPDX-License-Identifier: BSD-3-Clause */
/* Native functions of the interpreter by their symbols: those that run Python frames. */
#ifndef PYTHON_NATIVE_H
#define PYTHON_NATIVE_H

enum python_native {
        PYTHON_NATIVE_OTHER,
        PYTHON_NATIVE_UNKNOWN, /* without a symbol: may be a piece of the eval function in a stripped file */
        PYTHON_NATIVE_EVAL,    /* _PyEval_EvalFrameDefault, whole or in pieces */
        /* Beside an eval function, for the same Python frames: an instruction's function of the interpreter that makes tail calls, or
         * the trampoline of -X perf with its caller. */
        PYTHON_NATIVE_GLUE,
};

/* What a function is by its symbol; NULL: it has none. */
enum python_native python_native_of(const char *symbol);

#endif
