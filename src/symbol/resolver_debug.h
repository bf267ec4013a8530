/* SPDX-License-Identifier: BSD-3-Clause */
/* The debug information of one object file, wherever it stands: in the file, in its debug file, in the one that several
 * debug files share, in split files, in a PDB, or as answers that were kept on disk. */
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

/* What is open already. */
struct resolver_known {
        struct object *
                debug; /* the debug file; NULL: it is looked for where the file itself has no debug information */
        struct resolver_pdb pdb; /* asked and nothing else, when it is there */
};

/* `wanted` says whose it is.  `sources` may be NULL.  All of it and `note` must outlive it.  Never fails; what is missing,
 * and why the cache is not used, is appended to `note`, also later. */
struct resolver_debug *resolver_debug_new(const struct debug_wanted *wanted,
                                          const struct resolver_known *known,
                                          const struct resolver_sources *sources, struct buf *note);

/* Keeps new answers in the cache. */
void resolver_debug_free(struct resolver_debug *debug);
AUTO_DEFINE(resolver_debug)

/* As dwarf_find, dwarf_find_labels and dwarf_find_extents, from the cache as far as it knows.  Damage that is met goes
 * into the note. */
void resolver_debug_find(struct resolver_debug *debug, const uint64_t *addrs, size_t n,
                         struct answered_frames *ret_frames);
size_t resolver_debug_labels(struct resolver_debug *debug, uint64_t addr, struct source_label **ret_labels);
size_t resolver_debug_extents(struct resolver_debug *debug, uint64_t addr,
                              struct source_extent **ret_extents);

/* Where instructions of the file's code are kept; NULL: nowhere.  All questions to one object are of one dialect. */
struct answers_cache *resolver_debug_insns(struct resolver_debug *debug, uint64_t dialect);

/* False after a file of it has become shorter while it was read. */
bool resolver_debug_check(const struct resolver_debug *debug, struct err *err);

#endif
