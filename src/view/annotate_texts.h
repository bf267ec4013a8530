/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that an annotated view shows and does not have: lines of source files, what is wrong with these files, names of what is
 * called.  A view says which of them it will show (annotate_view_want_...), and whoever can reads no more files than that. */
#ifndef ANNOTATE_TEXTS_H
#define ANNOTATE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct annotate_line {
        uint32_t line;
        const char *text; /* to be filled in; NULL: there is none */
};

struct annotate_file {
        const char *path;
        bool wants_note;
        const char *note; /* to be filled in; NULL: nothing is wrong */
        struct annotate_line *lines;
        size_t n_lines, cap_lines;
};

struct annotate_target {
        uint64_t addr;
        const char *name; /* to be filled in; NULL: none is known */
};

/* Zero-initialised is empty and ready. */
struct annotate_texts {
        struct annotate_file *files;
        size_t n_files, cap_files;
        size_t last_file; /* that was asked for */
        struct annotate_target *targets;
        size_t n_targets, cap_targets;
        struct arena arena; /* paths, and what the caller puts there */
};

void annotate_texts_release(struct annotate_texts *texts);

/* Line 0 and a NULL path are nothing. */
void annotate_texts_want_line(struct annotate_texts *texts, const char *path, uint32_t line);
void annotate_texts_want_note(struct annotate_texts *texts, const char *path);
void annotate_texts_want_target(struct annotate_texts *texts, uint64_t addr);

/* Each text once, in order: before the texts are filled in, and again when more were wanted. */
void annotate_texts_sort(struct annotate_texts *texts);

/* NULL: there is none, or it was not wanted; `texts` may be NULL. */
const char *annotate_texts_line(struct annotate_texts *texts, const char *path, uint32_t line);
const char *annotate_texts_note(struct annotate_texts *texts, const char *path);
const char *annotate_texts_target(const struct annotate_texts *texts, uint64_t addr);

#endif
