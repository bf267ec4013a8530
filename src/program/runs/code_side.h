/* SPDX-License-Identifier: BSD-3-Clause */
/* One side of a comparison of machine code: an object file, or the modules of a session with their
 * samples. */
#ifndef CODE_SIDE_H
#define CODE_SIDE_H

#include "buf.h"
#include "code_image.h"
#include "err.h"
#include "report.h"
#include "resolver.h"

struct code_side_module {
        const char *path;
        struct code_image *image;
        uint64_t weight;  /* samples */
        int64_t built_ns; /* as in module_source_built_ns() */
        size_t pair;      /* index of the other side's module; SIZE_MAX: none */
};

struct code_side {
        const char *path;
        struct report *report; /* NULL: an object file */
        struct resolver *own;  /* for an object file */
        struct resolver *resolver;
        struct code_side_module *modules; /* those with samples, most first */
        size_t n_modules, cap_modules;
        uint64_t weight;
        struct buf note;
};

/* `path` and `sources` must outlive it; `filter` (NULL: none) selects samples. */
bool code_side_open(struct code_side *ret, const char *path, const struct profile_filter *filter,
                    const struct resolver_sources *sources, struct err *err);
void code_side_release(struct code_side *side);

/* Pairs the modules of both sides: with the same path, the same base name, and then the two with most
 * samples of the rest. */
void code_side_pair(struct code_side *a, struct code_side *b);

#endif
