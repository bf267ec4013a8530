/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the data that wperf archive packed into a session. */
#ifndef SESSION_ARCHIVE_H
#define SESSION_ARCHIVE_H

#include "budget.h"
#include "buf.h"
#include "perfdata_reader.h"
#include "source_archive.h"
#include "stack_archive.h"
#include "symbol_archive.h"

struct session_archive {
        struct symbol_archive *symbols; /* NULL: there are none, or they can't be used */
        struct source_archive *source;  /* NULL: as above, or source was left out */
        struct stack_archive *walks;    /* NULL: as above, or they were not requested */
        struct archive_origin origin;
        struct buf note; /* why data can't be used, one sentence a line; may be empty */
};

/* Never fails.  The reader and the budget, from which memory is taken, are kept by the caller and outlive
 * the archive. */
void session_archive_init(struct session_archive *archive, const struct perfdata_reader *reader,
                          struct budget *budget);

/* Opens the stacks that were unwound when the session was archived; only commands that show stacks need
 * them. */
void session_archive_open_walks(struct session_archive *archive, const struct perfdata_reader *reader,
                                struct budget *budget);
void session_archive_release(struct session_archive *archive);

#endif
