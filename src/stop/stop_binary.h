/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that define the interpreters of traced processes, each read once: which CPython it is, and where its eval
 * functions lie. */
#ifndef STOP_BINARY_H
#define STOP_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "python_binary.h"
#include "python_pair.h"

struct stop_binaries;

struct stop_binaries *stop_binaries_new(void);
void stop_binaries_free(struct stop_binaries *binaries);
AUTO_DEFINE(stop_binaries)

/* Looks in the process's maps for the file that defines _PyRuntime: its program, or a libpython.  Returns the file's number,
 * counted from 1, and what to add to its virtual addresses; 0: none is mapped (yet), or it is not supported. */
uint32_t stop_binaries_find(struct stop_binaries *binaries, int32_t pid, uint64_t *ret_bias,
                            bool *ret_is_unsupported);

/* Valid until stop_binaries_free.  The engine's thread finds files while the reader asks for them, so both go through a lock. */
const struct python_binary *stop_binaries_get(struct stop_binaries *binaries, uint32_t number);

/* What the function at a virtual address of the file is. */
enum python_native stop_binaries_kind(struct stop_binaries *binaries, uint32_t number, uint64_t addr);

#endif
