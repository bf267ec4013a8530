/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds PE images that are not where they were mapped, and the PDB of an image: on this machine, in flat
 * folders and in folders with a symbol server's layout. */
#ifndef PE_SEARCH_H
#define PE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "object.h"
#include "pdb.h"

/* Where to look besides the paths in a file; case of names does not matter. */
struct pe_places {
        const char *image; /* used for the module with the same base name; NULL: none */
        /* tried before all other PDBs; if it does not match `image`, a note says so; NULL: none */
        const char *pdb;
        const char *const *dirs; /* folders that end with NULL; NULL: none */
};

/* Facts from the session about an image that can't be read. */
struct pe_identity {
        const char *pdb_path; /* path of the PDB when it was linked; NULL: not known */
        uint64_t image_size;  /* 0: not known */
        uint32_t time_stamp;
};

struct pe_wanted {
        const char *path;                   /* path of the image, with separators of either system */
        const uint8_t *build_id;            /* as object_facts has it */
        size_t build_id_size;               /* 0: not known */
        const struct pe_identity *identity; /* NULL: not known */
        const struct pe_places *places;     /* NULL: none */
};

/* Finds an image that is not at its path: places->image, then in each folder as NAME and as
 * NAME/TIMESTAMPSIZE/NAME.  Returns only the same build; if another one was found, `note` names it. */
struct object *pe_search_image(const struct pe_wanted *wanted, struct buf *note);

/* The PDB that the image was linked with: places->pdb, in the folder of the image, at the path where it was
 * linked, then in each folder as NAME, NAME/KEY/NAME and NA/NAME/KEY/NAME, where KEY is GUID and age.  A
 * PDB with another GUID or age is not used.  If there is none, returns NULL, and `note` says what was found
 * or what is wanted; for an image without a PDB there is no note. *ret_is_moved is set if one was not used
 * because of its OMAP tables. */
struct pdb *pe_search_pdb(const struct pe_wanted *wanted, const struct object_pdb *pdb, bool *ret_is_moved,
                          struct buf *note);

/* "0A1B2C3D-...-..., age 1", from the bytes of the GUID as in files. */
void pe_add_pdb_id(struct buf *out, const uint8_t guid[OBJECT_GUID_BYTES], uint32_t age);

#endif
