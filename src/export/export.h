/* SPDX-License-Identifier: BSD-3-Clause */
/* What the exports of a call tree have in common: what is told about it, names that are safe in any format, the way through
 * the tree. */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "calltree.h"
#include "err.h"

/* What the tree itself does not know.  NULL counts as "". */
struct export_about {
        const char *event;   /* as it was asked for: "cycles:u" */
        const char *tool;    /* name and version of what writes this */
        const char *command; /* the line that recorded it; "" not known */
        bool is_time;        /* weights are nanoseconds, else a number of events */
        uint64_t dur_ns;     /* of the run; 0: not known */
};

/* Where a document goes that is not made as a whole. */
struct export_sink {
        bool (*put)(void *ctx, const void *bytes, size_t size, struct err *err);
        void *ctx;
};

/* What a function is shown as, and how much of it: control bytes and invalid UTF-8 as \xNN, no U+FFFE, at most that many bytes and
 * `...` behind what was cut.  Code without a name is `[MODULE]`, `[MODULE+START]` or `[unknown]`. */
enum { EXPORT_NAME_MAX = 4096 };
void export_add_name(const struct calltree_function *function, struct buf *out);

/* A text in the same way. */
void export_add_text(const char *text, struct buf *out);

/* The first `max` bytes of what stands in `out` from `from` on, whole characters, and `...` where that is less. */
void export_cut(struct buf *out, size_t from, size_t max);

/* The node after `at` in the order of a reader: below it, beside it, beside one above it.  CALLTREE_ROOT comes first and
 * is returned after the last. */
uint32_t export_next(const struct calltree *tree, uint32_t at);

/* The node after `at` that is not below it. */
uint32_t export_skip(const struct calltree *tree, uint32_t at);

/* The function of a node other than the root. */
const struct calltree_function *export_function(const struct calltree *tree, uint32_t node);

/* How deep the tree is: the root alone is 0. */
uint32_t export_depth(const struct calltree *tree);

#endif
