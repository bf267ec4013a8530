/* SPDX-License-Identifier: BSD-3-Clause */
/* An object file or a memory image of one: sections, segments, identity, symbols.  The face of all formats;
 * each format is one implementation of object_internal.h.  What a name or an address means to a profile is
 * symbol/'s matter. */
#ifndef OBJECT_H
#define OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "cursor.h"
#include "err.h"

struct budget; /* budget.h */
struct object;

/* Maps the file.  ERR_FORMAT for what is no object file, the text then begins with the path. */
struct object *object_open(const char *path, struct err *err);

/* Bytes in memory, kept by the caller for the object's life; `name` is what errors call them (copied). */
struct object *object_open_bytes(const void *bytes, size_t size, const char *name, struct err *err);

void object_free(struct object *object);
AUTO_DEFINE(object)

/* The parser's last word on a mapped file: false and an error when the file became shorter meanwhile. */
bool object_check(const struct object *object, struct err *err);

/* The mapped file as it was when it was opened, and who may change it (struct os_map).  Equal ones have equal bytes. */
struct object_file {
        uint64_t dev, inode, size_bytes;
        int64_t mtime_ns, ctime_ns;
        uint64_t writers;
};

/* False for bytes in memory. */
bool object_get_file(const struct object *object, struct object_file *ret_file);

/* Whether the mapped file was changed since it was opened, so that its bytes may be of before and of now; false for bytes in
 * memory, and where its path leads to another file by now. */
bool object_is_changed(const struct object *object);

/* From now on what is unpacked of this object is taken from `budget`, which outlives it; to be called before a section is
 * read.  Without it, or where it is NULL, the object has a budget of its own. */
void object_set_budget(struct object *object, struct budget *budget);
struct budget *object_budget(const struct object *object);

/* What errors call it. */
const char *object_name(const struct object *object);

enum object_machine {
        OBJECT_MACHINE_OTHER,
        OBJECT_MACHINE_X86,
        OBJECT_MACHINE_X86_64,
        OBJECT_MACHINE_ARM,
        OBJECT_MACHINE_ARM64,
};

enum { OBJECT_BUILD_ID_BYTES = 64 };

enum object_format { OBJECT_ELF, OBJECT_PE };

struct object_facts {
        enum object_format format;
        enum object_machine machine;
        uint8_t address_bytes; /* 4 or 8 */
        bool is_relocatable;   /* not linked: an address is a file offset */
        bool is_executable;    /* a program, fixed or position-independent; not a library */
        uint64_t entry;        /* virtual address, 0 where there is none */
        uint64_t load_addr;    /* virtual address of file offset 0 */
        uint64_t image_size;   /* PE: bytes of memory from load_addr on */
        uint32_t time_stamp;   /* PE: as in the header, seconds since 1970 or a hash of the content */
        uint8_t build_id[OBJECT_BUILD_ID_BYTES];
        uint8_t build_id_size; /* 0: it has none */
};

/* The build id of a PE image is the 20 bytes of its debug directory that name its PDB: the GUID, then the age. */
const struct object_facts *object_get_facts(const struct object *object);

/* Whose instructions the code at an address is: a PE image may have code for two machines (ARM64EC, ARM64X). */
enum object_machine object_machine_at(const struct object *object, uint64_t addr);

/* Build ids are equal when one is the beginning of the other and only zeros follow, since perf.data cuts
 * and pads them to 20 bytes.  An empty one equals none. */
bool object_build_id_equal(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size);

/* --- Sections and segments ----------------------------------------------------------------------------- */

#define OBJECT_SECTION_CODE   (1u << 0)
#define OBJECT_SECTION_LOADED (1u << 1) /* has an address at run time */
#define OBJECT_SECTION_PACKED (1u << 2)

struct object_section {
        const char *name; /* "" when it has none */
        uint64_t addr;    /* virtual address; the file offset in a relocatable object */
        uint64_t size_bytes;
        uint64_t file_off;
        uint64_t file_size; /* 0 when it has no bytes in the file */
        uint32_t flags;     /* OBJECT_SECTION_* */
};

size_t object_n_sections(const struct object *object);
const struct object_section *object_get_section(const struct object *object, size_t i);

/* The first section of that name that has bytes in the file, or NULL.  `.debug_x` finds `.zdebug_x` too. */
const struct object_section *object_find_section(const struct object *object, const char *name);

/* The section's content, unpacked at the first call and kept for the object's life. */
bool object_read_section(struct object *object, const struct object_section *section,
                         struct cursor *ret_bytes, struct err *err);

/* The section's bytes as they stand in the file, packed or not; empty where they lie outside. */
struct cursor object_raw_section(const struct object *object, const struct object_section *section);

/* Lets these bytes of the file leave memory until they are read again: nothing for bytes in memory. */
void object_forget(const struct object *object, const uint8_t *bytes, size_t size);

/* Unpacks those of the sections that are packed, two at the same time, so that object_read_section need not.  NULL is
 * passed over; what fails is told there. */
void object_unpack_sections(struct object *object, const struct object_section *const *sections, size_t n);

#define OBJECT_SEGMENT_CODE (1u << 0)

/* A part of the file that is mapped into memory. */
struct object_segment {
        uint64_t file_off, file_size;
        uint64_t addr, mem_size;
        uint32_t flags; /* OBJECT_SEGMENT_* */
};

size_t object_n_segments(const struct object *object);
const struct object_segment *object_get_segment(const struct object *object, size_t i);

/* Between file offsets and virtual addresses, by segments, or by sections where there are none.  False when
 * nothing of the file is loaded there. */
bool object_to_addr(const struct object *object, uint64_t file_off, uint64_t *ret_addr);
bool object_to_file_off(const struct object *object, uint64_t addr, uint64_t *ret_file_off);

/* The file's bytes for the virtual addresses [addr, addr + size). */
bool object_read_addr(const struct object *object, uint64_t addr, uint64_t size, struct cursor *ret_bytes);

/* --- Symbols -------------------------------------------------------------------------------------------- */

enum object_table { OBJECT_SYMBOLS, OBJECT_DYNAMIC_SYMBOLS };

enum object_symbol_kind {
        OBJECT_SYMBOL_OTHER,
        OBJECT_SYMBOL_FUNCTION, /* resolved at load time (ifunc) too */
        OBJECT_SYMBOL_LABEL,    /* no type */
        OBJECT_SYMBOL_DATA,
};

enum object_binding { OBJECT_LOCAL, OBJECT_WEAK, OBJECT_GLOBAL };

struct object_symbol {
        uint64_t addr;
        uint64_t size_bytes; /* 0: not said */
        uint32_t name_off;   /* in the names of the iteration */
        uint8_t kind;        /* enum object_symbol_kind */
        uint8_t binding;     /* enum object_binding */
        bool is_defined;     /* in this file */
        bool is_hidden;
        const struct object_section *section; /* NULL when absolute or undefined */
};

/* An iteration; the fields are private but for `names`, a table whose last byte is NUL, and `n_symbols`. */
struct object_symbols {
        struct object *object;
        const char *names;
        size_t names_size;
        size_t n_symbols;
        struct cursor at;
        struct cursor wide_sections;
        bool is_dynamic;
        size_t n_done;
};

/* False when the object has no such table, or a damaged one. */
bool object_symbols_begin(struct object *object, enum object_table table, struct object_symbols *ret_symbols);
bool object_symbols_next(struct object_symbols *symbols, struct object_symbol *ret_symbol);

/* The symbol's name in the table, or "" when its offset lies outside. */
const char *object_symbols_name(const struct object_symbols *symbols, const struct object_symbol *symbol);

/* --- What is known without symbols ---------------------------------------------------------------------- */

struct object_range {
        uint64_t start;
        uint64_t size_bytes;
};

/* The functions of the unwind tables, sorted by start, one a start; the caller frees *ret_ranges (free()).
 * What is damaged is left out.  Returns their number. */
size_t object_list_functions(struct object *object, struct object_range **ret_ranges);

/* An entry of the exception directory (.pdata) of a PE image for x64 or ARM64: a function, or a part of one. */
struct object_unwind {
        uint64_t start, end; /* virtual addresses */
        uint32_t word; /* its last word: the unwind information's image-relative address, or it, packed */
        struct cursor info; /* to the end of what the file has of the section; failed: there is nothing */
};

/* 0: it has none, or is of another format or machine.  They are sorted by start in a sound image. */
size_t object_n_unwind(const struct object *object);

/* False: the entry is damaged.  `i` is below object_n_unwind. */
bool object_get_unwind(const struct object *object, size_t i, struct object_unwind *ret_entry);

/* The entry that holds `addr`, by halves as Windows does. */
bool object_find_unwind(const struct object *object, uint64_t addr, struct object_unwind *ret_entry);

/* The entry that stands at an image-relative address, in the table or in x64's unwind information. */
bool object_read_unwind(const struct object *object, uint32_t rva, struct object_unwind *ret_entry);

/* Code that only jumps on to a function of another object. */
struct object_stub {
        uint64_t addr;
        uint64_t size_bytes;
        uint32_t name_off; /* the function's, in the names of OBJECT_DYNAMIC_SYMBOLS; 0: none */
        uint64_t target;   /* where there is no name: the function that picks one at load time (ifunc) */
};

/* The caller frees *ret_stubs (free()).  Returns their number. */
size_t object_list_stubs(struct object *object, struct object_stub **ret_stubs);

/* --- Separate debug information -------------------------------------------------------------------------- */

enum { OBJECT_MAX_DEBUGDATA_BYTES = 256 << 20 };

/* The name, without a folder, and CRC of the debug file; valid for the object's life.  False: says none. */
bool object_get_debuglink(struct object *object, const char **ret_name, uint32_t *ret_crc);

enum { OBJECT_GUID_BYTES = 16, OBJECT_PDB_ID_BYTES = 20 };

/* The PDB that a PE image was linked with. */
struct object_pdb {
        const char *path; /* where it was when it was made; valid for the object's life */
        uint8_t guid[OBJECT_GUID_BYTES];
        uint32_t age;
};

/* What the headers of PE images and PDBs call a machine.  Code for both emulated and own programs (ARM64EC, ARM64X) says
 * the machine that loads it. */
enum object_machine object_machine_of_pe(uint16_t machine);

/* Whether a file of that name may be a PE image, by its ending. */
bool object_is_pe_name(const char *path);

/* GUID and age out of a build id of OBJECT_PDB_ID_BYTES. */
void object_pdb_from_build_id(const uint8_t *build_id, struct object_pdb *ret_pdb);

/* False: the image names none. */
bool object_get_pdb(const struct object *object, struct object_pdb *ret_pdb);

/* The CRC of the whole file, as in .gnu_debuglink. */
uint32_t object_crc32(const struct object *object);

/* The object inside `object` that has more symbols; ERR_MISSING when there is none. */
struct object *object_open_debugdata(struct object *object, struct err *err);

/* The build id in notes that stand alone (/sys/kernel/notes); returns its size, 0 when there is none. */
size_t object_find_build_id(const void *notes, size_t size, uint8_t ret_build_id[OBJECT_BUILD_ID_BYTES]);

#endif
