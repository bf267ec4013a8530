/* SPDX-License-Identifier: BSD-3-Clause */
/* Which native functions run Python frames. */
#ifndef PYTHON_EVAL_H
#define PYTHON_EVAL_H

#include <stdbool.h>

/* Whether a symbol is that of an eval function, or of a piece that the compiler split from it. */
bool python_eval_is_name(const char *name);

#endif
