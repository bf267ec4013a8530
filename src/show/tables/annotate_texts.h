/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that an annotated view asks for while it is printed, so that no more files are read than it shows. */
#ifndef ANNOTATE_TEXTS_H
#define ANNOTATE_TEXTS_H

#include <stdint.h>

#include "buf.h"

/* What is NULL gives nothing.  Texts live as long as the view. */
struct annotate_texts {
        const char *(*line)(void *ctx, const char *path,
                            uint32_t line); /* of a source file; NULL: not available */
        const char *(*note)(void *ctx,
                            const char *path); /* what is wrong with a source file; NULL: nothing */
        void (*add_target)(void *ctx, uint64_t addr,
                           struct buf *out); /* the function that is called, if it is known */
        void *ctx;
};

/* NULL for line 0 and without a path, too. */
static inline const char *annotate_texts_line(const struct annotate_texts *texts, const char *path,
                                              uint32_t line)
{
        return texts->line && path && line ? texts->line(texts->ctx, path, line) : NULL;
}

static inline const char *annotate_texts_note(const struct annotate_texts *texts, const char *path)
{
        return texts->note && path ? texts->note(texts->ctx, path) : NULL;
}

#endif
