/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes: why a module has no or poor names, one sentence that does not repeat the module's path. */
#ifndef NOTE_H
#define NOTE_H

#include "buf.h"
#include "err.h"

/* Appends what went wrong with the file `path`. */
void note_add_error(struct buf *note, const struct err *err, const char *path);

#endif
