/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files that make rows of accesses. */
#ifndef ACCESS_ROWS_INTERNAL_H
#define ACCESS_ROWS_INTERNAL_H

#include "access_rows.h"
#include "arena.h"

struct access_rows {
        struct hot *hot;
        struct access_row *items;
        size_t n, cap;
        struct access_use *uses;
        size_t n_uses, cap_uses;
        struct access_object *objects;
        size_t n_objects, cap_objects;
        struct arena texts;
        int32_t *threads;
        size_t n_threads, cap_threads;
};

/* Which object each of the accesses' data belongs to. */
struct access_object_at {
        uint32_t object; /* index into `objects` */
        uint64_t offset; /* of the data from the object's begin */
};

/* Names the objects.  The caller frees the array, which has an element for each number of accesses_data(). */
struct access_object_at *access_objects_make(const struct access_rows_request *request,
                                             struct access_rows *rows);

struct access_uses_maker;

/* Collects who touched what, for the rows of `rows`, which must keep their order until access_uses_end(). */
struct access_uses_maker *access_uses_begin(struct access_rows *rows);
void access_uses_add(struct access_uses_maker *m, size_t row, size_t code, uint64_t offset,
                     const struct access_cell *cell);

/* Fills the uses of all rows, and how they are shared with `are_lines`.  Frees `m`. */
void access_uses_end(struct access_uses_maker *m, bool are_lines);

#endif
