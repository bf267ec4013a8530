/* SPDX-License-Identifier: BSD-3-Clause */
/* Completions of the last word of a line, from the tables of options. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include "buf.h"
#include "options.h"

/* Source of names that are not in a table: appends them to `out`, one a line.  `kind` is an option's
 * `names`. */
struct completion_names {
        void (*add)(void *ctx, const char *kind, struct buf *out);
        void *ctx;
};

/* Appends the completions of the last of `words` (those after the program's name; the last may be "") in
 * the format of the shell scripts: a line "words", "list" (the word may continue after a comma) or "files"
 * (the shell completes file names itself), then a line for each candidate: the whole word and, after a tab,
 * its description. */
void completion_add(const struct command_set *set, size_t n_words, char *const *words,
                    const struct completion_names *names, struct buf *out);

/* The value of a long option before the last word, or NULL. */
const char *completion_value(const struct command_set *set, size_t n_words, char *const *words,
                             const char *option, struct arena *arena);

#endif
