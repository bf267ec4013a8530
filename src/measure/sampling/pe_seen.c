/* SPDX-License-Identifier: BSD-3-Clause */
#include "pe_seen.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "object.h"

enum { MAX_IMAGES = 65536 };

void pe_seen_release(struct pe_seen *seen)
{
        free(seen->images);
        arena_release(&seen->names);
}

static bool is_known(const struct pe_seen *seen, const char *path, const struct object_facts *facts)
{
        for (size_t i = 0; i < seen->n; i++) {
                const struct recorded_image *image = &seen->images[i];

                if (!strcmp(image->path, path) && image->time_stamp == facts->time_stamp &&
                    image->build_id_size == facts->build_id_size &&
                    !memcmp(image->build_id, facts->build_id, image->build_id_size))
                        return true;
        }
        return false;
}

/* NULL for another machine. */
static const char *machine_of(const struct object *object)
{
        if (object_is_hybrid(object))
                return "ARM64EC";
        switch (object_get_facts(object)->machine) {
        case OBJECT_MACHINE_X86: return "x86";
        case OBJECT_MACHINE_X86_64: return "x64";
        case OBJECT_MACHINE_ARM: return "ARM";
        case OBJECT_MACHINE_ARM64: return "ARM64";
        default: return NULL;
        }
}

void pe_see_image(struct pe_seen *seen, const struct object *object, const char *path)
{
        const struct object_facts *facts = object_get_facts(object);
        struct recorded_image image = {.image_size = facts->image_size, .time_stamp = facts->time_stamp};
        struct object_pdb pdb;

        if (seen->n == MAX_IMAGES || is_known(seen, path, facts))
                return;
        image.machine = machine_of(object);
        image.path = arena_copy(&seen->names, path, strlen(path));
        if (object_get_pdb(object, &pdb)) {
                image.build_id_size = facts->build_id_size;
                memcpy(image.build_id, facts->build_id, facts->build_id_size);
                image.pdb_path = arena_copy(&seen->names, pdb.path, strlen(pdb.path));
        }
        ARRAY_PUSH(seen->images, seen->n, seen->cap, image);
}

static bool is_known_go(const struct pe_seen *seen, const char *path, const char *id)
{
        for (size_t i = 0; i < seen->n; i++) {
                const struct recorded_image *image = &seen->images[i];

                if (image->go_build_id && !strcmp(image->go_build_id, id) && !strcmp(image->path, path))
                        return true;
        }
        return false;
}

void pe_see_go_program(struct pe_seen *seen, struct object *object, const char *path)
{
        char id[OBJECT_GO_BUILD_ID_BYTES + 1];
        size_t size = object_find_go_build_id(object, id);

        if (!size || seen->n == MAX_IMAGES || is_known_go(seen, path, id))
                return;
        ARRAY_PUSH(seen->images, seen->n, seen->cap,
                   ((struct recorded_image){.path = arena_copy(&seen->names, path, strlen(path)),
                                            .go_build_id = arena_copy(&seen->names, id, size)}));
}

uint64_t pe_image_size(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size)
{
        const struct pe_seen *seen = ctx;

        /* Search the newest first, because it is the one that is mapped. */
        for (size_t i = seen->n; i-- > 0;) {
                const struct recorded_image *image = &seen->images[i];

                if (!strcmp(image->path, path) &&
                    (!build_id_size || !image->build_id_size ||
                     object_build_id_equal(image->build_id, image->build_id_size, build_id, build_id_size)))
                        return image->image_size;
        }
        return 0;
}
