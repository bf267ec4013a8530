/* SPDX-License-Identifier: BSD-3-Clause */
/* How a line of a Python function reads in one text: `parse [app.py:6]`. */
#ifndef PYTHON_LABEL_H
#define PYTHON_LABEL_H

#include <stdint.h>

#include "buf.h"

/* The short form of a path: its base name; of a package's __init__.py and __main__.py the folder too (`json/__init__.py`).
 * A part of `path`. */
const char *python_label_file(const char *path);

/* Appends the label; without the line where it is 0, and "?" for a name that is not known. */
void python_label_add(struct buf *out, const char *function, const char *path, uint32_t line);

#endif
