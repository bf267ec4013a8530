/* SPDX-License-Identifier: BSD-3-Clause */
/* Readable forms of symbol names of C++ (Itanium C++ ABI, section 5.1, and Microsoft's) and Rust (RFC 2603
 * and the older form). */
#ifndef DEMANGLE_H
#define DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/* Limits, because names come from untrusted files.  A name that exceeds one is shown mangled. */
enum {
        DEMANGLE_MAX_INPUT_BYTES = 32 * 1024,
        DEMANGLE_MAX_OUTPUT_BYTES = 64 * 1024,
        DEMANGLE_MAX_DEPTH = 192, /* nesting of types, expressions and names in the input */
        /* nesting of names while they are printed; substitutions make it deeper than in the input */
        DEMANGLE_MAX_PRINT_DEPTH = 768,
        DEMANGLE_MAX_NODES = 32 * 1024, /* nodes of the parse tree */
        DEMANGLE_MAX_WORK = 256 * 1024, /* steps of printing and lookups */
};

/* Appends the readable form of `mangled` to `out`.  Returns false, and does not change `out`, if the name
 * is not a mangled name, is malformed, or exceeds a limit; the caller then shows the mangled name. If
 * `with_params` is false, the parameter list and return type of a C++ function are left out
 * (`ns::Class<int>::method`); otherwise the full signature is as in c++filt.  In both cases a compiler's
 * suffix after a dot becomes `[clone .cold]`.
 *
 * A Rust name has no parameters.  If `with_params` is false, the result is the path with its generic
 * arguments, without parts that only keep names distinct, as in rustfilt (`<alloc::vec::Vec<u8>>::push`,
 * `app::sum::<4>`); `.llvm.123` is left out, too. Otherwise it includes the disambiguators of crates and
 * the types of constants (`app[51b6c0ff]::sum::<4usize>`), or in a name of the older form the hash
 * (`app::sum::h0123456789abcdef`), as rustfilt -h does.  The number of a closure is part of its name.  A
 * name of the older form is recognised by its hash.
 *
 * A name that begins with `?` is one of Microsoft's: undecorate.h. */
bool demangle_cxx(const char *mangled, bool with_params, struct buf *out);

/* The full form without the return type of a C++ function: `ns::f<int>(int)`. */
bool demangle_arguments(const char *mangled, struct buf *out);

/* The length of a name without suffixes of compilers for clones and parts of a function: `.cold`,
 * `.part.0`, `.isra.0`, `.constprop.0`, `.lto_priv.0`, `.llvm.123`, and several of them.  Never 0 except
 * for "". */
size_t demangle_without_clone(const char *name);

#endif
