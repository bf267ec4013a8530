/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the PE files of this room, and limits.  Virtual addresses are relative to the base
 * address for which the image was linked. */
#ifndef PE_INTERNAL_H
#define PE_INTERNAL_H

#include "object_internal.h"
#include "pe_format.h"

enum {
        PE_MAX_SECTIONS = 1024, /* Windows does not load images with more than 96 */
        PE_MAX_EXPORTS = 65536, /* numbered with 16 bits */
        PE_MAX_DEBUG_ENTRIES = 1024,
        PE_MAX_NAME_BYTES = 64 * 1024,  /* for one exported function */
        PE_MAX_NAMES_BYTES = 256 << 20, /* for all symbols */
        PE_MAX_FUNCTIONS = 1 << 24,     /* in .pdata */
        PE_MAX_PATH_BYTES = 32 * 1024,
};

/* RVAs and sizes have 32 bits: with a base up to this one, no address of an image overflows. */
#define PE_MAX_IMAGE_BASE (UINT64_MAX - ((uint64_t)2 << 32))

struct pe_directory_place {
        uint32_t rva, size_bytes;
};

struct pe_symbol {
        uint32_t rva;
        uint32_t name_off;
        uint8_t kind, binding; /* as in struct object_symbol */
        const struct object_section *section;
};

/* Symbols of one table, with copies of their names, because names in the file have no NUL at their end. */
struct pe_symbols {
        bool is_read;
        struct pe_symbol *items;
        size_t n, cap;
        struct buf names;
        struct budget *budget; /* from which their memory is taken */
        uint64_t taken_bytes;
};

struct pe {
        struct object base;
        struct pe_directory_place dirs[PE_N_DIRS];
        uint32_t symbols_off, n_symbols; /* of the COFF symbol table */
        struct cursor strings;           /* follows the symbols; empty if there is none */
        struct pe_symbols symbols, exports;
        bool has_pdb;
        struct object_pdb pdb;
        char *pdb_path;
        char (*short_names)[PE_SHORT_NAME_BYTES + 1]; /* names of sections */
};

static inline struct pe *pe_of(struct object *object)
{
        return (struct pe *)object;
}

/* The file's bytes from `rva` to the end of the section in the file; failed if there are none. */
struct cursor pe_at_rva(const struct pe *pe, uint32_t rva);

/* The content of a directory that is in the file; empty if there is none. */
struct cursor pe_directory(const struct pe *pe, enum pe_directory which);

/* The section that contains `rva`, or NULL. */
const struct object_section *pe_section_at(const struct pe *pe, uint32_t rva);

bool pe_symbols_begin(struct object *object, enum object_table table, struct object_symbols *ret_symbols);
bool pe_symbols_next(struct object_symbols *symbols, struct object_symbol *ret_symbol);
void pe_symbols_release(struct pe_symbols *symbols);

enum object_machine pe_machine_at(const struct object *object, uint64_t addr);
enum object_machine pe_code_at(const struct object *object, uint64_t addr);
bool pe_is_hybrid(const struct object *object);

size_t pe_list_functions(struct object *object, struct object_range **ret_ranges);
size_t pe_n_unwind(const struct object *object);
bool pe_get_unwind(const struct object *object, size_t i, struct object_unwind *ret_entry);
bool pe_find_unwind(const struct object *object, uint64_t addr, struct object_unwind *ret_entry);
bool pe_find_function(const struct object *object, uint64_t addr, struct object_unwind *ret_entry);
bool pe_read_unwind(const struct object *object, uint32_t rva, struct object_unwind *ret_entry);

#endif
