/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress on the terminal: sampling, the download of a file, and reading. */
#ifndef PROGRESS_VIEW_H
#define PROGRESS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

/* The beginning of "sampling ....e done!", and the character for a second with or without samples. */
void progress_view_begin_sampling(struct buf *out);
char progress_view_second(bool has_samples);

/* The whole line with its line feed; `seconds` has a character for each second. */
void progress_view_sampling(const char *seconds, bool is_interrupted, struct buf *out);

/* "debuginfod: NAME 12 of 100 KiB, 9 s left", which replaces the line before; total_bytes 0: not known. */
void progress_view_download(const char *name, uint64_t n_bytes, uint64_t total_bytes, uint64_t left_ns,
                            struct buf *out);

/* "reading NAME: 45 %, 3 s", or, if all bytes are read, "reading NAME: looking up names, 3 s", which replaces
 * the line before; all_bytes 0: not known. */
void progress_view_reading(const char *name, uint64_t done_bytes, uint64_t all_bytes, uint64_t seconds,
                           struct buf *out);

/* Erases the line. */
void progress_view_erase(struct buf *out);

#endif
