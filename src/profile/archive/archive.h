/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs into a session what is needed to show its samples on a machine that does not have the sampled
 * files. */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "debuginfod.h"
#include "err.h"
#include "resolver.h"

#define ARCHIVE_DEFAULT_MAX_BYTES ((uint64_t)64 << 20)

struct archive_request {
        const char *path;   /* of the session */
        const char *output; /* NULL to replace the session */
        bool strip_source;
        uint64_t max_bytes;         /* limit on the growth of the session */
        const char *source_folders; /* as in source_text_new() */
        const struct resolver_sources *sources;
        struct debuginfod *debuginfod; /* queried for source files; NULL for none */
};

struct archive_result {
        size_t n_modules;
        size_t n_functions, n_whole; /* functions with samples; those packed with all code and lines */
        size_t n_stacks;             /* unwound from stack copies */
        size_t n_source_files, n_source_lines;
        uint64_t bytes_before, bytes_after;
        struct buf source_files; /* "PATH: 30 lines", one a line */
        struct buf note;         /* what was left out and why, one sentence per line; empty if nothing */
};

/* ERR_LIMIT if even the names of the sampled functions take more than max_bytes. If it fails, the session is
 * unchanged. */
bool archive_make(const struct archive_request *request, struct archive_result *ret, struct err *err);
void archive_result_release(struct archive_result *result);

#endif
