/* SPDX-License-Identifier: BSD-3-Clause */
/* Mangled names and what becomes of them. */
#ifndef DEMANGLED_H
#define DEMANGLED_H

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "demangle.h"
#include "tap.h"

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

/* A name whose nesting is as deep as the number of repetitions of `middle`. */
struct nesting {
        const char *start, *middle, *end;
};

static inline void expect_refused_when_deep(const struct nesting *nesting)
{
        size_t n = (DEMANGLE_MAX_INPUT_BYTES - 64) / strlen(nesting->middle);
        char *name = repeated(nesting->start, nesting->middle, n, nesting->end);
        struct buf out = {0};

        EXPECT_STR(text_of(&out, name, true), "(refused)");
        free(name);
        buf_release(&out);
}

#endif
