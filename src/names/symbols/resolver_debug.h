/* SPDX-License-Identifier: BSD-3-Clause */
/* The debug information of one object file: in the file, in its debug file, in the file that several debug
 * files share, in split files, in a PDB, or as answers in the symbol cache. */
#ifndef RESOLVER_DEBUG_H
#define RESOLVER_DEBUG_H

#include "answers_cache.h"
#include "attributes.h"
#include "buf.h"
#include "debug_search.h"
#include "dwarf.h"
#include "resolver.h"
#include "resolver_pdb.h"

struct resolver_debug;

/* Files that are open already. */
struct resolver_known {
        /* the debug file; NULL: it is searched if the file itself has no debug information */
        struct object *debug;
        struct resolver_pdb pdb; /* if it is there, nothing else is used */
};

/* `wanted` describes the object file.  `sources` may be NULL.  All of it and `note` must outlive the
 * result.  Never fails; `note` gets what is missing, and why the cache is not used, also later. */
struct resolver_debug *resolver_debug_new(const struct debug_wanted *wanted,
                                          const struct resolver_known *known,
                                          const struct resolver_sources *sources, struct buf *note);

/* Stores new answers in the cache. */
void resolver_debug_free(struct resolver_debug *debug);
AUTO_DEFINE(resolver_debug)

/* As dwarf_find, dwarf_find_labels and dwarf_find_extents; answers come from the cache if it has them.
 * Damage is reported in the note. */
void resolver_debug_find(struct resolver_debug *debug, const uint64_t *addrs, size_t n,
                         struct answered_frames *ret_frames);
size_t resolver_debug_labels(struct resolver_debug *debug, uint64_t addr, struct source_label **ret_labels);
size_t resolver_debug_extents(struct resolver_debug *debug, uint64_t addr,
                              struct source_extent **ret_extents);

/* As dwarf_source_md5, for frames that were not in the cache. */
const uint8_t *resolver_debug_source_md5(const struct resolver_debug *debug, const char *path);

/* The cache of instructions in the file's code; NULL: none.  All calls for one object must have the same
 * dialect. */
struct answers_cache *resolver_debug_insns(struct resolver_debug *debug, uint64_t dialect);

/* False if one of its files became shorter while it was read. */
bool resolver_debug_check(const struct resolver_debug *debug, struct err *err);

#endif
