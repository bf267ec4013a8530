/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the Python files or functions that match a word, with the samples of their lines. */
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
        const char *path;  /* path of the source file */
        uint64_t count, weight;
        struct python_line *lines; /* lines with samples, sorted by number */
        size_t n_lines, cap_lines;
};

struct python_sources {
        struct python_source *items; /* sorted by event, weight (largest first), title */
        size_t n, cap;
};

/* Files that match `pattern` (python_file_matches); otherwise functions that match it (text_match_symbol),
 * also without their class: raw_decode matches JSONDecoder.raw_decode.  Texts belong to `rows`.  In a
 * file a sample counts once for a line, also if a function of this line, such as a lambda, is called there.
 */
struct python_sources *python_sources_find(const struct python_rows *rows, const char *pattern);
void python_sources_free(struct python_sources *sources);
AUTO_DEFINE(python_sources)

/* Whether a pattern matches the path of a source file: the whole path, its end (`json/__init__.py`), or
 * with `*` and `?` either of these. */
bool python_file_matches(const char *pattern, const char *path);

#endif
