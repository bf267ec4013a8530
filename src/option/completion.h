/* SPDX-License-Identifier: BSD-3-Clause */
/* What a shell offers for the last word of a line, out of the tables of options. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include "buf.h"
#include "options.h"

/* Where names come from that are in no table: appended to `out`, one a line.  `kind` is an option's `names`. */
struct completion_names {
        void (*add)(void *ctx, const char *kind, struct buf *out);
        void *ctx;
};

/* Appends for the last of `words` (those behind the program's name; the last may be "") what a shell's script needs: a
 * line "words", "list" (the word may go on behind a comma) or "files" (the shell completes names of files itself), then
 * a line for each candidate, the whole word and, behind a tabulator, what it is. */
void completion_add(const struct command_set *set, size_t n_words, char *const *words,
                    const struct completion_names *names, struct buf *out);

/* The value that the line gives to a long option before its last word, or NULL. */
const char *completion_value(const struct command_set *set, size_t n_words, char *const *words,
                             const char *option, struct arena *arena);

#endif
