/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a perf.data file that perf and other readers open.  Order of calls: open, set_compression where wanted,
 * add_event for each, begin, put as often as needed, add_feature for each, close.  A file whose writer died after
 * begin is readable up to the last flush. */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "perfdata_format.h"
#include "record.h"

struct perfdata_writer;

/* Whether a session may be written at `path`; *ret_exists when a session or an empty file is there already. */
bool perfdata_writer_check(const char *path, bool *ret_exists, struct err *err);

/* An existing file that is no session is not overwritten (ERR_DENIED).  An existing session is left alone until
 * perfdata_writer_begin, which makes it path.old.  Mode 0600.  "-" and what else cannot seek gets pipe mode. */
struct perfdata_writer *perfdata_writer_open(const char *path, struct err *err);

/* Frees without finishing: the file stays as it is; one that has not been begun is removed. */
void perfdata_writer_free(struct perfdata_writer *writer);
AUTO_DEFINE(perfdata_writer)

/* Packs the records with zstd at `level` (1 to 22); ERR_UNSUPPORTED in a build without it. */
bool perfdata_writer_set_compression(struct perfdata_writer *writer, int level, struct err *err);

/* `name` is kept for EVENT_DESC; the ids are the kernel's, one for each opened descriptor.  All copied. */
void perfdata_writer_add_event(struct perfdata_writer *writer, const struct perf_attr *attr, const char *name,
                               const uint64_t *ids, size_t n_ids);

bool perfdata_writer_begin(struct perfdata_writer *writer, struct err *err);

/* Appends whole records; they reach the file when 256 KiB have gathered or 100 ms have passed, and with them the
 * header's data size.  After a failure (a full disk) the file is cut back to whole records and stays readable;
 * later puts fail at once. */
bool perfdata_writer_put(struct perfdata_writer *writer, const void *records, size_t size_bytes,
                         struct err *err);

/* Brings the file and the header's data size up to date now. */
bool perfdata_writer_flush(struct perfdata_writer *writer, struct err *err);

/* A feature section's whole content, copied; any order, once each. */
void perfdata_writer_add_feature(struct perfdata_writer *writer, unsigned feature, const void *bytes,
                                 size_t size);
void perfdata_writer_add_feature_str(struct perfdata_writer *writer, unsigned feature, const char *text);

/* Writes the features (EVENT_DESC is its own doing), the final header and closes; the writer is then free.  On a full
 * disk the newest records give way to the features.  False and err when anything is missing from the file, which is
 * readable all the same. */
bool perfdata_writer_close(struct perfdata_writer *writer, struct err *err);

#endif
