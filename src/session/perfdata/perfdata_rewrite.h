/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a session again with other feature sections; everything before them is copied unchanged. */
#ifndef PERFDATA_REWRITE_H
#define PERFDATA_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "perfdata_reader.h"

/* A new section, which replaces one with the same number; `bytes` NULL removes it. */
struct perfdata_section {
        unsigned feature;
        const void *bytes;
        size_t size;
};

/* Whether a session can be rewritten. ERR_UNSUPPORTED for a pipe, a directory, another byte order, and a file
 * with an unusual order of its parts. */
bool perfdata_rewrite_check(const struct perfdata_reader *reader, struct err *err);

/* Writes a new file next to `path`; *ret_made is its path and *ret_bytes its size. If the recorder did not
 * finish the session, its complete records are copied. After a failure there is no new file. */
bool perfdata_rewrite(const struct perfdata_reader *reader, const char *path,
                      const struct perfdata_section *sections, size_t n_sections, struct buf *ret_made,
                      uint64_t *ret_bytes, struct err *err);

/* Renames the new file to `path`; no reader may have the old file open. With `keep_old`, the old file becomes
 * path.old. No data is lost at any moment. After a failure the new file is removed. */
bool perfdata_rewrite_put(const char *made, const char *path, bool keep_old, struct err *err);

#endif
