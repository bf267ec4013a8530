/* SPDX-License-Identifier: BSD-3-Clause */
#include "image_section.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "map.h"
#include "mem.h"
#include "session_lines.h"
#include "text.h"
#include "text_number.h"

#define MAGIC "WPIM"
enum {
        VERSION = 1,
        MAX_SECTION_BYTES = 16 << 20,
        MAX_IMAGES = 65536,
};

struct image_section {
        struct buf text;
        struct recorded_image *items;
        size_t n, cap;
        struct map first; /* by the hash of a path: number of its first image + 1 */
        size_t *next;     /* for each image: number of the next with the same hash + 1; 0: none */
};

/* --- Writing --- */

void image_section_make(const struct recorded_image *images, size_t n, struct buf *out)
{
        if (!n)
                return;
        session_lines_begin(out, MAGIC, VERSION);
        for (size_t i = 0; i < n; i++) {
                char hex[2 * IMAGE_SECTION_ID_BYTES + 1];

                session_lines_add(out, "image", images[i].path);
                if (images[i].go_build_id) {
                        session_lines_add(out, "go_build_id", images[i].go_build_id);
                        continue;
                }
                if (images[i].build_id_size) {
                        text_hex(hex, images[i].build_id, images[i].build_id_size);
                        session_lines_add(out, "build_id", hex);
                }
                session_lines_add_number(out, "image_size", images[i].image_size);
                session_lines_add_number(out, "time_stamp", images[i].time_stamp);
                if (images[i].machine)
                        session_lines_add(out, "machine", images[i].machine);
                if (images[i].pdb_path)
                        session_lines_add(out, "pdb", images[i].pdb_path);
        }
}

/* --- Reading --- */

static int digit_of(char c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void take_build_id(struct recorded_image *image, const char *hex)
{
        uint8_t id[IMAGE_SECTION_ID_BYTES];

        if (strlen(hex) != 2 * sizeof(id))
                return;
        for (size_t i = 0; i < sizeof(id); i++) {
                int high = digit_of(hex[2 * i]), low = digit_of(hex[2 * i + 1]);

                if (high < 0 || low < 0)
                        return;
                id[i] = (uint8_t)(high << 4 | low);
        }
        memcpy(image->build_id, id, sizeof(id));
        image->build_id_size = sizeof(id);
}

static void take_pair(struct image_section *images, const char *key, const char *value)
{
        struct recorded_image *image = images->n ? &images->items[images->n - 1] : NULL;
        uint64_t number;

        if (!strcmp(key, "image") && images->n < MAX_IMAGES) {
                ARRAY_PUSH(images->items, images->n, images->cap, (struct recorded_image){.path = value});
                return;
        }
        if (!image)
                return;
        if (!strcmp(key, "build_id"))
                take_build_id(image, value);
        else if (!strcmp(key, "pdb"))
                image->pdb_path = value;
        else if (!strcmp(key, "go_build_id"))
                image->go_build_id = value;
        else if (!strcmp(key, "machine"))
                image->machine = value;
        else if (!strcmp(key, "image_size") && text_to_u64(value, 10, &number) && number <= UINT32_MAX)
                image->image_size = number;
        else if (!strcmp(key, "time_stamp") && text_to_u64(value, 10, &number))
                image->time_stamp = (uint32_t)number;
}

static uint64_t hash_of(const char *path)
{
        return map_hash_bytes(path, strlen(path));
}

/* From the last on, so that the first image is found first. */
static void index_paths(struct image_section *images)
{
        images->next = mem_new(images->n, sizeof(*images->next));
        for (size_t i = images->n; i > 0; i--) {
                uint64_t *first = map_put(&images->first, hash_of(images->items[i - 1].path), NULL);

                images->next[i - 1] = (size_t)*first;
                *first = i;
        }
}

struct image_section *image_section_new(struct cursor section)
{
        struct image_section *images = mem_new(1, sizeof(*images));
        const char *key, *value;
        char *at;

        if (cursor_left(&section) > MAX_SECTION_BYTES ||
            !session_lines_read(section, MAGIC, VERSION, &images->text))
                return images;
        for (at = images->text.data; session_lines_next(&at, &key, &value);)
                take_pair(images, key, value);
        index_paths(images);
        return images;
}

void image_section_free(struct image_section *images)
{
        if (!images)
                return;
        buf_release(&images->text);
        map_release(&images->first);
        free(images->next);
        free(images->items);
        free(images);
}

/* --- Lookup --- */

/* perf strips trailing zeros from build ids. */
static bool same_build(const struct recorded_image *image, const uint8_t *build_id, size_t size)
{
        uint8_t padded[IMAGE_SECTION_ID_BYTES] = {0};

        if (!size || !image->build_id_size)
                return true;
        memcpy(padded, build_id, size < sizeof(padded) ? size : sizeof(padded));
        return !memcmp(image->build_id, padded, sizeof(padded));
}

const struct recorded_image *image_section_find(const struct image_section *images, const char *path,
                                                const uint8_t *build_id, size_t build_id_size)
{
        const uint64_t *first = map_find(&images->first, hash_of(path));

        for (size_t i = first ? (size_t)*first : 0; i; i = images->next[i - 1]) {
                const struct recorded_image *image = &images->items[i - 1];

                if (!image->go_build_id && !strcmp(image->path, path) &&
                    same_build(image, build_id, build_id_size))
                        return image;
        }
        return NULL;
}

const char *image_section_go_build_id(const struct image_section *images, const char *path)
{
        const uint64_t *first = map_find(&images->first, hash_of(path));
        const char *found = NULL;

        for (size_t i = first ? (size_t)*first : 0; i; i = images->next[i - 1]) {
                const struct recorded_image *image = &images->items[i - 1];

                if (!image->go_build_id || strcmp(image->path, path) != 0)
                        continue;
                if (found && strcmp(found, image->go_build_id) != 0)
                        return NULL;
                found = image->go_build_id;
        }
        return found;
}
