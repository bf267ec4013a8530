/* SPDX-License-Identifier: BSD-3-Clause */
/* A perf map: what a just-in-time compiler says of the code it made, a line a function,
 * `START SIZE NAME` in hexadecimal (tools/perf/Documentation/jit-interface.txt in Linux). */
#ifndef PERFMAP_H
#define PERFMAP_H

#include "attributes.h"
#include "buf.h"
#include "symtab.h"

enum { PERFMAP_MAX_BYTES = 1 << 30 };

struct budget;    /* budget.h */
struct os_origin; /* os.h */
struct perfmap;

/* Reads the file if it is of that origin, into memory that is taken from `budget` (NULL: no limit); what is beyond is left
 * out from the end on.  Never fails; why there are no names is said in `note`. */
struct perfmap *perfmap_new(const char *path, const struct os_origin *origin, struct budget *budget,
                            struct buf *note);

/* The same for text in memory, which is copied. */
struct perfmap *perfmap_new_text(const void *text, size_t size);

void perfmap_free(struct perfmap *map);
AUTO_DEFINE(perfmap)

/* The function whose line is the last one that covers `addr`: code memory is used again, and the file grows
 * at its end.  *ret_is_shared: a line before it, of another name, covers `addr` too, and when which of them stood there
 * nobody knows. */
bool perfmap_find(const struct perfmap *map, uint64_t addr, struct symtab_hit *ret_hit, bool *ret_is_shared);

/* How many functions share an address with one of another name. */
size_t perfmap_n_shared(const struct perfmap *map);

#endif
