/* SPDX-License-Identifier: BSD-3-Clause */
/* What a format implements, and what all formats have in common. */
#ifndef OBJECT_INTERNAL_H
#define OBJECT_INTERNAL_H

#include "budget.h"
#include "buf.h"
#include "object.h"
#include "os.h"

/* One set a format.  NULL: the format has no such thing. */
struct object_ops {
        /* Releases what the format added; the common part is object.c's. */
        void (*release)(struct object *object);
        /* How large an OBJECT_SECTION_PACKED section is when it is unpacked, as it says itself. */
        bool (*get_unpacked_size)(struct object *object, const struct object_section *section,
                                  size_t *ret_size, struct err *err);
        /* Unpacks it to `size` bytes at `out`.  Called for several sections at the same time. */
        bool (*unpack_section)(struct object *object, const struct object_section *section, void *out,
                               size_t size, struct err *err);
        bool (*symbols_begin)(struct object *object, enum object_table table,
                              struct object_symbols *ret_symbols);
        bool (*symbols_next)(struct object_symbols *symbols, struct object_symbol *ret_symbol);
        size_t (*list_functions)(struct object *object, struct object_range **ret_ranges);
        size_t (*list_stubs)(struct object *object, struct object_stub **ret_stubs);
        size_t (*n_unwind)(const struct object *object);
        bool (*get_unwind)(const struct object *object, size_t i, struct object_unwind *ret_entry);
        bool (*find_unwind)(const struct object *object, uint64_t addr, struct object_unwind *ret_entry);
        bool (*read_unwind)(const struct object *object, uint32_t rva, struct object_unwind *ret_entry);
        bool (*get_pdb)(const struct object *object, struct object_pdb *ret_pdb);
        enum object_machine (*machine_at)(const struct object *object, uint64_t addr);
};

struct object_unpacked {
        const struct object_section *section;
        uint64_t taken_bytes; /* from the budget */
        uint8_t *bytes;
        size_t size;
        bool failed;
        struct err err;
};

/* The first member of every format's own struct. */
struct object {
        const struct object_ops *ops;
        char *name;
        struct os_map *map;  /* NULL when the bytes are in memory */
        struct buf owned;    /* bytes that were unpacked for this object, and taken from its budget */
        struct cursor bytes; /* all of it, in its byte order */
        struct object_facts facts;
        struct object_section *sections;
        size_t n_sections;
        struct object_segment *segments;
        size_t n_segments;
        struct object_unpacked **unpacked;
        size_t n_unpacked, cap_unpacked;
        uint8_t **unpacked_memory; /* what their bytes stand in, to free */
        size_t n_unpacked_memory, cap_unpacked_memory;
        struct budget *budget;    /* what is unpacked is taken from it */
        struct budget own_budget; /* where the caller gave none */
};

/* object_read_section for a packed one. */
bool object_read_packed(struct object *object, const struct object_section *section, struct cursor *ret_bytes,
                        struct err *err);
void object_release_packed(struct object *object);

/* Each format looks at the first bytes and says whether they are its own. */
bool elf_is(const struct cursor *bytes);
bool pe_is(const struct cursor *bytes);

/* Reads the headers; the object is `bytes`, and fields of struct object that need no format are set later.
 * The text of an error has no file name in front. */
struct object *elf_new(const struct cursor *bytes, struct err *err);
struct object *pe_new(const struct cursor *bytes, struct err *err);

/* Takes over the bytes in `owned`, which were taken from `budget`, and gives them back to it in the end. */
struct object *object_open_owned(struct buf *owned, const char *name, struct budget *budget, struct err *err);

/* --- Tables of strings ----------------------------------------------------------------------------------- */

/* Cuts a table after its last NUL, so that every offset inside it is a string that ends. */
size_t object_string_table_size(const struct cursor *table);

#endif
