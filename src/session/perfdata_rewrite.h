/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a session once more with other feature sections; everything in front of them stays as it is, byte by byte. */
#ifndef PERFDATA_REWRITE_H
#define PERFDATA_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "perfdata_reader.h"

/* A section to put in, in place of one of that number; `bytes` NULL: there is none afterwards. */
struct perfdata_section {
        unsigned feature;
        const void *bytes;
        size_t size;
};

/* Whether a session can be written again: ERR_UNSUPPORTED, with a sentence, for a pipe, a directory, another byte order,
 * and a file whose parts stand where no recorder puts them. */
bool perfdata_rewrite_check(const struct perfdata_reader *reader, struct err *err);

/* Writes a new file beside `path`, whose path *ret_made then is; after a failure there is none.  Of a session whose recorder
 * did not finish, whole records are taken.  *ret_bytes is its size. */
bool perfdata_rewrite(const struct perfdata_reader *reader, const char *path,
                      const struct perfdata_section *sections, size_t n_sections, struct buf *ret_made,
                      uint64_t *ret_bytes, struct err *err);

/* Makes that file the one at `path`, once no reader has it open: what stood there is lost at no moment; with `keep_old` it
 * becomes path.old.  After a failure the new file is removed. */
bool perfdata_rewrite_put(const char *made, const char *path, bool keep_old, struct err *err);

#endif
