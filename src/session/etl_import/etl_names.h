/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of methods in an event-trace file, as a section of a session. */
#ifndef ETL_NAMES_H
#define ETL_NAMES_H

#include "etl_trace.h"

enum { ETL_CODE_PATH_BYTES = 24 };

/* The path of the memory where a process has code that a runtime compiled. */
void etl_names_code_path(uint32_t pid, char path[ETL_CODE_PATH_BYTES]);

/* Appends the names of code by the path of its map, laid out as simpleperf's feature FILE.  Code that was
 * compiled while a program ran has addresses of memory, other code offsets in its image.  Paths and names
 * use at most some `limit` bytes: each image may have the long path of a volume.  Returns how many names are
 * left out. */
size_t etl_names_make(const struct etl_trace *trace, uint64_t limit, struct buf *section);

#endif
