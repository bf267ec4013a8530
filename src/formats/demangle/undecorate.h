/* SPDX-License-Identifier: BSD-3-Clause */
/* Readable forms of decorated C++ names of Microsoft's compilers. */
#ifndef UNDECORATE_H
#define UNDECORATE_H

#include <stdbool.h>

#include "buf.h"

/* Limits, because names come from untrusted files.  A name that exceeds one is shown decorated. */
enum {
        UNDECORATE_MAX_INPUT_BYTES = 32 * 1024,
        UNDECORATE_MAX_OUTPUT_BYTES = 64 * 1024,
        UNDECORATE_MAX_DEPTH = 192, /* nesting of types and names in the input */
        /* nesting of names while they are printed; references make it deeper than in the input */
        UNDECORATE_MAX_PRINT_DEPTH = 768,
        UNDECORATE_MAX_WORK = 256 * 1024, /* steps of parsing and printing */
};

/* Appends the readable form of `decorated` (`?method@Class@ns@@QEAAHH@Z`) to `out`.  Returns false, and
 * does not change `out`, if it is not a decorated name, is malformed, or exceeds a limit.  If `with_params`
 * is false, the result is the qualified name with template arguments (`ns::Class::method`), and types in
 * them are printed without calling conventions; otherwise it is the full declaration, as in undname and
 * llvm-undname.  The name in a type_info (`.?AVClass@@`) is accepted, too.  A compiler's suffix becomes
 * `[clone .cold]` or `[exit_thunk]`; other bytes after the name make it malformed. */
bool undecorate(const char *decorated, bool with_params, struct buf *out);

#endif
