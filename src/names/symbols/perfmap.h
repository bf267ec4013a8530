/* SPDX-License-Identifier: BSD-3-Clause */
/* A perf map: a JIT compiler lists the functions that it generated, one per line, `START SIZE NAME`, numbers
 * in hexadecimal (tools/perf/Documentation/jit-interface.txt in Linux). */
#ifndef PERFMAP_H
#define PERFMAP_H

#include "attributes.h"
#include "buf.h"
#include "symtab.h"

enum { PERFMAP_MAX_BYTES = 1 << 30 };

struct budget;    /* budget.h */
struct os_origin; /* os.h */
struct perfmap;

/* Reads the file if it has this origin, into memory from `budget` (NULL: no limit); if there is not enough
 * memory, the last functions are left out. Never fails; `note` says why there are no names. */
struct perfmap *perfmap_new(const char *path, const struct os_origin *origin, struct budget *budget,
                            struct buf *note);

/* The same for text in memory, which is copied. */
struct perfmap *perfmap_new_text(const void *text, size_t size);

void perfmap_free(struct perfmap *map);
AUTO_DEFINE(perfmap)

/* The function of the last line that covers `addr`, because code memory is used again, and the file grows
 * at its end. *ret_is_shared: an earlier line with another name also covers `addr`, and the times of the
 * two are not known. */
bool perfmap_find(const struct perfmap *map, uint64_t addr, struct symtab_hit *ret_hit, bool *ret_is_shared);

/* Number of functions that share an address with a function of another name. */
size_t perfmap_n_shared(const struct perfmap *map);

#endif
