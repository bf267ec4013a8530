/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles samples by their innermost Python frame: filters them by its source file, and replaces their
 * place. */
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
        bool is_wanted; /* by_place or by_file is set */
        bool by_place;  /* samples count at their innermost Python place */
        bool by_file;   /* only samples whose file matches the pattern count */
        bool *wanted;   /* for each place, if by_file */
        size_t n;
};

/* `section` is NULL if the session has no Python places.  `pattern` as in python_file_matches(); NULL: all
 * files match. */
void report_python_init(struct report_python *python, const struct python_section *section,
                        const char *pattern, bool by_place);
void report_python_release(struct report_python *python);

/* The address of the innermost Python place in a sample's chain; 0 if there is none. */
uint64_t report_python_find(const struct sample *sample);

/* Whether samples with that place count. */
bool report_python_wants(const struct report_python *python, uint64_t addr);

/* Whether a source file has changed since the session was recorded; false if that is not known. */
bool report_python_has_changed(const struct report *report, struct source_text *source, const char *path);

#endif
