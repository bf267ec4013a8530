/* SPDX-License-Identifier: BSD-3-Clause */
/* Summary of the data that was packed into a session, as a line and as JSON. */
#ifndef ARCHIVE_VIEW_H
#define ARCHIVE_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct archive_view {
        const char *session; /* path of the session that was written */
        size_t n_modules;
        size_t n_functions, n_whole; /* functions with samples; those of them with all code and lines */
        size_t n_stacks;
        size_t n_source_files, n_source_lines;
        uint64_t bytes_before, bytes_after;
        const char *source_files; /* "PATH: 30 lines", one a line */
        const char *notes;        /* one sentence a line; may be "" */
};

void archive_view_text(const struct archive_view *view, struct buf *out);
void archive_view_json(const struct archive_view *view, struct buf *out);

#endif
