/* SPDX-License-Identifier: BSD-3-Clause */
/* The PE images that were mapped, for what perf.data has no place for: the feature section FEATURE_WPERF_IMAGES, "WPIM",
 * version, then lines `key=value`.  docs/session-format.md. */
#ifndef IMAGE_SECTION_H
#define IMAGE_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"

enum { IMAGE_SECTION_ID_BYTES = 20 };

struct recorded_image {
        const char *path;                         /* as recorded */
        uint8_t build_id[IMAGE_SECTION_ID_BYTES]; /* GUID and age of its PDB */
        uint8_t build_id_size;                    /* 0: it names none */
        uint64_t image_size;                      /* bytes of memory that it covers; 0: not known */
        uint32_t time_stamp;                      /* as in its header */
        const char *pdb_path; /* where the PDB was when it was made; NULL: it names none */
};

/* Appends the section; nothing when there are no images. */
void image_section_make(const struct recorded_image *images, size_t n, struct buf *out);

struct image_section;

/* Reads the section, which may be empty; what is damaged in it is left out. */
struct image_section *image_section_new(struct cursor section);
void image_section_free(struct image_section *images);
AUTO_DEFINE(image_section)

/* The first image at that path with that build id; without one on either side the path decides.  NULL: the section has
 * none.  Valid as long as `images`. */
const struct recorded_image *image_section_find(const struct image_section *images, const char *path,
                                                const uint8_t *build_id, size_t build_id_size);

#endif
