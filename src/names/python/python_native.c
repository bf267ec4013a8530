/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_native.h"

#include <stddef.h>
#include <string.h>

#include "text.h"
#include "text_match.h"

/* Matches the name itself, also with a suffix of the compiler: ".cold", ".constprop.0", ".part.3". */
static bool is_function(const char *symbol, const char *name)
{
        size_t len = strlen(name);

        return strncmp(symbol, name, len) == 0 && (!symbol[len] || symbol[len] == '.');
}

enum python_native python_native_of(const char *symbol)
{
        if (!symbol)
                return PYTHON_NATIVE_UNKNOWN;
        if (is_function(symbol, "_PyEval_EvalFrameDefault"))
                return PYTHON_NATIVE_EVAL;
        if (text_starts(symbol, "_TAIL_CALL_") || text_starts(symbol, "py::") ||
            is_function(symbol, "py_trampoline_evaluator"))
                return PYTHON_NATIVE_GLUE;
        return PYTHON_NATIVE_OTHER;
}

bool python_native_switches(const char *path)
{
        const char *name = text_base_name(path);

        return text_starts(name, "_greenlet.") || text_starts(name, "greenlet.");
}
