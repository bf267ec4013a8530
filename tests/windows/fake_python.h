/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python program that fake_python.c runs. */
#ifndef FAKE_PYTHON_H
#define FAKE_PYTHON_H

#define FAKE_FILE "C:\\work\\spin.py"

enum { FAKE_MAX_OPS = 8 };

enum fake_kind {
        FAKE_RETURN,
        FAKE_CALL, /* a Python function */
        FAKE_SORT, /* fake_sort, a function in C that calls a Python function */
        FAKE_WORK, /* fake_multiply, a function in C; the value is a time */
};

struct fake_op {
        unsigned char kind, value;
};

struct fake_function {
        const char *name;
        int first_line;
        struct fake_op ops[FAKE_MAX_OPS];
};

enum { FAKE_MAIN, FAKE_OUTER, FAKE_KEY, FAKE_PLAIN, FAKE_N_FUNCTIONS };

/* Of ten parts of the time, Row.key has six, plain three, and <module> one. */
static const struct fake_function fake_functions[FAKE_N_FUNCTIONS] = {
        [FAKE_MAIN] = {"<module>", 1, {{FAKE_CALL, FAKE_OUTER}, {FAKE_CALL, FAKE_PLAIN}, {FAKE_WORK, 10}}},
        [FAKE_OUTER] = {"outer", 10, {{FAKE_SORT, FAKE_KEY}}},
        [FAKE_KEY] = {"Row.key", 20, {{FAKE_WORK, 60}}},
        [FAKE_PLAIN] = {"plain", 30, {{FAKE_WORK, 30}}},
};

#endif
