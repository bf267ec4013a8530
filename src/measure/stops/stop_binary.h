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
#include "stop_thread.h"

struct stop_binaries;

struct stop_binaries *stop_binaries_new(void);
void stop_binaries_free(struct stop_binaries *binaries);
AUTO_DEFINE(stop_binaries)

/* Finds the file of the thread's process that defines _PyRuntime: its program or a library. Returns the
 * file's number, from 1, and the difference between run-time and virtual addresses. 0 if no such file is
 * mapped (yet) or it is not supported. On Linux it searches the process's maps. */
uint32_t stop_binaries_find(struct stop_binaries *binaries, const struct stop_thread *thread,
                            uint64_t *ret_bias, bool *ret_is_unsupported);

/* On Linux: finds the file of the process that contains asyncio's C code, which is file `number` or an
 * extension module, and reads the offsets of tasks; all 0 if there is none, or before 3.14. */
void stop_binaries_find_tasks(struct stop_binaries *binaries, uint32_t number, int32_t pid,
                              struct python_task_layout *ret_layout);

/* On Windows: the process that runs `image` has loaded this file at `start`. Not from the engine's thread. */
void stop_binaries_tell(struct stop_binaries *binaries, uint32_t image, const char *path, uint64_t start);

/* On Windows: it has unloaded the file at `start`, or, if that is 0, it has ended. */
void stop_binaries_untell(struct stop_binaries *binaries, uint32_t image, uint64_t start);

/* Counts calls of the two; if it has changed, stop_binaries_find may have another result. */
uint32_t stop_binaries_n_changes(struct stop_binaries *binaries);

/* Called for each file that gets a number, on the thread that finds it. `open_path` leads to the file now,
 * `path` is its path in the process. */
typedef void stop_binary_added(void *ctx, uint32_t number, const char *open_path, const char *path);
void stop_binaries_on_add(struct stop_binaries *binaries, stop_binary_added *on_add, void *ctx);

/* Adds a file that has a number in another process's list. Call in the order of the numbers. */
void stop_binaries_receive(struct stop_binaries *binaries, uint32_t number, const char *open_path,
                           const char *path);

/* Valid until stop_binaries_free. Uses a lock, because the engine's thread adds files while the reader gets
 * them. */
const struct python_binary *stop_binaries_get(struct stop_binaries *binaries, uint32_t number);

/* The kind of the function at a virtual address of the file. */
enum python_native stop_binaries_kind(struct stop_binaries *binaries, uint32_t number, uint64_t addr);

/* Whether a file defines the state of a CPython. */
bool stop_binary_is_python(struct object *object);

#endif
