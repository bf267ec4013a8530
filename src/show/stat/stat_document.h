/* SPDX-License-Identifier: BSD-3-Clause */
/* WindowsPerf's JSON document, for one count or for a timeline. */
#ifndef STAT_DOCUMENT_H
#define STAT_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "stat_view.h"

/* Zero-initialised except for `is_timeline`, the times and is_extended, it is ready. */
struct stat_document {
        bool is_timeline; /* also if there is only one count; several counts are always a timeline */
        bool is_extended; /* --json-extended: a timeline may have more than WindowsPerf's keys */
        uint64_t timeout_ns, interval_ns; /* the time of a count, and the time between two */
        struct buf counts;                /* the counts so far, joined by commas */
        uint64_t n_counts, n_poor;
};

void stat_document_add(struct stat_document *document, const struct stat_view *view);

/* With a line feed; has_exit and exit_status are for the whole run. */
void stat_document_render(const struct stat_document *document, bool has_exit, int exit_status,
                          struct buf *out);
void stat_document_release(struct stat_document *document);

#endif
