/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections of a session that consist of a magic, a version, and lines `key=value`. See
 * docs/session-format.md. */
#ifndef SESSION_LINES_H
#define SESSION_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "cursor.h"

/* Appends the head of a section. */
void session_lines_begin(struct buf *out, const char magic[4], uint32_t version);

/* Appends a line. A line feed in the value would begin another key, so it becomes a space. */
void session_lines_add(struct buf *out, const char *key, const char *value);
void session_lines_add_number(struct buf *out, const char *key, uint64_t value);

/* Appends the lines to `text`; the pairs point into it. False for a section of another kind or version. */
bool session_lines_read(struct cursor section, const char magic[4], uint32_t version, struct buf *text);

/* Returns the next pair. `*at` must initially be text->data. Skips lines without '='. */
bool session_lines_next(char **at, const char **ret_key, const char **ret_value);

#endif
