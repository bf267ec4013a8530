/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the line of an offset in the bytecode, by the line table of a code object.  No side effects.
 *
 * Sources: CPython's Objects/lnotab_notes.txt (3.8: co_lnotab; 3.10: PEP 626) and Objects/locations.md
 * (3.11 and later: PEP 657). */
#ifndef PYTHON_LINES_H
#define PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "python_layout.h"

/* `instr_bytes` as in struct python_frame: -1 is before the first instruction.  0: the instruction has no
 * line, or the table is damaged before it. */
int32_t python_lines_find(enum python_table format, const uint8_t *table, size_t size, int32_t first_line,
                          int32_t instr_bytes);

#endif
