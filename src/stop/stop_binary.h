/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that define the interpreters of traced processes. Each is read once, to find the CPython version
 * and the ranges of its eval functions. */
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

/* Searches the process's maps for the file that defines _PyRuntime: its program or a libpython. Returns the
 * file's number, from 1, and the difference between run-time and virtual addresses. 0 if no such file is
 * mapped (yet) or it is not supported. */
uint32_t stop_binaries_find(struct stop_binaries *binaries, int32_t pid, uint64_t *ret_bias,
                            bool *ret_is_unsupported);

/* Valid until stop_binaries_free. Uses a lock, because the engine's thread adds files while the reader gets
 * them. */
const struct python_binary *stop_binaries_get(struct stop_binaries *binaries, uint32_t number);

/* The kind of the function at a virtual address of the file. */
enum python_native stop_binaries_kind(struct stop_binaries *binaries, uint32_t number, uint64_t addr);

#endif
