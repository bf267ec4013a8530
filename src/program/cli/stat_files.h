/* SPDX-License-Identifier: BSD-3-Clause */
/* The CSV files of a timeline, one for each class of events, written row by row. */
#ifndef STAT_FILES_H
#define STAT_FILES_H

#include "err.h"
#include "stat_view.h"

struct stat_files;

/* `name` is a template with {timestamp}, {class} and {core}, or NULL for WindowsPerf's own names; `prefix`
 * is a folder or NULL. */
struct stat_files *stat_files_new(const char *name, const char *prefix, bool all_cpus,
                                  const struct stat_csv *csv);
void stat_files_free(struct stat_files *files);
AUTO_DEFINE(stat_files)

/* The template, unchanged. */
const char *stat_files_name(const struct stat_files *files);

/* Adds a row to each file; the first call creates them and adds lines "timeline file: 'NAME'" to `told`
 * (may be NULL). */
bool stat_files_add(struct stat_files *files, const struct sheet *sheet, struct buf *told, struct err *err);

#endif
