/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed sections: each is unpacked once and kept, a failure too.  Several at once are shared out to two threads. */
#include <stdlib.h>

#include "mem.h"
#include "object_internal.h"

enum {
        N_PARTS = 2,
        MIN_PART_BYTES = 256 * 1024, /* of packed bytes; less is not worth a thread */
        LARGE_PAGE_BYTES = 2 << 20,
};

static struct object_unpacked *find(const struct object *object, const struct object_section *section)
{
        for (size_t i = 0; i < object->n_unpacked; i++) {
                if (object->unpacked[i]->section == section)
                        return object->unpacked[i];
        }
        return NULL;
}

static struct object_unpacked *add(struct object *object, const struct object_section *section)
{
        struct object_unpacked *unpacked = mem_new(1, sizeof(*unpacked));

        unpacked->section = section;
        ARRAY_PUSH(object->unpacked, object->n_unpacked, object->cap_unpacked, unpacked);
        return unpacked;
}

/* A large section begins where a large page can, and there is room for its last one: one fault in place of hundreds. */
static void make_room(struct object_unpacked *unpacked)
{
        bool is_large = unpacked->size >= LARGE_PAGE_BYTES;
        size_t align_bytes = is_large ? LARGE_PAGE_BYTES : 1;
        size_t n_bytes = (unpacked->size + align_bytes - 1) & ~(align_bytes - 1);
        uintptr_t past;

        unpacked->memory = mem_resize(NULL, n_bytes + align_bytes, 1);
        past = (uintptr_t)unpacked->memory & (align_bytes - 1);
        unpacked->bytes = (uint8_t *)unpacked->memory + (past ? align_bytes - past : 0);
        if (is_large)
                os_expect_use(unpacked->bytes, n_bytes);
}

/* Sections that are packed hold debug information. */
static bool take_budget(struct object *object, struct object_unpacked *unpacked)
{
        if (!budget_take(object->budget, BUDGET_LINES, unpacked->size))
                return err_set(
                        &unpacked->err, ERR_LIMIT,
                        "there is no memory for the %zu MiB that it unpacks to; allow more by --max-memory",
                        unpacked->size >> 20);
        unpacked->taken_bytes = unpacked->size;
        return true;
}

static void unpack(struct object *object, struct object_unpacked *unpacked)
{
        const struct object_ops *ops = object->ops;

        if (ops->get_unpacked_size(object, unpacked->section, &unpacked->size, &unpacked->err) &&
            take_budget(object, unpacked)) {
                make_room(unpacked);
                if (ops->unpack_section(object, unpacked->section, unpacked->bytes, unpacked->size,
                                        &unpacked->err))
                        return;
                free(TAKE(unpacked->memory));
                budget_give(object->budget, unpacked->taken_bytes);
                unpacked->taken_bytes = 0;
        }
        unpacked->failed = true;
}

bool object_read_packed(struct object *object, const struct object_section *section, struct cursor *ret_bytes,
                        struct err *err)
{
        struct object_unpacked *unpacked = find(object, section);

        if (!unpacked) {
                unpacked = add(object, section);
                unpack(object, unpacked);
        }
        if (unpacked->failed)
                return err_set(err, unpacked->err.code, "%s: %s: %s", object->name, section->name,
                               unpacked->err.text);
        *ret_bytes = cursor_make(unpacked->bytes, unpacked->size);
        ret_bytes->swap = object->bytes.swap;
        return true;
}

void object_release_packed(struct object *object)
{
        for (size_t i = 0; i < object->n_unpacked; i++) {
                free(object->unpacked[i]->memory);
                budget_give(object->budget, object->unpacked[i]->taken_bytes);
                free(object->unpacked[i]);
        }
        free(object->unpacked);
}

/* --- Several at once --- */

/* What one thread unpacks. */
struct packed_part {
        struct object *object;
        struct object_unpacked **items;
        size_t n;
        uint64_t packed_bytes;
};

static void unpack_part(void *ctx, unsigned i)
{
        const struct packed_part *part = (struct packed_part *)ctx + i;

        for (size_t j = 0; j < part->n; j++)
                unpack(part->object, part->items[j]);
}

static int compare_packed(const void *a, const void *b)
{
        const struct object_section *x = (*(struct object_unpacked *const *)a)->section;
        const struct object_section *y = (*(struct object_unpacked *const *)b)->section;

        if (x->file_size != y->file_size)
                return x->file_size > y->file_size ? -1 : 1;
        return x < y ? -1 : x > y;
}

/* The largest first, each to the part that has less to do. */
static void unpack_new(struct object *object, struct object_unpacked **items, size_t n)
{
        struct packed_part parts[N_PARTS] = {0};

        for (unsigned i = 0; i < N_PARTS; i++) {
                parts[i].object = object;
                parts[i].items = mem_new(n, sizeof(*parts[i].items));
        }
        qsort(items, n, sizeof(*items), compare_packed);
        for (size_t i = 0; i < n; i++) {
                struct packed_part *part = &parts[parts[1].packed_bytes < parts[0].packed_bytes];

                part->items[part->n++] = items[i];
                part->packed_bytes += items[i]->section->file_size;
        }
        if (parts[1].packed_bytes >= MIN_PART_BYTES && os_usable_cpus() > 1) {
                os_parallel(N_PARTS, unpack_part, parts);
        } else {
                unpack_part(parts, 0);
                unpack_part(parts, 1);
        }
        for (unsigned i = 0; i < N_PARTS; i++)
                free(parts[i].items);
}

void object_unpack_sections(struct object *object, const struct object_section *const *sections, size_t n)
{
        size_t n_before = object->n_unpacked, n_new;

        for (size_t i = 0; i < n; i++) {
                if (sections[i] && (sections[i]->flags & OBJECT_SECTION_PACKED) && !find(object, sections[i]))
                        add(object, sections[i]);
        }
        n_new = object->n_unpacked - n_before;
        if (n_new)
                unpack_new(object, object->unpacked + n_before, n_new);
}
