/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by the exports of a call tree: a description of the session, names that are safe in any
 * format, walking the tree. */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "calltree.h"
#include "err.h"

/* Facts that the tree does not contain.  NULL counts as "". */
struct export_about {
        const char *event;   /* as requested: "cycles:u" */
        const char *tool;    /* name and version of the writing program */
        const char *command; /* command line of the recording; "": not known */
        bool is_time;        /* weights are nanoseconds; otherwise numbers of events */
        uint64_t dur_ns;     /* duration of the run; 0: not known */
        /* what to add to a time of a sample for the time since 1970; 0: not known */
        int64_t wall_offset_ns;
};

/* Receives a document that is written in pieces. */
struct export_sink {
        bool (*put)(void *ctx, const void *bytes, size_t size, struct err *err);
        void *ctx;
};

/* Gives `out` to the sink and empties it, if it has `least` bytes: EXPORT_PIECE_BYTES, or 1 for what is
 * left. */
enum { EXPORT_PIECE_BYTES = 1 << 16 };
bool export_flush(const struct export_sink *sink, struct buf *out, size_t least, struct err *err);

/* The text of a function: control bytes and invalid UTF-8 as \xNN, no U+FFFE, at most EXPORT_NAME_MAX bytes
 * and `...` if it was cut.  Code without a name is `[MODULE]`, `[MODULE+START]` or `[unknown]`. */
enum { EXPORT_NAME_MAX = 4096 };
void export_add_name(const struct calltree_function *function, struct buf *out);

/* Adds another text by the same rules. */
void export_add_text(const char *text, struct buf *out);

/* Cuts the text in `out` from `from` on to at most `max` bytes of whole characters, with `...` at the end
 * if it was cut. */
void export_cut(struct buf *out, size_t from, size_t max);

/* The node after `at`, parents before their children.  CALLTREE_ROOT comes first and is returned after the
 * last node. */
uint32_t export_next(const struct calltree *tree, uint32_t at);

/* The next node that is not below `at`. */
uint32_t export_skip(const struct calltree *tree, uint32_t at);

/* The function of a node; not for the root. */
const struct calltree_function *export_function(const struct calltree *tree, uint32_t node);

/* Depth of the tree: 0 for the root alone. */
uint32_t export_depth(const struct calltree *tree);

#endif
