/* SPDX-License-Identifier: BSD-3-Clause */
/* The debug information of one object file, wherever it stands: in the file, in its debug file, in the one that several
 * debug files share, in split files, in a PDB, or as answers that were kept on disk. */
#ifndef RESOLVER_DEBUG_H
#define RESOLVER_DEBUG_H

#include "attributes.h"
#include "buf.h"
#include "debug_search.h"
#include "dwarf.h"
#include "pdb.h"
#include "resolver.h"

struct resolver_debug;

/* What is open already. */
struct resolver_known {
        struct object *
                debug; /* the debug file; NULL: it is looked for where the file itself has no debug information */
        struct pdb *pdb;     /* asked and nothing else, when it is there; NULL */
        uint64_t image_base; /* of the image that the PDB is of */
};

/* `wanted` says whose it is.  `sources` may be NULL.  All of it and `note` must outlive it.  Never fails; what is missing,
 * and why an index is not used, is appended to `note`, also later. */
struct resolver_debug *resolver_debug_new(const struct debug_wanted *wanted,
                                          const struct resolver_known *known,
                                          const struct resolver_sources *sources, struct buf *note);

/* Keeps new answers in the index. */
void resolver_debug_free(struct resolver_debug *debug);
AUTO_DEFINE(resolver_debug)

/* As dwarf_find, from the index as far as it knows. */
void resolver_debug_find(struct resolver_debug *debug, const uint64_t *addrs, size_t n,
                         struct source_frames *ret_frames);

/* As dwarf_find_labels and dwarf_find_extents; a PDB's labels have no path and no line. */
size_t resolver_debug_find_labels(struct resolver_debug *debug, uint64_t addr,
                                  struct dwarf_label **ret_labels);
size_t resolver_debug_find_extents(struct resolver_debug *debug, uint64_t addr,
                                   struct dwarf_extent **ret_extents);

/* False after a file of it has become shorter while it was read. */
bool resolver_debug_check(const struct resolver_debug *debug, struct err *err);

#endif
