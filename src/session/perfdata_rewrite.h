/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a session once more with other feature sections; everything in front of them stays as it is, byte by byte. */
#ifndef PERFDATA_REWRITE_H
#define PERFDATA_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Writes to `path`, which a rename makes of a new file: what stood there, which may be the session itself, is lost at no
 * moment; with `keep_old` it becomes path.old.  Of a session whose recorder did not finish, whole records are taken.  *ret_bytes is the new size. */
bool perfdata_rewrite(const struct perfdata_reader *reader, const char *path, bool keep_old,
                      const struct perfdata_section *sections, size_t n_sections, uint64_t *ret_bytes,
                      struct err *err);

#endif
