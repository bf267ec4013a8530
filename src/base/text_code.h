/* SPDX-License-Identifier: BSD-3-Clause */
/* The few terminal control codes that wperf itself writes, in a form that a name from a file cannot
 * imitate.
 *
 * Views add a code with text_code_add; the code contains a random key.  text_add_output removes the key
 * just before the text is written, and makes all other control characters visible.  So a name that a view
 * forgot to make printable cannot control the terminal. */
#ifndef TEXT_CODE_H
#define TEXT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

enum text_code {
        TEXT_CODE_RED,
        TEXT_CODE_GREEN,
        TEXT_CODE_PLAIN,      /* ends a colour */
        TEXT_CODE_LINE_START, /* moves to the start of the line */
        TEXT_CODE_CLEAR,      /* erases the rest of the line */
        TEXT_CODE_N
};

/* Sets the key of this process; call it once, before a code is made.  Without a key the codes are those of
 * a terminal. */
void text_code_set_key(uint64_t key);

/* The code with its key; valid until the end of the program. */
const char *text_code(enum text_code code);
void text_code_add(struct buf *out, enum text_code code);

/* Whether strips and bars are drawn with ASCII characters, because the locale has no UTF-8; default false. */
void text_code_set_ascii(bool on);
bool text_code_is_ascii(void);

/* The number of bytes at the beginning that text_add_output() would not change. */
size_t text_plain_output(const void *bytes, size_t size);

/* Appends what may be written to a stream or into a text file: codes without their keys, ends of lines (CSV
 * has CR LF) and tabs as they are, and everything else
 * as text_add_printable does. */
void text_add_output(struct buf *out, const void *bytes, size_t size);

#endif
