/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples by their innermost Python frame: which of them are wanted by its source file, and where they then count. */
#ifndef REPORT_PYTHON_H
#define REPORT_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "python_section.h"
#include "record.h"

struct report;
struct source_text;

struct report_python {
        bool is_wanted; /* one of the next two */
        bool by_place;  /* samples count at their innermost Python place */
        bool by_file;   /* only those whose file is wanted count */
        bool *wanted;   /* of each place, with by_file */
        size_t n;
};

/* `section` NULL: the session has no Python places.  `pattern` as python_file_matches() takes it; NULL: all files are wanted. */
void report_python_init(struct report_python *python, const struct python_section *section,
                        const char *pattern, bool by_place);
void report_python_release(struct report_python *python);

/* The address of the innermost Python place in a sample's chain; 0: it has none. */
uint64_t report_python_find(const struct sample *sample);

/* Whether a sample with that place is wanted. */
bool report_python_wants(const struct report_python *python, uint64_t addr);

/* Whether a source file is another than it was while the session was recorded.  False where that is not known. */
bool report_python_has_changed(const struct report *report, struct source_text *source, const char *path);

#endif
