/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads str objects. */
#ifndef PYTHON_TEXT_H
#define PYTHON_TEXT_H

#include "python_identity.h"
#include "python_layout.h"
#include "python_memory.h"

enum { PYTHON_MAX_NAME_CHARS = 4096 }; /* longer names and paths are cut */

/* A str object as UTF-8, to be freed; NULL if there is none. Adds its bytes to the identity, which may be
 * NULL. The type of the object is not looked at. */
char *python_text_read(const struct python_layout *layout, struct python_memory *memory, uint64_t addr,
                       struct python_identity *identity);

#endif
