/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the ELF files of this room, and limits. */
#ifndef ELF_INTERNAL_H
#define ELF_INTERNAL_H

#include "object_internal.h"

enum {
        ELF_MAX_SECTIONS = 1 << 20,
        ELF_MAX_SEGMENTS = 1 << 16,
        ELF_MAX_NOTES = 4096,     /* notes that are searched for a build id, in total */
        ELF_MAX_FRAMES = 1 << 24, /* in .eh_frame */
        ELF_MAX_STUBS = 1 << 22,
        ELF_MAX_RELOCATIONS = 1 << 22,
        ELF_MAX_UNPACK_RATIO = 4096 /* maximum ratio of unpacked to packed size of a section */
};

#define ELF_MAX_UNPACKED_BYTES ((uint64_t)2 << 30) /* maximum size of one section */

/* Fields of a section header that are not in object_section. */
struct elf_section {
        uint32_t type;
        uint32_t link, info;
        uint64_t entry_size;
};

struct elf_segment {
        uint32_t type;
        struct object_segment at;
};

struct elf {
        struct object base;
        bool is_64;
        uint16_t type;                    /* enum elf_type */
        uint16_t machine;                 /* enum elf_machine */
        struct elf_section *sections;     /* as many as base.sections */
        struct elf_segment *all_segments; /* of every type; base.segments has the loaded ones */
        size_t n_all_segments;
};

static inline struct elf *elf_of(struct object *object)
{
        return (struct elf *)object;
}

/* Reads a number of the size that the file's class has. */
static inline uint64_t elf_word(const struct elf *elf, struct cursor *c)
{
        return elf->is_64 ? cursor_u64(c) : cursor_u32(c);
}

/* The bytes of section `i` in the file, not unpacked; failed if they are outside the file. */
struct cursor elf_section_bytes(const struct elf *elf, size_t i);

/* Index of the first section with this type and with bytes, or with this name; SIZE_MAX if there is none. */
size_t elf_find_type(const struct elf *elf, uint32_t type);

/* Segment of a type, or NULL. */
const struct elf_segment *elf_find_segment(const struct elf *elf, uint32_t type);

/* Fills in facts.build_id from the notes. */
void elf_read_build_id(struct elf *elf);

bool elf_get_unpacked_size(struct object *object, const struct object_section *section, size_t *ret_size,
                           struct err *err);
bool elf_unpack_section(struct object *object, const struct object_section *section, void *out, size_t size,
                        struct err *err);
bool elf_symbols_begin(struct object *object, enum object_table table, struct object_symbols *ret_symbols);
bool elf_symbols_next(struct object_symbols *symbols, struct object_symbol *ret_symbol);
size_t elf_list_functions(struct object *object, struct object_range **ret_ranges);
size_t elf_list_stubs(struct object *object, struct object_stub **ret_stubs);
size_t elf_list_relocations(struct object *object, struct object_relocation **ret_relocations);

#endif
