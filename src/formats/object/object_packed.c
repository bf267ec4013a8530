/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed sections: each is unpacked once; the result or the failure is kept.  Several sections are divided
 * between two threads. */
#include <stdlib.h>

#include "mem.h"
#include "object_internal.h"

enum {
        N_PARTS = 2,
        MIN_PART_BYTES = 256 * 1024, /* packed bytes; for less, a thread is not worth it */
        LARGE_PAGE_BYTES = 2 << 20,
        ROOM_ALIGN_BYTES = 64,
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

/* Packed sections contain debug information. */
static bool take_budget(struct object *object, struct object_unpacked *unpacked)
{
        if (!budget_take(object->budget, BUDGET_LINES, unpacked->size))
                return err_set(
                        &unpacked->err, ERR_LIMIT,
                        "not enough memory for its %zu MiB of decompressed bytes; raise the limit with --max-memory",
                        unpacked->size >> 20);
        unpacked->taken_bytes = unpacked->size;
        return true;
}

/* Large allocations are aligned to large pages at both ends: one page fault instead of hundreds. */
static uint8_t *allocate(struct object *object, size_t size)
{
        size_t align_bytes = size >= LARGE_PAGE_BYTES ? LARGE_PAGE_BYTES : 1;
        size_t n_bytes = (size + align_bytes - 1) & ~(align_bytes - 1);
        uint8_t *memory = mem_resize(NULL, n_bytes + align_bytes, 1);
        uintptr_t past = (uintptr_t)memory & (align_bytes - 1);
        uint8_t *bytes = memory + (past ? align_bytes - past : 0);

        ARRAY_PUSH(object->unpacked_memory, object->n_unpacked_memory, object->cap_unpacked_memory, memory);
        if (align_bytes > 1)
                os_expect_use(bytes, n_bytes);
        return bytes;
}

static size_t room_bytes(const struct object_unpacked *unpacked)
{
        return unpacked->failed ? 0
                                : (unpacked->size + ROOM_ALIGN_BYTES - 1) & ~(size_t)(ROOM_ALIGN_BYTES - 1);
}

/* Sections that are unpacked together share one allocation, so that small ones are in large pages, too. */
static void make_room(struct object *object, struct object_unpacked **items, size_t n)
{
        size_t total = 0;
        uint8_t *bytes;

        for (size_t i = 0; i < n; i++) {
                items[i]->failed = !object->ops->get_unpacked_size(object, items[i]->section, &items[i]->size,
                                                                   &items[i]->err) ||
                                   !take_budget(object, items[i]);
                total += room_bytes(items[i]);
        }
        bytes = allocate(object, total);
        for (size_t i = 0; i < n; i++) {
                items[i]->bytes = bytes;
                bytes += room_bytes(items[i]);
        }
}

static void unpack(struct object *object, struct object_unpacked *unpacked)
{
        if (!unpacked->failed)
                unpacked->failed = !object->ops->unpack_section(object, unpacked->section, unpacked->bytes,
                                                                unpacked->size, &unpacked->err);
}

bool object_read_packed(struct object *object, const struct object_section *section, struct cursor *ret_bytes,
                        struct err *err)
{
        struct object_unpacked *unpacked = find(object, section);

        if (!unpacked) {
                unpacked = add(object, section);
                make_room(object, &unpacked, 1);
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
                budget_give(object->budget, object->unpacked[i]->taken_bytes);
                free(object->unpacked[i]);
        }
        for (size_t i = 0; i < object->n_unpacked_memory; i++)
                free(object->unpacked_memory[i]);
        free(object->unpacked);
        free(object->unpacked_memory);
}

/* --- Several at once --- */

/* The sections that one thread unpacks. */
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

/* Sections sorted by size, each assigned to the thread with less work. */
static void unpack_new(struct object *object, struct object_unpacked **items, size_t n)
{
        struct packed_part parts[N_PARTS] = {0};

        for (unsigned i = 0; i < N_PARTS; i++) {
                parts[i].object = object;
                parts[i].items = mem_new(n, sizeof(*parts[i].items));
        }
        qsort(items, n, sizeof(*items), compare_packed);
        make_room(object, items, n);
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
