/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of code in files that nobody can read once the recorder has ended: deleted, replaced, in memory, in a root or a mount
 * namespace that is gone.  The collector holds these files open; at the end of the recording the sampled addresses in them are
 * looked up, and the answers become the session's section of symbols. */
#ifndef KEPT_NAMES_H
#define KEPT_NAMES_H

#include "buf.h"
#include "collector.h"

struct kept_session {
        const char *path; /* all records are in the file */
        const struct collect_result *collected;
        const struct buf *images; /* FEATURE_WPERF_IMAGES, which the file does not have yet */
};

/* Appends the sections FEATURE_WPERF_SYMBOLS and FEATURE_WPERF_CODE; nothing where every mapped file can still be read at its path.  Returns of how
 * many files the names were left out, since there are too many of them to be looked at in two seconds. */
size_t kept_names_make(const struct kept_session *session, struct buf *symbols, struct buf *code);

#endif
