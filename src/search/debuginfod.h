/* SPDX-License-Identifier: BSD-3-Clause */
/* Debug files and sources by build id from debuginfod servers, through libdebuginfod, which is loaded at the first
 * question.  The servers are those of DEBUGINFOD_URLS; files stay in that library's own cache, as gdb's and perf's do. */
#ifndef DEBUGINFOD_H
#define DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "debug_search.h"

/* The library itself waits that long for one file (DEBUGINFOD_TIMEOUT); here it is the limit of all together. */
enum { DEBUGINFOD_SECONDS = 90 };

struct debuginfod_progress {
        const char *name;     /* of the object or source that is asked for */
        uint64_t n_bytes;     /* that have come; 0 while total_bytes is */
        uint64_t total_bytes; /* 0: not known yet */
        uint64_t left_ns;     /* until the limit */
};

struct debuginfod_options {
        /* Waiting time of all questions together; 0: DEBUGINFOD_SECONDS.  The library looks at it once a second, and a name
         * server that does not answer can hold it for longer. */
        uint64_t limit_ns;
        /* Called a few times a second at most while an answer is waited for; NULL.  Once os_stop_requested is set, the
         * question ends and no further one is asked, as at the limit. */
        void (*progress)(void *ctx, const struct debuginfod_progress *progress);
        void *ctx;
        const char *library; /* NULL: libdebuginfod.so.1 */
};

struct debuginfod;

/* Never fails; strings and ctx are kept by the caller. */
struct debuginfod *debuginfod_new(const struct debuginfod_options *options);
void debuginfod_free(struct debuginfod *debuginfod);
AUTO_DEFINE(debuginfod)

/* Appends the path of the debug file of an object, which the caller checks, or that of a source file of it (its name as
 * in the debug information).  False when no server has it, or something is in the way, which the note says. */
bool debuginfod_find_debug(struct debuginfod *debuginfod, const uint8_t *build_id, size_t build_id_size,
                           const char *name, struct buf *out);
bool debuginfod_find_source(struct debuginfod *debuginfod, const uint8_t *build_id, size_t build_id_size,
                            const char *source, struct buf *out);

/* What debug_search is handed; valid for the life of `debuginfod`. */
struct debug_remote debuginfod_remote(struct debuginfod *debuginfod);

/* What was in the way, one sentence, "" when nothing was: no library, no server named, the limit, failures.  That no server
 * has a file is none.  Valid until the next call. */
const char *debuginfod_note(struct debuginfod *debuginfod);

#endif
