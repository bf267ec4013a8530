/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which source files may be given to others, with an archive or a page: a session, and the debug
 * information that it names, can name any file. docs/decisions/0014-source-that-all-may-read.md. */
#ifndef GIVEN_SOURCE_H
#define GIVEN_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debuginfod.h"
#include "python_section.h"
#include "resolver.h"
#include "source_archive.h"
#include "source_text.h"

struct given_source;

struct given_source_request {
        struct resolver *resolver;
        const struct source_archive *archive; /* lines that are packed in the session; or NULL */
        const char *folders;                  /* as in source_text_new() */
        bool takes_private;                   /* as in source_text_take_private() */
        struct debuginfod *debuginfod;        /* queried for files; NULL for none */
};

/* What the request points to must outlive the result. */
struct given_source *given_source_new(const struct given_source_request *request);
void given_source_free(struct given_source *given);
AUTO_DEFINE(given_source)

/* Wants a line of a file that the debug information of a module names.  Paths are equal if they are the same
 * text in memory, which must outlive `given`. */
void given_source_want(struct given_source *given, resolver_id module, const char *path, uint32_t line);

/* Wants a line of a Python function; 0: none.  `function` may be NULL, and is not given then. */
void given_source_want_python(struct given_source *given, const char *path,
                              const struct python_section_code *function, uint32_t line);

/* Receives the files that may be given, and of each the wanted lines and those around them that a listing
 * shows, in ascending order. */
struct given_source_sink {
        void (*begin)(void *ctx, const char *path, int64_t mtime_ns);
        void (*line)(void *ctx, uint32_t line, const char *text);
        void *ctx;
};

/* In the order in which the files were wanted first. */
void given_source_each(struct given_source *given, const struct given_source_sink *sink);

/* After that: files that exist but that not all users may read, and files that nothing names that can be
 * checked. */
size_t given_source_n_refused(const struct given_source *given);
size_t given_source_n_unproven(const struct given_source *given);

#endif
