/* SPDX-License-Identifier: BSD-3-Clause */
/* Shortens readable C++ names: leaves out parts that users seldom need. */
#ifndef DEMANGLE_FOLD_H
#define DEMANGLE_FOLD_H

#include <stdbool.h>

#include "buf.h"

enum {
        FOLD_MAX_INPUT_BYTES = 64 * 1024,
        FOLD_MAX_DEPTH = 64, /* maximum nesting of template arguments */
        FOLD_ALL_LEVELS = FOLD_MAX_DEPTH,
};

/* Appends a name from demangle_cxx with these changes:
 * - `std::string` for std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, and
 *   the same for streams,
 * - std's containers and smart pointers without default arguments (allocator, char_traits, less, hash,
 *   equal_to, default_delete of the types of the other arguments; other arguments stay),
 * - std:: for std::__cxx11:: and std::__1::, and
 * - `<...>` for lists of template arguments that are nested in `levels` lists or more.
 * Any bytes may be passed.  If brackets don't match or a limit is exceeded, appends the unchanged name and
 * returns false. */
bool demangle_fold(const char *name, unsigned levels, struct buf *out);

#endif
