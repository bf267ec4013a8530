/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols of files that cannot be read once the recorder has ended: deleted or replaced files, files in
 * memory, and files in a root or mount namespace that no longer exists. The collector holds these files open.
 * At the end of the recording, the sampled addresses in them are looked up, and the answers are written to
 * the session's section of symbols. */
#ifndef KEPT_NAMES_H
#define KEPT_NAMES_H

#include "buf.h"
#include "collector.h"

struct kept_session {
        const char *path; /* must contain all records */
        const struct collect_result *collected;
        const struct buf *images; /* the section FEATURE_WPERF_IMAGES, which the file does not have yet */
};

/* Appends the sections FEATURE_WPERF_SYMBOLS and FEATURE_WPERF_CODE. Appends nothing if all mapped files can
 * be read at their paths. Returns the number of files whose symbols were left out because the lookups took
 * longer than two seconds. */
size_t kept_names_make(const struct kept_session *session, struct buf *symbols, struct buf *code);

#endif
