/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of source files that are stored in a session. */
#ifndef SOURCE_ARCHIVE_H
#define SOURCE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "budget.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"

enum { SOURCE_ARCHIVE_VERSION = 1 };

struct source_archive;

/* Reads the section, whose bytes must outlive the archive, with memory from `budget` (NULL: no limit but
 * its own), which outlives it too. Fails as archive_section_read() does. */
struct source_archive *source_archive_open(struct cursor section, struct budget *budget, struct err *err);
void source_archive_free(struct source_archive *archive);
AUTO_DEFINE(source_archive)

/* Finds a file by its path in the debug information; NULL if there is none. *ret_mtime_ns is the time of its
 * last change. */
struct archived_source;
const struct archived_source *source_archive_find(const struct source_archive *archive, const char *path,
                                                  int64_t *ret_mtime_ns);

/* NULL if the archive does not have the line. */
const char *source_archive_line(const struct archived_source *source, uint32_t line);

/* --- Writing -------------------------------------------------------------------------------------- */

struct source_archive_writer;

struct source_archive_writer *source_archive_writer_new(void);
void source_archive_writer_free(struct source_archive_writer *writer);
AUTO_DEFINE(source_archive_writer)

/* Begins a file, once per path. Add its lines in ascending order. */
void source_archive_begin(struct source_archive_writer *writer, const char *path, int64_t mtime_ns);
void source_archive_add_line(struct source_archive_writer *writer, uint32_t line, const char *text);

size_t source_archive_n_files(const struct source_archive_writer *writer);
size_t source_archive_n_lines(const struct source_archive_writer *writer);

/* Appends the section. Fails with ERR_LIMIT. */
bool source_archive_write(const struct source_archive_writer *writer, struct buf *out, struct err *err);

#endif
