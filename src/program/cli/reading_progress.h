/* SPDX-License-Identifier: BSD-3-Clause */
/* A line on the terminal while a session or its names are read, for what takes longer than a second. */
#ifndef READING_PROGRESS_H
#define READING_PROGRESS_H

#include "lookup.h"
#include "report.h"

struct reading_progress;

/* Draws "reading WHAT: ..." on standard error until the end; NULL if that is not a terminal. Sets
 * request->progress until the end, if a report is read (else `request` is NULL); the caller keeps all three.
 */
struct reading_progress *reading_progress_start(const char *what, struct report_request *request,
                                                const struct lookup *lookup, bool is_quiet);

/* Erases the line; to be called before anything else is printed. */
void reading_progress_end(struct reading_progress *progress);

#endif
