/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbol names of C++ (Itanium C++ ABI, section 5.1, and Microsoft's) and Rust (RFC 2603 and the older form) as
 * people read them. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

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
 * not a mangled name, is malformed, or passes a limit; the caller then shows the name as it stands.
 * With `with_params` false the parameter list and return type of a C++ function are left out
 * (`ns::Class<int>::method`), with true the full signature comes as c++filt prints it.  What a compiler
 * adds behind a dot becomes `[clone .cold]` in both.
 *
 * A Rust name has no parameters.  False gives the path with its generic arguments and without what only keeps
 * names apart, as rustfilt prints it (`<alloc::vec::Vec<u8>>::push`, `app::sum::<4>`); `.llvm.123` goes too.
 * True adds that: the disambiguators of crates and the types of constants (`app[51b6c0ff]::sum::<4usize>`), or
 * in a name of the older form the hash (`app::sum::h0123456789abcdef`), as rustfilt -h.  The number of a
 * closure is part of its name.  A name of the older form is told from a C++ name by its hash.
 *
 * A name that begins with `?` is one of Microsoft's: undecorate.h. */
bool demangle_cxx(const char *mangled, bool with_params, struct buf *out);

/* The full form without the return type of a C++ function: `ns::f<int>(int)`. */
bool demangle_arguments(const char *mangled, struct buf *out);

/* The length of a name without what compilers add to those of clones and pieces of a function: `.cold`, `.part.0`, `.isra.0`,
 * `.constprop.0`, `.lto_priv.0`, `.llvm.123`, and any of them behind each other.  Never 0 but of "". */
size_t demangle_without_clone(const char *name);

#endif
