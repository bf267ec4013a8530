/* SPDX-License-Identifier: BSD-3-Clause */
/* What wperf archive packed into a session, opened. */
#ifndef SESSION_ARCHIVE_H
#define SESSION_ARCHIVE_H

#include "buf.h"
#include "perfdata_reader.h"
#include "source_archive.h"
#include "stack_archive.h"
#include "symbol_archive.h"

struct session_archive {
        struct symbol_archive *symbols; /* NULL: none, or it can't be used */
        struct source_archive *source;  /* NULL: the same, or its source was left out */
        struct stack_archive *walks;    /* NULL: the same, or they were not asked for */
        struct archive_origin origin;
        struct buf note; /* why it can't be used, one sentence a line; empty when all is well */
};

/* Never fails.  The reader is kept by the caller, and outlives the archive. */
void session_archive_init(struct session_archive *archive, const struct perfdata_reader *reader);

/* Stacks that were walked when the session was archived, which only those need who show stacks. */
void session_archive_open_walks(struct session_archive *archive, const struct perfdata_reader *reader);
void session_archive_release(struct session_archive *archive);

#endif
