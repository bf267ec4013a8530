/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs into a session what its samples need to be explained where none of the files are that they fell into. */
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
        const char *output; /* NULL: in its place */
        bool strip_source;
        uint64_t max_bytes;         /* that it may grow by */
        const char *source_folders; /* as in source_text_new */
        const struct resolver_sources *sources;
        struct debuginfod *debuginfod; /* asked for source files; NULL: nobody is */
};

struct archive_result {
        size_t n_modules;
        size_t n_functions, n_whole; /* with samples; those whose code and lines are all there */
        size_t n_stacks;             /* walked in copies of stacks */
        size_t n_source_files, n_source_lines;
        uint64_t bytes_before, bytes_after;
        struct buf note; /* what was left out, and why, one sentence a line; empty when nothing was */
};

/* ERR_LIMIT when even the names of what was sampled take more than max_bytes.  The session is then as it was, as after
 * every failure. */
bool archive_make(const struct archive_request *request, struct archive_result *ret, struct err *err);
void archive_result_release(struct archive_result *result);

#endif
