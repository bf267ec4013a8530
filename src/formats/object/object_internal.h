/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that a format implements, and the part common to all formats. */
#ifndef OBJECT_INTERNAL_H
#define OBJECT_INTERNAL_H

#include "budget.h"
#include "buf.h"
#include "object.h"
#include "os.h"

/* One struct for each format.  NULL: the format does not have this. */
struct object_ops {
        /* Releases the data of the format; object.c releases the common part. */
        void (*release)(struct object *object);
        /* The unpacked size of an OBJECT_SECTION_PACKED section, from its header. */
        bool (*get_unpacked_size)(struct object *object, const struct object_section *section,
                                  size_t *ret_size, struct err *err);
        /* Unpacks it to `size` bytes at `out`.  May be called in several threads for different sections. */
        bool (*unpack_section)(struct object *object, const struct object_section *section, void *out,
                               size_t size, struct err *err);
        bool (*symbols_begin)(struct object *object, enum object_table table,
                              struct object_symbols *ret_symbols);
        bool (*symbols_next)(struct object_symbols *symbols, struct object_symbol *ret_symbol);
        size_t (*list_functions)(struct object *object, struct object_range **ret_ranges);
        size_t (*list_stubs)(struct object *object, struct object_stub **ret_stubs);
        size_t (*list_relocations)(struct object *object, struct object_relocation **ret_relocations);
        size_t (*n_unwind)(const struct object *object);
        bool (*get_unwind)(const struct object *object, size_t i, struct object_unwind *ret_entry);
        bool (*find_unwind)(const struct object *object, uint64_t addr, struct object_unwind *ret_entry);
        bool (*find_function)(const struct object *object, uint64_t addr, struct object_unwind *ret_entry);
        bool (*read_unwind)(const struct object *object, uint32_t rva, struct object_unwind *ret_entry);
        bool (*get_pdb)(const struct object *object, struct object_pdb *ret_pdb);
        enum object_machine (*machine_at)(const struct object *object, uint64_t addr);
        enum object_machine (*code_at)(const struct object *object, uint64_t addr);
        bool (*is_hybrid)(const struct object *object);
};

struct object_unpacked {
        const struct object_section *section;
        uint64_t taken_bytes; /* bytes taken from the budget */
        uint8_t *bytes;
        size_t size;
        bool failed;
        struct err err;
};

/* The first member of every format's struct. */
struct object {
        const struct object_ops *ops;
        char *name;
        struct os_map *map;  /* NULL if the bytes are in memory */
        struct buf owned;    /* bytes that were unpacked for this object, and taken from its budget */
        struct cursor bytes; /* the whole file, in its byte order */
        struct object_facts facts;
        struct object_section *sections;
        size_t n_sections;
        struct object_segment *segments;
        size_t n_segments;
        struct object_unpacked **unpacked;
        size_t n_unpacked, cap_unpacked;
        uint8_t **unpacked_memory; /* memory of unpacked sections, to be freed */
        size_t n_unpacked_memory, cap_unpacked_memory;
        struct budget *budget;    /* memory for unpacked sections is taken from it */
        struct budget own_budget; /* used if the caller gave none */
};

/* object_read_section for a packed section. */
bool object_read_packed(struct object *object, const struct object_section *section, struct cursor *ret_bytes,
                        struct err *err);
void object_release_packed(struct object *object);

/* Each format checks the first bytes. */
bool elf_is(const struct cursor *bytes);
bool pe_is(const struct cursor *bytes);

/* Reads the headers in `bytes`; the caller sets fields of struct object that are common to all formats
 * later. Error messages do not begin with a file name. */
struct object *elf_new(const struct cursor *bytes, struct err *err);
struct object *pe_new(const struct cursor *bytes, struct err *err);

/* Takes ownership of the bytes in `owned`, which were taken from `budget`; returns them to the budget when
 * it is freed. */
struct object *object_open_owned(struct buf *owned, const char *name, struct budget *budget, struct err *err);

/* --- Tables of strings ------------------------------------------------------------------------------ */

/* Size of a table up to and including its last NUL, so that every offset in it is a terminated string. */
size_t object_string_table_size(const struct cursor *table);

#endif
