/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python files or functions that a word names, with the samples of their lines. */
#ifndef PYTHON_SOURCES_H
#define PYTHON_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "python_rows.h"

struct python_source {
        uint32_t event;
        bool is_file;
        const char *title; /* the path, or the function's label */
        const char *path;  /* of the source file */
        uint64_t count, weight;
        struct python_line *lines; /* with samples, by number */
        size_t n_lines, cap_lines;
};

struct python_sources {
        struct python_source *items; /* by event, weight (most first), title */
        size_t n, cap;
};

/* Files that `pattern` names (python_file_matches), else functions that it matches (text_match_symbol).  Texts are those of
 * `rows`.  Those without samples of their own are left out. */
struct python_sources *python_sources_find(const struct python_rows *rows, const char *pattern);
void python_sources_free(struct python_sources *sources);
AUTO_DEFINE(python_sources)

/* Whether a pattern means a source file: its path, an end of it from a folder on (`json/__init__.py`), or with `*` and `?` one of
 * them. */
bool python_file_matches(const char *pattern, const char *path);

#endif
