/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds PE images that are not where they were mapped, and the PDB of an image: on this machine, in flat folders and in
 * those laid out as a symbol server's. */
#ifndef PE_SEARCH_H
#define PE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "object.h"
#include "pdb.h"

/* Where to look besides the places that a file names; names may be of any case. */
struct pe_places {
        const char *image; /* taken for the module of that base name; NULL: none */
        const char
                *pdb; /* asked before all other PDBs; that it is another's is told of `image`; NULL: none */
        const char *const *dirs; /* NULL-terminated; NULL: none */
};

/* Of an image that can't be asked, as its session says. */
struct pe_identity {
        const char *pdb_path; /* where the PDB was when it was made; NULL: not known */
        uint64_t image_size;  /* 0: not known */
        uint32_t time_stamp;
};

struct pe_wanted {
        const char *path;                   /* of the image, with separators of either system */
        const uint8_t *build_id;            /* as object_facts has it */
        size_t build_id_size;               /* 0: not known */
        const struct pe_identity *identity; /* NULL: not known */
        const struct pe_places *places;     /* NULL: none */
};

/* The image, where it is not at its path: the one of places->image, then under each folder as NAME and as
 * NAME/TIMESTAMPSIZE/NAME.  It is the same build, or none is returned; `note` then names what was there. */
struct object *pe_search_image(const struct pe_wanted *wanted, struct buf *note);

/* The PDB that the image was linked with: places->pdb, beside the image, where it was when it was made, then under each
 * folder as NAME, NAME/KEY/NAME and NA/NAME/KEY/NAME, where KEY is GUID and age.  A PDB of another GUID or age is not
 * taken.  NULL with a sentence in `note` when there is none: what was found that is another, or what is wanted.  NULL
 * without one for an image that has no PDB.  *ret_is_moved is set where one was not taken for its OMAP tables. */
struct pdb *pe_search_pdb(const struct pe_wanted *wanted, const struct object_pdb *pdb, bool *ret_is_moved,
                          struct buf *note);

/* "0A1B2C3D-...-..., age 1" of the GUID's bytes as in files. */
void pe_add_pdb_id(struct buf *out, const uint8_t guid[OBJECT_GUID_BYTES], uint32_t age);

#endif
