/* SPDX-License-Identifier: BSD-3-Clause */
/* What perf.data cannot record about the mapped PE images and about programs of Go: the feature section
 * FEATURE_WPERF_IMAGES, "WPIM", the version, then lines `key=value`. See docs/session-format.md. */
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
        uint8_t build_id[IMAGE_SECTION_ID_BYTES]; /* GUID and age of its PDB file */
        uint8_t build_id_size;                    /* 0 if the image names no PDB file */
        uint64_t image_size;                      /* bytes of memory that the image covers; 0 if unknown */
        uint32_t time_stamp;                      /* from the PE header */
        /* the path of the PDB file when the image was linked; NULL if the image names none */
        const char *pdb_path;
        const char *machine; /* "x86", "x64", "ARM", "ARM64" or "ARM64EC"; NULL if unknown */
        /* of an ELF file that Go's linker made; the other fields but `path` are 0. NULL for a PE image */
        const char *go_build_id;
};

/* Appends the section. Appends nothing if there are no images. */
void image_section_make(const struct recorded_image *images, size_t n, struct buf *out);

struct image_section;

/* Reads the section, which may be empty. Skips damaged lines. */
struct image_section *image_section_new(struct cursor section);
void image_section_free(struct image_section *images);
AUTO_DEFINE(image_section)

/* The first PE image with this path and build id. If the caller or the image has no build id, only the path
 * is compared. NULL if there is none. Valid as long as `images`. */
const struct recorded_image *image_section_find(const struct image_section *images, const char *path,
                                                const uint8_t *build_id, size_t build_id_size);

/* The Go build id of the file at this path; NULL if it has none, or if files with several were recorded
 * there. */
const char *image_section_go_build_id(const struct image_section *images, const char *path);

#endif
