/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a line of a Python file is where a recorded function begins.  A session can name any file as that
 * of a Python function; only files that hold the function may be given to others. */
#ifndef PYTHON_CLAIM_H
#define PYTHON_CLAIM_H

#include <stdbool.h>

/* `line` is the text of the function's first line, or NULL; `name` its name or qualified name: "C.f",
 * "f.<locals>.<lambda>".  A function begins with its def or its first decorator, a class with its own; a
 * lambda or a comprehension stands in the line.  A module begins anywhere. */
bool python_claim_holds(const char *name, const char *line);

#endif
