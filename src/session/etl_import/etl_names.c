/* SPDX-License-Identifier: BSD-3-Clause */
#include "etl_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "search.h"

enum { NAME_HEAD_BYTES = 12 /* address and size, before the text */ };

struct placed_name {
        size_t path; /* offset into `paths` */
        uint64_t addr;
        const struct etl_name *name;
};

struct names {
        const struct etl_trace *trace;
        const struct etl_item **images; /* sorted by process and address */
        size_t n_images;
        struct buf paths;    /* NUL-terminated */
        struct map by_path;  /* hash to offset in `paths` */
        struct map by_image; /* address of the item to offset in `paths` */
        struct placed_name *items;
        size_t n, cap;
        uint64_t section_bytes; /* at most */
        size_t n_left_out;
};

void etl_names_code_path(uint32_t pid, char path[ETL_CODE_PATH_BYTES])
{
        snprintf(path, ETL_CODE_PATH_BYTES, "[.NET %" PRIu32 "]", pid);
}

/* --- Where the code is --- */

static int compare_images(const void *a, const void *b)
{
        const struct etl_item *x = *(const struct etl_item *const *)a,
                              *y = *(const struct etl_item *const *)b;

        if (x->pid != y->pid)
                return x->pid < y->pid ? -1 : 1;
        if (x->addr != y->addr)
                return x->addr < y->addr ? -1 : 1;
        return (x->order > y->order) - (x->order < y->order);
}

static void list_images(struct names *names)
{
        const struct etl_trace *t = names->trace;

        for (size_t i = 0; i < t->n_items; i++)
                names->n_images += t->items[i].kind == ETL_ITEM_IMAGE;
        names->images = mem_new(names->n_images, sizeof(*names->images));
        names->n_images = 0;
        for (size_t i = 0; i < t->n_items; i++) {
                if (t->items[i].kind == ETL_ITEM_IMAGE)
                        names->images[names->n_images++] = &t->items[i];
        }
        if (names->n_images)
                qsort(names->images, names->n_images, sizeof(*names->images), compare_images);
}

/* The image that has the address; NULL: none.  Of several at one address the last one in the file. */
static const struct etl_item *find_image(const struct names *names, uint32_t pid, uint64_t addr)
{
        size_t low = 0, high = names->n_images;
        const struct etl_item *image;

        SEARCH_FIRST(low, high, middle,
                     names->images[middle]->pid < pid ||
                             (names->images[middle]->pid == pid && names->images[middle]->addr <= addr));
        image = low ? names->images[low - 1] : NULL;
        return image && image->pid == pid && addr - image->addr < image->size ? image : NULL;
}

/* Texts that are equal have one offset. */
static size_t keep_path(struct names *names, const char *path)
{
        size_t len = strlen(path) + 1, at = names->paths.len;
        bool is_new;
        uint64_t *found = map_put(&names->by_path, map_hash_bytes(path, len), &is_new);

        if (!is_new)
                return (size_t)*found;
        *found = at;
        buf_add(&names->paths, path, len);
        return at;
}

static size_t path_of_image(struct names *names, const struct etl_item *image)
{
        AUTO_RELEASE(buf) path = {0};
        bool is_new;
        uint64_t *found = map_put(&names->by_image, (uint64_t)(image - names->trace->items), &is_new);

        if (!is_new)
                return (size_t)*found;
        etl_trace_add_path(names->trace, image, &path);
        return (size_t)(*found = keep_path(names, buf_text(&path)));
}

/* The path is in `paths` and in the section. */
static uint64_t count_bytes(const struct names *names)
{
        return 2 * names->paths.len + names->section_bytes + names->n * sizeof(*names->items);
}

static void place(struct names *names, const struct etl_name *name)
{
        struct placed_name placed = {.addr = name->addr, .name = name};
        char path[ETL_CODE_PATH_BYTES];

        if (name->is_compiled) {
                etl_names_code_path(name->pid, path);
                placed.path = keep_path(names, path);
        } else {
                const struct etl_item *image = find_image(names, name->pid, name->addr);

                if (!image)
                        return;
                placed.path = path_of_image(names, image);
                placed.addr -= image->addr;
        }
        names->section_bytes += NAME_HEAD_BYTES + strlen(names->trace->texts.data + name->text) + 1;
        ARRAY_PUSH(names->items, names->n, names->cap, placed);
}

static void place_all(struct names *names, uint64_t limit)
{
        const struct etl_trace *t = names->trace;
        size_t i;

        for (i = 0; i < t->n_names && count_bytes(names) < limit; i++)
                place(names, &t->names[i]);
        names->n_left_out = t->n_names - i;
}

/* --- The section --- */

static int compare_placed(const void *a, const void *b)
{
        const struct placed_name *x = a, *y = b;

        if (x->path != y->path)
                return x->path < y->path ? -1 : 1;
        if (x->addr != y->addr)
                return x->addr < y->addr ? -1 : 1;
        return (x->name->order > y->name->order) - (x->name->order < y->name->order);
}

/* The last of several names of an address is the newest. */
static bool is_replaced(const struct names *names, size_t i)
{
        return i + 1 < names->n && names->items[i + 1].path == names->items[i].path &&
               names->items[i + 1].addr == names->items[i].addr;
}

/* The names of one path, from `from` on; returns where those of the next path begin. */
static size_t add_part(const struct names *names, size_t from, struct buf *out)
{
        enum { SYMBOL_MAP = 4 /* a file of names alone, whose addresses are offsets in the map */ };
        const char *path = names->paths.data + names->items[from].path;
        AUTO_RELEASE(buf) part = {0};
        uint32_t n = 0;
        size_t n_off, i;

        buf_add(&part, path, strlen(path) + 1);
        buf_add_u32(&part, SYMBOL_MAP);
        buf_add_u64(&part, 0);
        n_off = part.len;
        buf_add_u32(&part, 0);
        for (i = from; i < names->n && names->items[i].path == names->items[from].path; i++) {
                const struct etl_name *name = names->items[i].name;
                const char *text = names->trace->texts.data + name->text;

                if (is_replaced(names, i))
                        continue;
                buf_add_u64(&part, names->items[i].addr);
                buf_add_u32(&part, name->size);
                buf_add(&part, text, strlen(text) + 1);
                n++;
        }
        memcpy(part.data + n_off, &n, sizeof(n));
        buf_add_u32(out, (uint32_t)part.len);
        buf_add(out, part.data, part.len);
        return i;
}

size_t etl_names_make(const struct etl_trace *trace, uint64_t limit, struct buf *section)
{
        struct names names = {.trace = trace};

        if (!trace->n_names)
                return 0;
        list_images(&names);
        place_all(&names, limit);
        if (names.n)
                qsort(names.items, names.n, sizeof(*names.items), compare_placed);
        for (size_t i = 0; i < names.n;)
                i = add_part(&names, i, section);
        free(names.images);
        free(names.items);
        buf_release(&names.paths);
        map_release(&names.by_path);
        map_release(&names.by_image);
        return names.n_left_out;
}
