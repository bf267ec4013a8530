/* SPDX-License-Identifier: BSD-3-Clause */
/* A session as it stands in the file: header, events, features, every record in the file's order, damage. */
#ifndef DUMP_H
#define DUMP_H

#include "attributes.h"
#include "err.h"
#include "field_sink.h"
#include "session_input.h"

struct dump;

/* "-" is standard input, which is read to its end here; `path` and what `access` points to must outlive the dump. */
struct dump *dump_open(const char *path, struct session_access access, struct err *err);

/* The same on bytes that the caller keeps until dump_free; `name` is for messages. */
struct dump *dump_open_bytes(const void *bytes, size_t size, const char *name, struct err *err);

void dump_free(struct dump *dump);
AUTO_DEFINE(dump)

/* Puts the document in pieces, as text or JSON; may be called again.  When the file turns out to be unreadable on
 * the way, or `output` fails, false and err; in the first case the document is whole up to there. */
bool dump_write(struct dump *dump, bool json, const struct field_output *output, struct err *err);

#endif
