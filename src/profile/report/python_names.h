/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python places of a session: for the resolver, and as FILE.pysyms for tools that do not know the
 * session's section. */
#ifndef PYTHON_NAMES_H
#define PYTHON_NAMES_H

#include "attributes.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"
#include "python_section.h"
#include "resolver.h"

struct python_names;

/* `section` is FEATURE_WPERF_PYTHON and must outlive the result. It is parsed at its first use. */
struct python_names *python_names_new(struct cursor section);
void python_names_free(struct python_names *names);
AUTO_DEFINE(python_names)

/* NULL if the session has none. */
const struct resolver_python *python_names_get(struct python_names *names);

/* The parsed section; NULL if the session has none. */
const struct python_section *python_names_section(struct python_names *names);

/* Appends the path of the file that the MMAP2 records of a new session will name: SESSION.pysyms, absolute if
 * the folder can be resolved. If an existing session at that path uses that file, it keeps it when it is
 * renamed to SESSION.old; the path is then SESSION.1.pysyms. */
void python_names_path(const char *session_path, struct buf *out);

#define PYTHON_NAMES_MAX_BYTES ((uint64_t)256 << 20)

/* Writes the places as an ELF image with one symbol each, such as `parse [app.py:6]`. Only the user can read
 * a new file. Its symbols and names take at most `max_bytes`, usually PYTHON_NAMES_MAX_BYTES; tells how many
 * of the last places were left out. */
bool python_names_write(const struct python_section *section, const char *path, uint64_t max_bytes,
                        size_t *ret_n_left_out, struct err *err);

#endif
