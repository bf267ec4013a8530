/* SPDX-License-Identifier: BSD-3-Clause */
/* C++ symbol names (Itanium C++ ABI, section 5.1) as people read them. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

#include <stdbool.h>

#include "buf.h"

/* Names come from hostile files: past any of these the name is shown as it stands. */
enum {
        DEMANGLE_MAX_INPUT_BYTES = 32 * 1024,
        DEMANGLE_MAX_OUTPUT_BYTES = 64 * 1024,
        DEMANGLE_MAX_DEPTH = 192,       /* types, expressions and names inside each other in the input */
        DEMANGLE_MAX_PRINT_DEPTH = 768, /* the same in the output, where substitutions nest further */
        DEMANGLE_MAX_NODES = 32 * 1024, /* pieces that the input was taken apart into */
        DEMANGLE_MAX_WORK = 256 * 1024, /* steps of printing and looking up */
};

/* Appends the readable form of `mangled` to `out`.  Returns false, with `out` as it was, when the name is
 * not a mangled C++ name, is malformed, or passes a limit; the caller then shows the name as it stands.
 * With `with_params` false the parameter list and return type of a function are left out
 * (`ns::Class<int>::method`), with true the full signature comes as c++filt prints it.  What a compiler
 * adds behind a dot becomes `[clone .cold]` in both. */
bool demangle_cxx(const char *mangled, bool with_params, struct buf *out);

#endif
