/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of the screen that tell that something goes on: sampling, and the download of a file. */
#ifndef PROGRESS_VIEW_H
#define PROGRESS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

/* How "sampling ....e done!" begins, and the character of a second with samples or without any. */
void progress_view_begin_sampling(struct buf *out);
char progress_view_second(bool has_samples);

/* The whole line with its line feed; `seconds` is a character for each. */
void progress_view_sampling(const char *seconds, bool is_interrupted, struct buf *out);

/* "debuginfod: NAME 12 of 100 KiB, 9 s left", over the line before it; total_bytes 0: not known. */
void progress_view_download(const char *name, uint64_t n_bytes, uint64_t total_bytes, uint64_t left_ns,
                            struct buf *out);

/* Takes what stands in the line away. */
void progress_view_erase(struct buf *out);

#endif
