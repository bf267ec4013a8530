/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that an annotated view needs from outside: lines of source files, problems of these files, names of called functions.  A
 * view lists the texts that it will show (annotate_view_want_...), and the caller reads no more files than needed. */
#ifndef ANNOTATE_TEXTS_H
#define ANNOTATE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct annotate_line {
        uint32_t line;
        const char *text; /* to be filled in; NULL: not available */
};

struct annotate_file {
        const char *path;
        bool wants_note;
        const char *note; /* to be filled in; NULL: no problem */
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
        size_t last_file; /* index of the file of the last lookup */
        struct annotate_target *targets;
        size_t n_targets, cap_targets;
        struct arena arena; /* paths, and data of the caller */
};

void annotate_texts_release(struct annotate_texts *texts);

/* Line 0 and a NULL path are ignored. */
void annotate_texts_want_line(struct annotate_texts *texts, const char *path, uint32_t line);
void annotate_texts_want_note(struct annotate_texts *texts, const char *path);
void annotate_texts_want_target(struct annotate_texts *texts, uint64_t addr);

/* Sorts the texts and removes duplicates: to be called before the texts are filled in, and again when texts were added. */
void annotate_texts_sort(struct annotate_texts *texts);

/* NULL: not available, or not requested; `texts` may be NULL. */
const char *annotate_texts_line(struct annotate_texts *texts, const char *path, uint32_t line);
const char *annotate_texts_note(struct annotate_texts *texts, const char *path);
const char *annotate_texts_target(const struct annotate_texts *texts, uint64_t addr);

#endif
