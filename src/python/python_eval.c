/* SPDX-License-Identifier: BSD-3-Clause */
/* _PyEval_EvalFrameDefault of all versions; 3.14's tail-calling interpreter has a function for each instruction. */
#include "python_eval.h"

#include <string.h>

static bool begins(const char *name, const char *start)
{
        return !strncmp(name, start, strlen(start));
}

bool python_eval_is_name(const char *name)
{
        static const char eval[] = "_PyEval_EvalFrameDefault";

        if (begins(name, "_TAIL_CALL_"))
                return true;
        return begins(name, eval) &&
               (!name[sizeof(eval) - 1] || name[sizeof(eval) - 1] == '.' || name[sizeof(eval) - 1] == '@');
}
