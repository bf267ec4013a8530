/* SPDX-License-Identifier: BSD-3-Clause */
/* A session of a program in C and Python as the recorder writes it: native frames, Python places after the
 * eval frame that runs them, and the outer native frames.  For tests. */
#ifndef PYTHON_SESSION_H
#define PYTHON_SESSION_H

#include <stdbool.h>

/* Writes python.data, python.data.pysyms and the images libpython.so and _json.so into `folder`, an
 * absolute path.  The Python functions are in FOLDER/app.py and FOLDER/json/__init__.py, which the caller
 * may write.  Samples, innermost frame first; PyRun_Main and main follow:
 *
 *     40  scan_once, py_scan, eval, loads:346, parse:6, <module>:40
 *     25  eval, parse:6, <module>:40
 *     15  eval, parse:7, <module>:40
 *     10  eval.cold, fib:12, fib:12, fib:10, <module>:41
 *      3  sorted, eval, Key.__init__:21, sorted, eval, <module>:42       (a C function between two eval
 *      frames) 3  sorted, eval, Other.__init__:31, sorted, eval, <module>:42     (both are called __init__)
 *      2  only PyRun_Main
 *      2  eval without Python frames
 *
 * `times` as many of each. */
bool python_session_write(const char *folder, unsigned times);

#endif
