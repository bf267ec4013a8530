/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a perf.data file that perf and other readers can open. Call perfdata_writer_open, _set_compression
 * if wanted, _add_event for each event, _begin, _put as often as needed, _add_feature for each feature,
 * _close. If the writer dies after _begin, the file can be read up to the last flush. */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"
#include "perfdata_format.h"
#include "record.h"

struct perfdata_writer;

/* Whether a session may be written at `path`. *ret_exists is set if a file exists there. */
bool perfdata_writer_check(const char *path, bool *ret_exists, struct err *err);

/* Does not overwrite a file that is not a session (ERR_DENIED). An existing session is not changed until
 * perfdata_writer_begin, which renames it to path.old. The file has mode 0600. "-" and other files that can't
 * seek are written in pipe mode. */
struct perfdata_writer *perfdata_writer_open(const char *path, struct err *err);

/* Appends the session to `out`, as to a pipe. */
struct perfdata_writer *perfdata_writer_open_memory(struct buf *out);

/* Frees the writer without finishing the file. A file that was not begun is removed. */
void perfdata_writer_free(struct perfdata_writer *writer);
AUTO_DEFINE(perfdata_writer)

/* Compresses the records with zstd at `level` (1 to 22); ERR_UNSUPPORTED in a build without zstd. */
bool perfdata_writer_set_compression(struct perfdata_writer *writer, int level, struct err *err);

/* Adds an event. `name` goes to EVENT_DESC; the ids are the kernel's, one for each descriptor. Everything is
 * copied. */
void perfdata_writer_add_event(struct perfdata_writer *writer, const struct perf_attr *attr, const char *name,
                               const uint64_t *ids, size_t n_ids);

bool perfdata_writer_begin(struct perfdata_writer *writer, struct err *err);

/* Appends complete records. They are written to the file after 256 KiB or 100 ms, and the header's data size
 * is updated. After a failure (disk full), the file is truncated to complete records and remains readable;
 * later calls fail at once. */
bool perfdata_writer_put(struct perfdata_writer *writer, const void *records, size_t size_bytes,
                         struct err *err);

/* Writes all records and the header's data size now. */
bool perfdata_writer_flush(struct perfdata_writer *writer, struct err *err);

/* Appends to a feature section of wperf that is too large to be kept until the end: its content is written
 * now. If the disk is full, the newest calls are lost as wholes. After perfdata_writer_begin, and not for a
 * section that perfdata_writer_add_feature adds. */
bool perfdata_writer_put_section(struct perfdata_writer *writer, unsigned feature, const void *bytes,
                                 size_t size, struct err *err);

/* Adds a feature section with all its content, which is copied; in any order, each once. */
void perfdata_writer_add_feature(struct perfdata_writer *writer, unsigned feature, const void *bytes,
                                 size_t size);
void perfdata_writer_add_feature_str(struct perfdata_writer *writer, unsigned feature, const char *text);

/* Writes the features (including EVENT_DESC) and the final header, closes the file and frees the writer. If
 * the disk is full, the newest records are removed to make room for the features. False and err if anything
 * is missing from the file, which can still be read. */
bool perfdata_writer_close(struct perfdata_writer *writer, struct err *err);

#endif
