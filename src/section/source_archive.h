/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of source files that travel inside of a session. */
#ifndef SOURCE_ARCHIVE_H
#define SOURCE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"

enum { SOURCE_ARCHIVE_VERSION = 1 };

struct source_archive;

/* Takes all that the section holds; its bytes are kept by the caller.  Errors as of archive_section_read. */
struct source_archive *source_archive_open(struct cursor section, struct err *err);
void source_archive_free(struct source_archive *archive);
AUTO_DEFINE(source_archive)

/* The file of a path, as debug information has it; NULL: none.  *ret_mtime_ns is when it was changed. */
struct archived_source;
const struct archived_source *source_archive_find(const struct source_archive *archive, const char *path,
                                                  int64_t *ret_mtime_ns);

/* NULL: the line was not packed, or there is none. */
const char *source_archive_line(const struct archived_source *source, uint32_t line);

/* --- Writing -------------------------------------------------------------------------------------- */

struct source_archive_writer;

struct source_archive_writer *source_archive_writer_new(void);
void source_archive_writer_free(struct source_archive_writer *writer);
AUTO_DEFINE(source_archive_writer)

/* Begins a file; each path once.  Its lines follow in ascending order. */
void source_archive_begin(struct source_archive_writer *writer, const char *path, int64_t mtime_ns);
void source_archive_add_line(struct source_archive_writer *writer, uint32_t line, const char *text);

size_t source_archive_n_files(const struct source_archive_writer *writer);
size_t source_archive_n_lines(const struct source_archive_writer *writer);

/* Appends the section.  ERR_LIMIT. */
bool source_archive_write(const struct source_archive_writer *writer, struct buf *out, struct err *err);

#endif
