/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes: problems of a file, in a sentence that does not repeat its path. */
#ifndef NOTE_H
#define NOTE_H

#include "buf.h"
#include "err.h"

/* Appends the error with the file `path`. */
void note_add_error(struct buf *note, const struct err *err, const char *path);

#endif
