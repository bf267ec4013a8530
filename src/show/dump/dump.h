/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a session as it is in the file: header, events, features, every record in the file's order,
 * damage. */
#ifndef DUMP_H
#define DUMP_H

#include "attributes.h"
#include "err.h"
#include "field_sink.h"
#include "session_input.h"

struct dump;

/* Files that `access` can convert are shown as what they become.  "-" is standard input, which is read to
 * its end by this function; `path` and the files in `access` must outlive the dump. */
struct dump *dump_open(const char *path, struct session_access access, struct err *err);

/* The same on bytes that the caller keeps until dump_free; `name` is for messages. */
struct dump *dump_open_bytes(const void *bytes, size_t size, const char *name, struct err *err);

void dump_free(struct dump *dump);
AUTO_DEFINE(dump)

/* Writes the document in pieces, as text or JSON; may be called again.  False and err if reading the file
 * fails, or `output` fails.  In the first case the document is well-formed and has everything before the
 * failure. */
bool dump_write(struct dump *dump, bool json, const struct field_output *output, struct err *err);

#endif
