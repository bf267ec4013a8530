/* SPDX-License-Identifier: BSD-3-Clause */
/* A Python file as the command to measure: `wperf record app.py` runs `python3 app.py`. */
#ifndef PYTHON_COMMAND_H
#define PYTHON_COMMAND_H

#include <stddef.h>

#include "buf.h"

/* The command with the interpreter before it, if its first word is a file NAME.py that the system does not
 * run itself by a first line of #!; else NULL. free() it; the words belong to `words`. */
char **python_command_argv(char *const *words, size_t n);

/* Appends "run as python3 app.py" of such a command, which may be NULL. */
void python_command_add_note(char *const *argv, struct buf *out);

#endif
