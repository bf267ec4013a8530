/* SPDX-License-Identifier: BSD-3-Clause */
/* The PE images of a session: taken from its section FEATURE_WPERF_IMAGES, else from the files at their
 * paths. Also the programs of Go, which are in the same section. */
#ifndef PE_IMAGES_H
#define PE_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "cursor.h"
#include "object.h"
#include "pe_search.h"

struct pe_images;

/* Reads the section, which may be empty. Skips damaged lines. Images that the section does not name are read
 * from the files at their paths. */
struct pe_images *pe_images_new(struct cursor section);
void pe_images_free(struct pe_images *images);
AUTO_DEFINE(pe_images)

/* A world_image_size function; `ctx` is a struct pe_images. */
uint64_t pe_images_size(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size);

/* What the session's section says about an image; NULL if it does not name it. Valid as long as `images`. */
const struct pe_identity *pe_images_find(struct pe_images *images, const char *path, const uint8_t *build_id,
                                         size_t build_id_size);

/* The machine of an image by the session's section; OTHER if it does not say. */
enum object_machine pe_images_machine(const struct pe_images *images, const char *path,
                                      const uint8_t *build_id, size_t build_id_size);

/* The build id of Go's linker that was recorded for the file at this path; NULL: none, or several. */
const char *pe_images_go_build_id(const struct pe_images *images, const char *path);

#endif
