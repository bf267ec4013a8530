/* SPDX-License-Identifier: BSD-3-Clause */
/* PE images that wine maps: the kernel knows no build id of them, so it is put into its records here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux_internal.h"
#include "object.h"

enum {
        MAX_IMAGES = 65536,
        IDENTITY_OFF = 40, /* in a MMAP2 record: device and inode, or the build id */
};

void pe_seen_release(struct pe_seen *seen)
{
        free(seen->images);
        arena_release(&seen->names);
}

static bool is_known(const struct pe_seen *seen, const char *path, const struct object_facts *facts,
                     size_t *ret)
{
        for (size_t i = 0; i < seen->n; i++) {
                const struct collect_image *image = &seen->images[i];

                *ret = i;
                if (!strcmp(image->path, path) && image->time_stamp == facts->time_stamp &&
                    image->build_id_size == facts->build_id_size &&
                    !memcmp(image->build_id, facts->build_id, image->build_id_size))
                        return true;
        }
        return false;
}

static size_t add_image(struct pe_seen *seen, const char *path, const struct object *object)
{
        const struct object_facts *facts = object_get_facts(object);
        struct collect_image image = {.image_size = facts->image_size, .time_stamp = facts->time_stamp};
        struct object_pdb pdb;
        size_t known;

        if (is_known(seen, path, facts, &known))
                return known;
        image.path = arena_copy(&seen->names, path, strlen(path));
        if (object_get_pdb(object, &pdb)) {
                image.build_id_size = facts->build_id_size;
                memcpy(image.build_id, facts->build_id, facts->build_id_size);
                image.pdb_path = arena_copy(&seen->names, pdb.path, strlen(pdb.path));
        }
        ARRAY_PUSH(seen->images, seen->n, seen->cap, image);
        return seen->n - 1;
}

uint64_t pe_see_file(struct pe_seen *seen, int fd, const char *path)
{
        char magic[2], open_path[48];
        AUTO(object) object = NULL;

        if (seen->n == MAX_IMAGES || pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
            memcmp(magic, "MZ", sizeof(magic)))
                return 0;
        snprintf(open_path, sizeof(open_path), "/proc/self/fd/%d", fd);
        object = object_open(open_path, NULL);
        if (!object || object_get_facts(object)->format != OBJECT_PE)
                return 0;
        return (uint64_t)add_image(seen, path, object) + 1;
}

uint64_t pe_image_size(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size)
{
        const struct pe_seen *seen = ctx;

        /* The newest first: it is mapped now. */
        for (size_t i = seen->n; i-- > 0;) {
                const struct collect_image *image = &seen->images[i];

                if (!strcmp(image->path, path) &&
                    (!build_id_size || !image->build_id_size ||
                     object_build_id_equal(image->build_id, image->build_id_size, build_id, build_id_size)))
                        return image->image_size;
        }
        return 0;
}

void pe_put_build_id(const struct pe_seen *seen, uint64_t number, uint8_t *record)
{
        const struct collect_image *image = &seen->images[number - 1];
        struct perf_header header;
        uint8_t identity[4 + BUILD_ID_MAX] = {image->build_id_size};

        memcpy(&header, record, sizeof(header));
        if (!image->build_id_size || (header.misc & PERF_MISC_MMAP_BUILD_ID))
                return;
        header.misc |= PERF_MISC_MMAP_BUILD_ID;
        memcpy(identity + 4, image->build_id, BUILD_ID_MAX);
        memcpy(record, &header, sizeof(header));
        memcpy(record + IDENTITY_OFF, identity, sizeof(identity));
}
