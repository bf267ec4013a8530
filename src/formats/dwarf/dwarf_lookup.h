/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations for lookups: the unit of an address, places, functions, lines, split units, and the reader. */
#ifndef DWARF_LOOKUP_H
#define DWARF_LOOKUP_H

#include "dwarf_internal.h"

/* --- The unit of an address --- */

/* Receives a sentence about a unit that could not be read. */
struct dwarf_complaints {
        struct buf first;
        size_t n; /* number of units, each counted once */
};

void dwarf_complain(struct dwarf_complaints *complaints, const struct dwarf_unit *unit,
                    const struct err *err);

/* Uses .debug_aranges; the owner is the unit's index.  Sets is_listed of the units in it. */
void dwarf_index_listed(struct dwarf_file *file, struct dwarf_segments *out,
                        struct dwarf_complaints *complaints);

/* Uses the entries of the units that are not listed, or their functions if the entries do not have ranges:
 * sets dwarf->scanned. */
void dwarf_index_scanned(struct dwarf *dwarf);

/* --- Places: the addresses in a unit that are looked up --- */

struct dwarf_row {
        uint32_t file, line, column;
};

struct dwarf_place {
        uint64_t addr;
        uint32_t node;       /* node of the innermost function, or DWARF_NO_OWNER */
        uint64_t node_start; /* start of that function's range that contains the address */

        bool has_row;
        struct dwarf_row row, pending;
        uint64_t sequence_start;
};

/* Sorted by address. */
struct dwarf_places {
        struct dwarf_place *items;
        size_t n;
};

/* The first place at or after `addr`, or n. */
size_t dwarf_places_from(const struct dwarf_places *places, uint64_t addr);

/* --- Functions --- */

struct dwarf_node {
        uint64_t start;
        const char *function; /* valid if is_read */
        uint32_t parent;      /* DWARF_NO_OWNER: not inlined */
        uint32_t off;         /* offset in the unit */
        uint32_t call_file;   /* DWARF_NO_FILE: not known */
        uint32_t call_line, call_column;
        bool is_read;
};

#define DWARF_NO_FILE UINT32_MAX

/* The functions and inlined functions of a unit that contain one of the places. */
struct dwarf_tree {
        struct dwarf_node *nodes;
        size_t n_nodes, cap_nodes;
};

/* Assigns to each place the innermost function that contains it: of two, the one whose range begins later;
 * if both begin together, the one that comes later in the file. */
bool dwarf_tree_find(const struct dwarf_unit *unit, struct dwarf_tree *tree, struct dwarf_places *places,
                     struct err *err);
void dwarf_tree_release(struct dwarf_tree *tree);

/* Appends the ranges of all functions, but not of inlined functions.  If `owner` is DWARF_NO_OWNER, each is
 * its own: the offset of its entry in the unit. */
bool dwarf_add_functions(const struct dwarf_unit *unit, uint32_t owner, struct dwarf_intervals *out,
                         struct err *err);

/* Appends the ranges of the entry at `off`. */
bool dwarf_add_entry_ranges(const struct dwarf_unit *unit, uint64_t off, uint32_t owner,
                            struct dwarf_intervals *out, struct err *err);

/* Returns a node; reads its name and call site at the first call. */
struct dwarf_node *dwarf_tree_node(const struct dwarf_unit *unit, struct dwarf_tree *tree, uint32_t id);

/* --- Lines --- */

struct dwarf_source {
        const char *name;
        uint64_t folder;
        const uint8_t *md5; /* of the file, MD5_BYTES; NULL: not known */
        str_id path;
};

struct dwarf_lines {
        uint8_t version;
        const char *folder; /* folder of the unit */
        const char **folders;
        size_t n_folders, cap_folders;
        struct dwarf_source *sources;
        size_t n_sources, cap_sources;
        const struct dwarf_file *file;
};

/* Position of the line program, and properties of its opcodes. */
struct dwarf_program {
        struct cursor code;
        struct dwarf_shape shape;
        uint8_t min_instruction_bytes;
        int8_t line_base;
        uint8_t line_range, opcode_base;
        uint8_t n_operands[256]; /* for each standard opcode */
};

/* Reads the header at unit->line_off with its lists of folders and files. */
bool dwarf_lines_header(const struct dwarf_unit *unit, struct dwarf_lines *lines,
                        struct dwarf_program *ret_program, struct err *err);

/* Reads the header of the unit's line program, then gives each address the row of the line table that
 * covers it.  On failure, results before the damage are kept. */
bool dwarf_lines_find(const struct dwarf_unit *unit, struct dwarf_lines *lines, struct dwarf_places *places,
                      struct err *err);
void dwarf_lines_release(struct dwarf_lines *lines);

/* The path of file number `file`, interned in the reader; NULL if there is no such file. */
struct dwarf;
const char *dwarf_lines_path(struct dwarf_lines *lines, uint64_t file, struct dwarf *dwarf);

/* --- Split debug information --- */

/* The unit with the entries of a skeleton, which must be prepared; for other units, the unit itself.  If
 * the file is missing, returns the skeleton, and counts it. */
struct dwarf_unit *dwarf_unit_full(struct dwarf *dwarf, struct dwarf_unit *unit);
void dwarf_unit_close_full(struct dwarf_unit *unit);

/* The unit whose line table has the file numbers of `unit`. */
const struct dwarf_unit *dwarf_unit_with_lines(const struct dwarf_unit *unit);

/* As dwarf_section_name, for files with split debug information. */
const char *dwarf_split_section_name(size_t i);

void dwarf_file_release(struct dwarf_file *file);

/* --- The reader --- */

/* The functions of the unit in which one was looked up last. */
struct dwarf_functions {
        bool is_read;
        uint32_t of;                 /* index of the unit */
        struct dwarf_segments owner; /* an address to the offset of its function in the unit */
};

struct dwarf {
        struct dwarf_file main, alt;
        struct budget_meter meter;
        uint64_t total_bytes;
        struct budget *memory; /* budget of the object */
        struct dwarf_functions functions;
        struct dwarf_segments listed;
        struct dwarf_segments scanned;
        bool is_scanned;
        struct strpool *paths;
        struct map md5s; /* path to the address of the checksum of the file */
        struct dwarf_split split;
        bool has_skeletons;
        struct dwarf *second; /* NULL until it is needed */
        size_t n_missing;     /* number of units whose .dwo file is missing */
        const char *first_missing;
        struct dwarf_complaints complaints;
        struct buf note;
};

/* A reader of the same sections for another thread, which shares nothing else with this one.  It is owned
 * by this reader. */
struct dwarf *dwarf_get_second(struct dwarf *dwarf);

/* To be called before and after each lookup. */
void dwarf_refill(struct dwarf *dwarf);
void dwarf_write_note(struct dwarf *dwarf);

/* The index of the unit that contains `addr`, or DWARF_NO_OWNER. */
uint32_t dwarf_find_unit(struct dwarf *dwarf, uint64_t addr);

#endif
