/* SPDX-License-Identifier: BSD-3-Clause */
/* Gets debug files and sources by build id from debuginfod servers, through libdebuginfod, which is loaded
 * at the first request. The servers are those of DEBUGINFOD_URLS; files stay in that library's cache, as
 * with gdb and perf. */
#ifndef DEBUGINFOD_H
#define DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "debug_search.h"

/* The library waits that long for one file (DEBUGINFOD_TIMEOUT); here it is the limit for all files
 * together. */
enum { DEBUGINFOD_SECONDS = 90 };

struct debuginfod_progress {
        const char *name;     /* name of the requested object or source */
        uint64_t n_bytes;     /* received bytes; 0 if total_bytes is 0 */
        uint64_t total_bytes; /* 0: not known yet */
        uint64_t left_ns;     /* time until the limit */
};

struct debuginfod_options {
        /* Waiting time for all requests together; 0: DEBUGINFOD_SECONDS.  The library checks it once a
         * second, and waits longer for a name server that does not answer. */
        uint64_t limit_ns;
        /* Called at most a few times a second while waiting; may be NULL.  When os_stop_requested is set,
         * the request ends and no more are made, as at the limit. */
        void (*progress)(void *ctx, const struct debuginfod_progress *progress);
        void *ctx;
        const char *library; /* NULL: libdebuginfod.so.1 */
};

struct debuginfod;

/* Never fails; strings and ctx are kept by the caller. */
struct debuginfod *debuginfod_new(const struct debuginfod_options *options);
void debuginfod_free(struct debuginfod *debuginfod);
AUTO_DEFINE(debuginfod)

/* Appends the path of the debug file of an object, which the caller checks, or of a source file (named as
 * in the debug information).  False if no server has it, or if the request failed; the note says why. */
bool debuginfod_find_debug(struct debuginfod *debuginfod, const uint8_t *build_id, size_t build_id_size,
                           const char *name, struct buf *out);
bool debuginfod_find_source(struct debuginfod *debuginfod, const uint8_t *build_id, size_t build_id_size,
                            const char *source, struct buf *out);

/* The source to pass to debug_search; valid for the life of `debuginfod`. */
struct debug_remote debuginfod_remote(struct debuginfod *debuginfod);

/* Appends the server of this machine: the first that a file in `folder` names (NULL:
 * /etc/debuginfod, where the package libdebuginfod-common and administrators name them); else that of the
 * distribution of /etc/os-release; else the one that asks those of all. */
void debuginfod_server(const char *folder, struct buf *out);

/* Why files could not be fetched, in one sentence: no library, no server named, the time limit, failures. ""
 * if nothing failed; a file that no server has is not a failure. Valid until the next call. */
const char *debuginfod_note(struct debuginfod *debuginfod);

#endif
