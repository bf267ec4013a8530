/* SPDX-License-Identifier: BSD-3-Clause */
/* Lookups in a PDB by address; a PDB uses RVAs. */
#ifndef RESOLVER_PDB_H
#define RESOLVER_PDB_H

#include "pdb.h"

/* A PDB and the base address of its RVAs. */
struct resolver_pdb {
        struct pdb *pdb; /* NULL: there is none */
        uint64_t image_base;
};

/* False for an address that cannot be in an image at this base. */
bool resolver_pdb_to_rva(const struct resolver_pdb *pdb, uint64_t addr, uint32_t *ret_rva);

/* As pdb_find. */
void resolver_pdb_find(const struct resolver_pdb *pdb, const uint64_t *addrs, size_t n,
                       struct source_frames *ret_frames);

/* As pdb_find_labels and pdb_find_extents. */
size_t resolver_pdb_labels(const struct resolver_pdb *pdb, uint64_t addr, struct source_label **ret_labels);
size_t resolver_pdb_extents(const struct resolver_pdb *pdb, uint64_t addr,
                            struct source_extent **ret_extents);

#endif
