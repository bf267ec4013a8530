/* SPDX-License-Identifier: BSD-3-Clause */
/* Readable names of C++ made shorter by what they are: what a reader does not miss goes first. */
#ifndef DEMANGLE_FOLD_H
#define DEMANGLE_FOLD_H

#include <stdbool.h>

#include "buf.h"

enum {
        FOLD_MAX_INPUT_BYTES = 64 * 1024,
        FOLD_MAX_DEPTH = 64, /* template arguments inside each other */
        FOLD_ALL_LEVELS = FOLD_MAX_DEPTH,
};

/* Appends a name as demangle_cxx gives it, with
 * - `std::string` for std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, and the like of streams,
 * - std's containers and smart pointers without arguments that are the default (allocator, char_traits, less, hash, equal_to,
 *   default_delete of what the others say; any other stays),
 * - std:: for std::__cxx11:: and std::__1::, and
 * - `<...>` for lists of template arguments that are nested in `levels` lists or more.
 * Any bytes may be given.  Returns false, with the name appended as it is, for brackets that don't match and past the limits. */
bool demangle_fold(const char *name, unsigned levels, struct buf *out);

#endif
