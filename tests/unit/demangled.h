/* SPDX-License-Identifier: BSD-3-Clause */
/* Mangled names and what becomes of them. */
#ifndef DEMANGLED_H
#define DEMANGLED_H

#include "buf.h"
#include "demangle.h"

/* The readable name, in `out`, or "(refused)". */
static inline const char *text_of(struct buf *out, const char *mangled, bool with_params)
{
        buf_clear(out);
        return demangle_cxx(mangled, with_params, out) ? buf_text(out) : "(refused)";
}

/* `start`, then `n` times `middle`, then `end`; the caller frees it. */
static inline char *repeated(const char *start, const char *middle, size_t n, const char *end)
{
        struct buf name = {0};

        buf_add_str(&name, start);
        for (size_t i = 0; i < n; i++)
                buf_add_str(&name, middle);
        buf_add_str(&name, end);
        return buf_take(&name);
}

#endif
