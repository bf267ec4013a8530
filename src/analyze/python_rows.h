/* SPDX-License-Identifier: BSD-3-Clause */
/* Python functions and their lines with the samples of stacks: of their own, which had them as the innermost Python frame, and
 * all that had them anywhere. */
#ifndef PYTHON_ROWS_H
#define PYTHON_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

/* A native function that ran innermost below a line. */
struct python_native {
        const char *function, *module; /* of modules "" for none */
        uint64_t count, weight;
};

struct python_line {
        uint32_t line; /* 0: not known */
        uint64_t count, weight;
        struct python_native *natives; /* by weight, most first */
        size_t n_natives, cap_natives;
};

struct python_function {
        uint32_t event;
        const char *name; /* "parse" */
        const char *
                label; /* "parse [app.py:5]", with its first line: tells it from all others that read the same */
        const char *path; /* of the source file; "" not known */
        uint64_t self_count, self_weight;
        uint64_t count, weight;    /* a sample counts once, even where the function calls itself */
        struct python_line *lines; /* with samples of their own, by number */
        size_t n_lines, cap_lines;
};

struct python_rows {
        struct python_function *items; /* by event, own weight, weight (most first), label */
        size_t n, cap;
        struct strpool *texts;
};

struct stacks;                /* stacks.h */
struct stacks_python_request; /* stacks_python.h */

/* Of stacks with all frames, after stacks_finish(). */
struct python_rows *python_rows_new(const struct stacks *stacks, const struct stacks_python_request *request);
void python_rows_free(struct python_rows *rows);
AUTO_DEFINE(python_rows)

#endif
