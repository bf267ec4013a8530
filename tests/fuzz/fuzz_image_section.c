/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the section about PE images: an image is found by its path and build id.  Input: u8 number
 * of bytes of a path, the path, the section. */
#include <stdlib.h>
#include <string.h>

#include "image_section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The build id has the ends of text that perf strips. */
static const uint8_t build_id[IMAGE_SECTION_ID_BYTES] = {1, 2, 3, 4, 5};

/* A found image has the path and either no build id or that which was asked for. */
static const struct recorded_image *find(const struct image_section *images, const char *path,
                                         const uint8_t *id, size_t id_size)
{
        const struct recorded_image *image = image_section_find(images, path, id, id_size);

        if (image && (strcmp(image->path, path) != 0 ||
                      (image->build_id_size && image->build_id_size != IMAGE_SECTION_ID_BYTES) ||
                      (id_size && image->build_id_size && memcmp(image->build_id, id, id_size) != 0)))
                abort();
        return image;
}

static bool same_text(const char *a, const char *b)
{
        return a && b ? !strcmp(a, b) : a == b;
}

/* The image alone, written and read again. */
static void expect_same_again(const struct recorded_image *image)
{
        AUTO_RELEASE(buf) out = {0};
        AUTO(image_section) images = NULL;
        const struct recorded_image *again;

        image_section_make(image, 1, &out);
        images = image_section_new(cursor_make(out.data, out.len));
        again = find(images, image->path, image->build_id, image->build_id_size);
        if (!again || again->build_id_size != image->build_id_size ||
            memcmp(again->build_id, image->build_id, sizeof(again->build_id)) != 0 ||
            again->image_size != image->image_size || again->time_stamp != image->time_stamp ||
            !same_text(again->pdb_path, image->pdb_path) || !same_text(again->machine, image->machine))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO(image_section) images = NULL;
        const struct recorded_image *image;
        size_t n_path = size ? data[0] : 0;

        if (size <= n_path)
                return 0;
        buf_add(&path, data + 1, n_path);
        images = image_section_new(cursor_make(data + 1 + n_path, size - 1 - n_path));
        find(images, buf_text(&path), build_id, sizeof(build_id));
        find(images, buf_text(&path), build_id, 5);
        image = find(images, buf_text(&path), NULL, 0);
        if (image)
                expect_same_again(image);
        return 0;
}
