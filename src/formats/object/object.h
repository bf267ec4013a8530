/* SPDX-License-Identifier: BSD-3-Clause */
/* An object file or a memory image of one: sections, segments, identity, symbols.  One API for all formats;
 * each format implements object_internal.h. symbol/ decides which names and addresses a profile shows. */
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

/* Maps the file. ERR_FORMAT if it is not an object file; the text then begins with the path. */
struct object *object_open(const char *path, struct err *err);

/* Whether the file begins like an object file; what follows may be damaged. */
bool object_is_file(const char *path);

/* Bytes in memory, which the caller keeps as long as the object; `name` is used in error messages
 * (copied). */
struct object *object_open_bytes(const void *bytes, size_t size, const char *name, struct err *err);

void object_free(struct object *object);
AUTO_DEFINE(object)

/* A parser calls this last for a mapped file: false and an error if the file became shorter meanwhile. */
bool object_check(const struct object *object, struct err *err);

/* Properties of the mapped file when it was opened, and who may change it (struct os_map).  If all are
 * equal, the bytes are equal. */
struct object_file {
        uint64_t dev, inode, size_bytes;
        int64_t mtime_ns, ctime_ns;
        uint64_t writers;
};

/* False for bytes in memory. */
bool object_get_file(const struct object *object, struct object_file *ret_file);

/* Whether the mapped file was changed since it was opened, so that its bytes may be a mixture; false for
 * bytes in memory, and if another file is at its path now. */
bool object_is_changed(const struct object *object);

/* Counts the decompressed bytes of this object in `budget`, which outlives it; to be called before a
 * section is read.  Without it, or with NULL, the object has its own budget. */
void object_set_budget(struct object *object, struct budget *budget);
struct budget *object_budget(const struct object *object);

/* The size of the whole file. */
uint64_t object_file_bytes(const struct object *object);

/* The name for error messages. */
const char *object_name(const struct object *object);

enum object_machine {
        OBJECT_MACHINE_OTHER,
        OBJECT_MACHINE_X86,
        OBJECT_MACHINE_X86_64,
        OBJECT_MACHINE_ARM,
        OBJECT_MACHINE_ARM64,
        OBJECT_MACHINE_ARM64EC, /* only from object_code_at */
};

enum { OBJECT_BUILD_ID_BYTES = 64, OBJECT_GO_BUILD_ID_BYTES = 128 };

enum object_format { OBJECT_ELF, OBJECT_PE };

struct object_facts {
        enum object_format format;
        enum object_machine machine;
        uint8_t address_bytes; /* 4 or 8 */
        bool is_relocatable;   /* not linked: an address is a file offset */
        bool is_executable;    /* a program, fixed or position-independent; not a library */
        uint64_t entry;        /* virtual address; 0: none */
        uint64_t load_addr;    /* virtual address of file offset 0 */
        uint64_t image_size;   /* PE: size in memory, from load_addr on */
        uint32_t time_stamp;   /* PE: from the header, seconds since 1970 or a hash of the content */
        uint8_t build_id[OBJECT_BUILD_ID_BYTES];
        uint8_t build_id_size; /* 0: it has none */
};

/* The build id of a PE image is its 20 bytes that identify its PDB in the debug directory: the GUID, then
 * the age. */
const struct object_facts *object_get_facts(const struct object *object);

/* The instruction set of the code at an address: a PE image may have code for two machines (ARM64EC,
 * ARM64X). */
enum object_machine object_machine_at(const struct object *object, uint64_t addr);

/* The same, but ARM64EC for code of ARM64 that is for emulated processes. */
enum object_machine object_code_at(const struct object *object, uint64_t addr);

/* Whether a PE image has code for emulated processes: it is ARM64EC or ARM64X. */
bool object_is_hybrid(const struct object *object);

/* Build ids are equal if one is a prefix of the other and only zeros follow, because perf.data cuts and
 * pads them to 20 bytes. An empty build id is equal to none. */
bool object_build_id_equal(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size);

/* --- Sections and segments ----------------------------------------------------------------------------- */

#define OBJECT_SECTION_CODE   (1u << 0)
#define OBJECT_SECTION_LOADED (1u << 1) /* is mapped at run time */
#define OBJECT_SECTION_PACKED (1u << 2)

struct object_section {
        const char *name; /* "" if it has none */
        uint64_t addr;    /* virtual address; the file offset in a relocatable object */
        uint64_t size_bytes;
        uint64_t file_off;
        uint64_t file_size; /* 0 if it has no bytes in the file */
        uint32_t flags;     /* OBJECT_SECTION_* */
};

size_t object_n_sections(const struct object *object);
const struct object_section *object_get_section(const struct object *object, size_t i);

/* The first section with this name and with bytes in the file, or NULL.  `.debug_x` also finds
 * `.zdebug_x`. */
const struct object_section *object_find_section(const struct object *object, const char *name);

/* The section's content, unpacked at the first call and kept as long as the object. */
bool object_read_section(struct object *object, const struct object_section *section,
                         struct cursor *ret_bytes, struct err *err);

/* The section's bytes in the file, not unpacked; empty if they are outside the file. */
struct cursor object_raw_section(const struct object *object, const struct object_section *section);

/* Releases the memory for these bytes of the file until they are read again; no effect for bytes in
 * memory. */
void object_forget(const struct object *object, const uint8_t *bytes, size_t size);

/* Unpacks packed sections in two threads, so that object_read_section need not do it.  NULL entries are
 * skipped; object_read_section reports failures. */
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

/* Converts between file offsets and virtual addresses, by segments, or by sections if there are none.
 * False if this part of the file is not loaded. */
bool object_to_addr(const struct object *object, uint64_t file_off, uint64_t *ret_addr);
bool object_to_file_off(const struct object *object, uint64_t addr, uint64_t *ret_file_off);

/* The file's bytes for the virtual addresses [addr, addr + size). */
bool object_read_addr(const struct object *object, uint64_t addr, uint64_t size, struct cursor *ret_bytes);

/* --- Symbols -------------------------------------------------------------------------------------------- */

enum object_table { OBJECT_SYMBOLS, OBJECT_DYNAMIC_SYMBOLS };

enum object_symbol_kind {
        OBJECT_SYMBOL_OTHER,
        OBJECT_SYMBOL_FUNCTION, /* also functions resolved at load time (ifunc) */
        OBJECT_SYMBOL_LABEL,    /* no type */
        OBJECT_SYMBOL_DATA,
};

enum object_binding { OBJECT_LOCAL, OBJECT_WEAK, OBJECT_GLOBAL };

struct object_symbol {
        uint64_t addr;
        uint64_t size_bytes; /* 0: not known */
        uint32_t name_off;   /* offset in the names of the iteration */
        uint8_t kind;        /* enum object_symbol_kind */
        uint8_t binding;     /* enum object_binding */
        bool is_defined;     /* in this file */
        bool is_hidden;
        const struct object_section *section; /* NULL if absolute or undefined */
};

/* An iteration; all fields are private except `names`, a table whose last byte is NUL, and `n_symbols`. */
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

/* False if the object has no such table, or a damaged one. */
bool object_symbols_begin(struct object *object, enum object_table table, struct object_symbols *ret_symbols);
bool object_symbols_next(struct object_symbols *symbols, struct object_symbol *ret_symbol);

/* The symbol's name in the table; "" if its offset is outside. */
const char *object_symbols_name(const struct object_symbols *symbols, const struct object_symbol *symbol);

/* --- Functions without symbols -------------------------------------------------------------------------- */

struct object_range {
        uint64_t start;
        uint64_t size_bytes;
        bool has_frame; /* ELF: a frame exists at its start: a part of a function that begins elsewhere */
};

/* The functions in the unwind tables, sorted by start, each start once; the caller frees *ret_ranges
 * (free()). Damaged entries are left out.  Returns their number. */
size_t object_list_functions(struct object *object, struct object_range **ret_ranges);

/* An entry of the exception directory (.pdata) of a PE image for x64 or ARM64: a function, or a part of
 * one. */
struct object_unwind {
        uint64_t start, end; /* virtual addresses */
        /* its last word: the image-relative address of the unwind information, or packed unwind
         * information */
        uint32_t word;
        struct cursor info; /* to the end of the section in the file; failed: there is no information */
};

/* 0: the object has none, or has another format or machine.  In a valid image they are sorted by start. */
size_t object_n_unwind(const struct object *object);

/* False: the entry is damaged.  `i` must be less than object_n_unwind. */
bool object_get_unwind(const struct object *object, size_t i, struct object_unwind *ret_entry);

/* The entry that contains `addr`, found by binary search as in Windows. */
bool object_find_unwind(const struct object *object, uint64_t addr, struct object_unwind *ret_entry);

/* The entry of the function that has code at `addr`: if the code is a part that continues another entry
 * (x64), the first one. */
bool object_find_function(const struct object *object, uint64_t addr, struct object_unwind *ret_entry);

/* The entry at an image-relative address, in the table or in x64's unwind information. */
bool object_read_unwind(const struct object *object, uint32_t rva, struct object_unwind *ret_entry);

/* Code that only jumps to a function of another object. */
struct object_stub {
        uint64_t addr;
        uint64_t size_bytes;
        /* name of this function, as an offset in the names of OBJECT_DYNAMIC_SYMBOLS; 0: none */
        uint32_t name_off;
        uint64_t target; /* if there is no name: the function that selects the target at load time (ifunc) */
};

/* The caller frees *ret_stubs (free()).  Returns their number. */
size_t object_list_stubs(struct object *object, struct object_stub **ret_stubs);

enum object_relocation_kind {
        OBJECT_RELOCATION_ABSOLUTE,    /* the target's address is stored */
        OBJECT_RELOCATION_RELATIVE,    /* the distance from `addr` to the target */
        OBJECT_RELOCATION_GOT,         /* an instruction refers to the slot that holds the symbol's address */
        OBJECT_RELOCATION_INSTRUCTION, /* AArch64: an instruction refers to the target */
        OBJECT_RELOCATION_OTHER,       /* of a variable of a thread, for example */
};

/* Bytes that the linker or the dynamic linker changes. */
struct object_relocation {
        uint64_t addr;
        uint64_t target;  /* the symbol's address, 0 if it is not defined, plus `addend` */
        uint64_t addend;  /* signed */
        const char *name; /* of the symbol; "": none */
        const struct object_section *section; /* of the symbol; NULL: none */
        uint8_t kind;                         /* enum object_relocation_kind */
        bool is_defined;                      /* `target` is in this object */
};

/* Of 64-bit ELF objects for x86-64 and AArch64, sorted by address: all relocations of what is loaded of a
 * relocatable object, the dynamic ones of a linked object.  The caller frees *ret_relocations (free());
 * names and sections belong to the object.  Returns their number. */
size_t object_list_relocations(struct object *object, struct object_relocation **ret_relocations);

/* --- Separate debug information --------------------------------------------------------------------- */

enum { OBJECT_MAX_DEBUGDATA_BYTES = 256 << 20 };

/* The file name (without a folder) and CRC of the debug file; valid as long as the object.  False: none. */
bool object_get_debuglink(struct object *object, const char **ret_name, uint32_t *ret_crc);

enum { OBJECT_GUID_BYTES = 16, OBJECT_PDB_ID_BYTES = 20 };

/* The PDB that a PE image was linked with. */
struct object_pdb {
        const char *path; /* path of the PDB when the image was linked; valid as long as the object */
        uint8_t guid[OBJECT_GUID_BYTES];
        uint32_t age;
};

/* Converts the machine field of PE images and PDBs.  For code for both emulated and native programs
 * (ARM64EC, ARM64X) it is the machine that loads the image. */
enum object_machine object_machine_of_pe(uint16_t machine);

/* Whether a file with this name may be a PE image, by its suffix. */
bool object_is_pe_name(const char *path);

/* Extracts GUID and age from a build id of OBJECT_PDB_ID_BYTES. */
void object_pdb_from_build_id(const uint8_t *build_id, struct object_pdb *ret_pdb);

/* False: the image has none. */
bool object_get_pdb(const struct object *object, struct object_pdb *ret_pdb);

/* The CRC of the whole file, as in .gnu_debuglink. */
uint32_t object_crc32(const struct object *object);

/* The object inside `object` that has more symbols; ERR_MISSING if there is none. */
struct object *object_open_debugdata(struct object *object, struct err *err);

/* The build id in notes without an object (/sys/kernel/notes); returns its size, 0 if there is none. */
size_t object_find_build_id(const void *notes, size_t size, uint8_t ret_build_id[OBJECT_BUILD_ID_BYTES]);

/* The build id that Go's linker writes, as text (.note.go.buildid); returns its length, 0 if there is
 * none. */
size_t object_find_go_build_id(struct object *object, char ret_id[OBJECT_GO_BUILD_ID_BYTES + 1]);

#endif
