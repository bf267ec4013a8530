/* SPDX-License-Identifier: BSD-3-Clause */
/* The text for a line of a Python function: `parse [app.py:6]`. */
#ifndef PYTHON_LABEL_H
#define PYTHON_LABEL_H

#include <stdint.h>

#include "buf.h"

/* The short form of a path: its base name; for __init__.py and __main__.py with the folder
 * (`json/__init__.py`). Points into `path`. */
const char *python_label_file(const char *path);

/* Sets ret[i] to the short form of paths[i], with as many folders as it takes to tell it from the other
 * paths (`x/util.py` and `y/util.py`). Equal paths have equal forms. They point into `paths`. */
void python_label_files(const char *const *paths, size_t n, const char **ret);

/* Appends the label with a file's short form; as python_label_add. */
void python_label_add_file(struct buf *out, const char *function, const char *file, uint32_t line);

/* The line in a label; 0 if it has none. */
uint32_t python_label_line(const char *label);

/* Appends the label; without the line if it is 0, and with "?" for an unknown name. */
void python_label_add(struct buf *out, const char *function, const char *path, uint32_t line);

#endif
