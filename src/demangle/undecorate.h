/* SPDX-License-Identifier: BSD-3-Clause */
/* Decorated C++ names of Microsoft's compilers as people read them. */
#ifndef UNDECORATE_H
#define UNDECORATE_H

#include <stdbool.h>

#include "buf.h"

/* Names come from hostile files: past any of these the name is shown as it stands. */
enum {
        UNDECORATE_MAX_INPUT_BYTES = 32 * 1024,
        UNDECORATE_MAX_OUTPUT_BYTES = 64 * 1024,
        UNDECORATE_MAX_DEPTH = 192,       /* types and names inside each other in the input */
        UNDECORATE_MAX_PRINT_DEPTH = 768, /* the same in the output, where references nest further */
        UNDECORATE_MAX_WORK = 256 * 1024, /* steps of reading and printing */
};

/* Appends the readable form of `decorated` (`?method@Class@ns@@QEAAHH@Z`) to `out`.  Returns false, with `out` as it
 * was, when it is no decorated name, is malformed, or passes a limit.  With `with_params` false it is the qualified
 * name with template arguments (`ns::Class::method`), and the types among these have no calling conventions; with
 * true the full declaration, as undname and llvm-undname print it.  The name that a type_info holds (`.?AVClass@@`)
 * is taken too.  What a compiler adds behind a name becomes `[clone .cold]` or `[exit_thunk]`, other bytes there make
 * it malformed. */
bool undecorate(const char *decorated, bool with_params, struct buf *out);

#endif
