/* SPDX-License-Identifier: BSD-3-Clause */
/* The only way by which text leaves wperf: to standard output, standard error, a pager, or a file that an
 * option names.  Each function makes the text safe with text_add_output.  tools/check_linked.py checks that
 * nothing else writes. */
#ifndef TEXT_STREAM_H
#define TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "os.h"

/* A piece of text must not end within a character.  If the reader has closed the stream, the error is
 * ERR_CLOSED. */
bool text_stream_write(enum os_stream stream, const void *text, size_t size, struct err *err);
bool text_stream_offer(enum os_stream stream, const void *text, size_t size,
                       struct err *err); /* os_offer_stream */
bool text_stream_to_file(struct os_file *file, const void *text, size_t size, struct err *err);

/* os_page */
bool text_stream_page(const char *pager, const struct buf *text);

/* Writes bytes that are not text and not for a terminal, unchanged, to the file at `path`; NULL or "-" is
 * standard output. */
bool text_stream_write_bytes(const char *path, const struct buf *bytes, struct err *err);

#endif
