/* SPDX-License-Identifier: BSD-3-Clause */
/* Python functions and their lines with samples: their own (the function is the innermost Python frame) and
 * total (the function is anywhere on the stack). */
#ifndef PYTHON_ROWS_H
#define PYTHON_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

/* A native function that was the innermost frame below a Python line. */
struct python_native {
        const char *function, *module; /* module "": none */
        uint64_t count, weight;
};

struct python_line {
        uint32_t line;                      /* 0: not known */
        uint64_t count, weight;             /* own samples */
        uint64_t total_count, total_weight; /* with its callees; a sample counts once for each function */
        uint64_t file_count, file_weight;   /* the same, but once for all functions that have the line */
        struct python_native *natives;      /* sorted by weight */
        size_t n_natives, cap_natives;
};

struct python_function {
        uint32_t event;
        const char *name; /* "parse" */
        /* "parse [app.py:5]", with the function's first line: distinguishes functions with the same name */
        const char *label;
        const char *path; /* path of the source file; "": not known */
        uint64_t self_count, self_weight;
        uint64_t count, weight;    /* total; a sample counts once, even if the function calls itself */
        struct python_line *lines; /* sorted by number */
        size_t n_lines, cap_lines;
};

struct python_rows {
        struct python_function *items; /* sorted by event, own weight, weight (largest first), label */
        size_t n, cap;
        struct strpool *texts;
};

struct stacks;                /* stacks.h */
struct stacks_python_request; /* stacks_python.h */

/* Needs stacks with all frames, after stacks_finish(). */
struct python_rows *python_rows_new(const struct stacks *stacks, const struct stacks_python_request *request);
void python_rows_free(struct python_rows *rows);
AUTO_DEFINE(python_rows)

#endif
