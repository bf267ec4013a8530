/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python places of a session, for the resolver and as FILE.pysyms for tools that do not know the session's section. */
#ifndef PYTHON_NAMES_H
#define PYTHON_NAMES_H

#include "attributes.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"
#include "python_section.h"
#include "resolver.h"

struct python_names;

/* `section` is FEATURE_WPERF_PYTHON, kept by the caller; it is read when it is asked for first. */
struct python_names *python_names_new(struct cursor section);
void python_names_free(struct python_names *names);
AUTO_DEFINE(python_names)

/* NULL: the session has none. */
const struct resolver_python *python_names_get(struct python_names *names);

/* The section itself; NULL as above. */
const struct python_section *python_names_section(struct python_names *names);

/* The file that a session's MMAP2 records name: SESSION.pysyms, as an absolute path where the folder can be asked. */
void python_names_path(const char *session_path, struct buf *out);

/* Writes the places of a section as an ELF image with a symbol for each, `parse [app.py:6]`. */
bool python_names_write(const struct python_section *section, const char *path, struct err *err);

#endif
