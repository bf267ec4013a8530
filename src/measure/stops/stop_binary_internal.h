/* SPDX-License-Identifier: BSD-3-Clause */
/* For stop_binaries_find of each system. */
#ifndef STOP_BINARY_INTERNAL_H
#define STOP_BINARY_INTERNAL_H

#include "map.h"
#include "object.h"
#include "os.h"
#include "stop_binary.h"

enum { STOP_MAX_BINARIES = 256 };

/* Results of stop_binaries_number that are not file numbers. */
enum { STOP_NO_INTERPRETER = INT32_MAX - 1, STOP_UNSUPPORTED = INT32_MAX };

struct native_range {
        uint64_t start, size_bytes;
        enum python_native kind;
};

struct stop_binary {
        struct python_binary python;
        /* if the file is stripped, all functions with a symbol; else only eval functions and similar */
        struct native_range *functions;
        size_t n_functions, cap_functions;
        bool is_stripped;
        struct object *object; /* used to convert file offsets to addresses */
};

struct stop_binaries {
        /* key of a file to its number, STOP_NO_INTERPRETER or STOP_UNSUPPORTED; used by one thread only */
        struct map numbers;
        stop_binary_added *on_add; /* may be NULL */
        void *on_add_ctx;
        struct os_lock *lock; /* protects the fields below */
        struct stop_binary *items[STOP_MAX_BINARIES];
        uint32_t n_items;
        uint32_t n_changes; /* atomic */
        struct map told;    /* on Windows: image to struct told_binary * */
};

/* Returns the number of a file, which is read if no file with this key was seen before. `path` is its path in
 * the process. */
uint32_t stop_binaries_number(struct stop_binaries *binaries, uint64_t key, const char *open_path,
                              const char *path);

/* NULL if `number` is not that of a file. */
const struct stop_binary *stop_binaries_at(struct stop_binaries *binaries, uint32_t number);

/* Whether a library is one of CPython, by its name. */
bool stop_binary_is_library(const char *path);

#endif
