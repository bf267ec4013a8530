/* SPDX-License-Identifier: BSD-3-Clause */
/* PE images that processes of Windows or wine have loaded, and programs of Go: what the session has to say
 * about them besides their maps. */
#ifndef PE_SEEN_H
#define PE_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "image_section.h"
#include "object.h"

/* Zero-initialize before use. */
struct pe_seen {
        struct recorded_image *images;
        size_t n, cap;
        struct arena names;
};

void pe_seen_release(struct pe_seen *seen);

/* Adds a PE image that was mapped. */
void pe_see_image(struct pe_seen *seen, const struct object *object, const char *path);

/* Adds the build id of Go's linker, if the ELF file has one. */
void pe_see_go_program(struct pe_seen *seen, struct object *object, const char *path);

/* The size of the image in memory, in bytes; 0 if it was not seen. A world_image_size; `ctx` is a struct
 * pe_seen. */
uint64_t pe_image_size(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size);

#endif
