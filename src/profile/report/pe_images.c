/* SPDX-License-Identifier: BSD-3-Clause */
#include "pe_images.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "image_section.h"
#include "mem.h"
#include "object.h"

struct pe_images {
        struct image_section *recorded;
        struct arena identities; /* those that were returned */
};

struct pe_images *pe_images_new(struct cursor section)
{
        struct pe_images *images = mem_new(1, sizeof(*images));

        images->recorded = image_section_new(section);
        return images;
}

void pe_images_free(struct pe_images *images)
{
        if (!images)
                return;
        image_section_free(images->recorded);
        arena_release(&images->identities);
        free(images);
}

const struct pe_identity *pe_images_find(struct pe_images *images, const char *path, const uint8_t *build_id,
                                         size_t build_id_size)
{
        const struct recorded_image *image =
                image_section_find(images->recorded, path, build_id, build_id_size);
        struct pe_identity *identity;

        if (!image)
                return NULL;
        identity = arena_alloc(&images->identities, sizeof(*identity));
        *identity = (struct pe_identity){image->pdb_path, image->image_size, image->time_stamp};
        return identity;
}

uint64_t pe_images_size(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size)
{
        const struct pe_images *images = ctx;
        const struct recorded_image *image =
                image_section_find(images->recorded, path, build_id, build_id_size);
        const struct object_facts *facts;
        AUTO(object) object = NULL;

        if (image)
                return image->image_size;
        /* Do not open other files just to check. */
        if (!object_is_pe_name(path))
                return 0;
        object = object_open(path, NULL);
        facts = object ? object_get_facts(object) : NULL;
        if (!facts || facts->format != OBJECT_PE ||
            (build_id_size &&
             !object_build_id_equal(facts->build_id, facts->build_id_size, build_id, build_id_size)))
                return 0;
        return facts->image_size;
}

enum object_machine pe_images_machine(const struct pe_images *images, const char *path,
                                      const uint8_t *build_id, size_t build_id_size)
{
        static const struct {
                const char *name;
                enum object_machine machine;
        } machines[] = {
                {"x86", OBJECT_MACHINE_X86},         {"x64", OBJECT_MACHINE_X86_64},
                {"ARM", OBJECT_MACHINE_ARM},         {"ARM64", OBJECT_MACHINE_ARM64},
                {"ARM64EC", OBJECT_MACHINE_ARM64EC},
        };
        const struct recorded_image *image =
                image_section_find(images->recorded, path, build_id, build_id_size);

        for (size_t i = 0; image && image->machine && i < N_ELEMENTS(machines); i++) {
                if (!strcmp(machines[i].name, image->machine))
                        return machines[i].machine;
        }
        return OBJECT_MACHINE_OTHER;
}

const char *pe_images_go_build_id(const struct pe_images *images, const char *path)
{
        return image_section_go_build_id(images->recorded, path);
}
