/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of the PDB reader: the reader, sections, modules, functions, lines and
 * names. */
#ifndef PDB_INTERNAL_H
#define PDB_INTERNAL_H

#include "budget.h"
#include "map.h"
#include "os.h"
#include "pdb.h"
#include "pdb_msf.h"
#include "strpool.h"

/* Limits.  A module that exceeds one is left out, with a note. */
enum {
        PDB_MAX_MODULES = 1 << 16, /* modules are numbered with 16 bits */
        PDB_MAX_SECTIONS = 1 << 16,
        PDB_MAX_FUNCTIONS = 1 << 22, /* in a module */
        PDB_MAX_DEPTH = 1024,        /* nesting of scopes */
        PDB_MAX_ROWS = 1 << 24,      /* lines of one address range */
        PDB_MAX_INLINEES = 1 << 22,  /* in a module */
        PDB_MAX_LABELS = 1 << 20,    /* in a function */
        PDB_MAX_NAME_BYTES = 64 * 1024,
        PDB_MAX_PATH_BYTES = 16 * 1024,
        PDB_MAX_INFO_BYTES = 16 << 20, /* size of the info stream */
        PDB_MAX_PASSES = 64,           /* bytes read in one lookup, as a multiple of the file's size */
        PDB_MIN_BUDGET = 1 << 20,      /* minimum of these bytes */
        /* Texts and lists of sections up to these are not counted as work. */
        PDB_FREE_TEXT_BYTES = 4096,
        PDB_FREE_SECTIONS = 96, /* Windows does not load images with more */
};

/* Limit on the bytes of the file that are in memory at a time, and the bytes that the kernel reads around
 * an access. */
enum { PDB_MAX_TOUCHED_BYTES = 1 << 20, PDB_TOUCHED_AROUND_BYTES = 64 * 1024 };

/* Streams with fixed numbers. */
enum { PDB_STREAM_INFO = 1, PDB_STREAM_TYPES = 2, PDB_STREAM_DBI = 3, PDB_STREAM_IDS = 4 };

/* --- Sections and contributions: where code is --- */

struct pdb_section {
        uint32_t rva, size_bytes;
        uint32_t file_off, file_bytes; /* position in the image's file */
};

/* A part of a section that came from one module. */
struct pdb_contribution {
        uint16_t section; /* number from 1 on, as in symbols */
        uint16_t module;
        uint32_t off, size_bytes; /* offset in the section */
};

struct pdb_contributions {
        struct pdb_piece piece; /* unchanged bytes of the file */
        uint32_t entry_bytes;
        size_t n;
        bool is_checked;
        struct pdb_contribution *sorted; /* NULL: they are sorted in the file */
};

/* --- Modules --- */

/* An address range with its own name. */
struct pdb_proc {
        uint32_t rva, end;  /* range of its own code: [rva, end) */
        uint32_t record;    /* offset of its record in the module's stream */
        uint32_t scope_end; /* offset of the end of the scope that the record opens; 0: not known */
        uint32_t function;  /* RVA of the function that it was separated from, or its own */
        bool size_is_guessed;
        bool is_part;       /* separated from a function (S_SEPCODE) */
        bool is_trampoline; /* made by a linker: `function` is its target */
        const char *name;   /* as shown; NULL until it is looked up */
};

struct pdb_module {
        uint16_t stream;
        bool is_listed;  /* `procs` is set */
        bool is_damaged; /* damage was reported */
        bool has_parts;  /* some of `procs` were separated from functions */
        uint32_t symbols_bytes, old_lines_bytes, lines_bytes;
        const char *name;
        struct pdb_proc *procs; /* sorted by RVA, without overlaps */
        size_t n_procs, cap_procs;
};

/* --- Types: names of inlined functions --- */

/* A stream of type records (TPI, IPI) and an index of it. */
struct pdb_types {
        uint32_t stream;
        bool is_open;
        uint32_t first, end; /* range of type numbers */
        uint32_t records;    /* offset of the first record in the stream */
        uint32_t records_end;
        struct pdb_type_place {
                uint32_t type, off; /* off: relative to `records` */
        } * places;                 /* some of the types, sorted */
        size_t n_places, cap_places;
};

/* --- The reader --- */

struct pdb {
        struct os_map *map; /* NULL for bytes in memory */
        char *name;
        struct cursor file;
        struct pdb_msf msf;
        struct pdb_facts facts;
        uint32_t names_stream; /* PDB_NO_STREAM: none */

        uint16_t publics_stream, records_stream;
        struct pdb_piece modules_piece;
        struct pdb_module *modules;
        size_t n_modules, cap_modules;
        struct pdb_section *sections;
        size_t n_sections;
        struct pdb_contributions contributions;
        struct pdb_types types, ids;

        /* offsets of public symbols in the symbol record stream, sorted by address */
        struct pdb_piece publics;
        bool has_publics;
        bool is_decorated;

        struct strpool *texts;
        struct map paths;           /* of source files, by their offset in /names */
        struct map modules_by_name; /* index + 1, by a hash; empty until it is needed */
        /* names by id of the function; the upper bits are the module's number + 1 for an imported id */
        struct map inlinees;
        struct buf scratch;
        struct budget_meter meter;
        uint64_t taken_bytes; /* of memory, from the meter's budget */
        uint64_t n_touched;   /* approximate number of bytes that were read since pages were last released */

        struct buf first_complaint;
        size_t n_complaints;
        struct buf note;
};

/* Subtracts `n_bytes` from the limit of the current lookup. */
bool pdb_spend(struct pdb *pdb, uint64_t n_bytes, struct err *err);

/* Takes memory that is needed until the reader is freed from its budget. */
bool pdb_take(struct pdb *pdb, enum budget_use use, uint64_t n_bytes);

/* Records that about `n_bytes` of the file were read, and releases the file's pages if that is a lot. */
void pdb_touch(struct pdb *pdb, uint64_t n_bytes);

/* To be called before and after each lookup. */
void pdb_refill(struct pdb *pdb);
void pdb_write_note(struct pdb *pdb);

/* Records damage, once for each module; `module` may be NULL. */
void pdb_complain(struct pdb *pdb, struct pdb_module *module, const struct err *err);

/* A copy that lives as long as the reader, so that reading it does not load pages of the file.  NULL if the
 * budget does not allow it. */
const char *pdb_keep(struct pdb *pdb, const char *text);

/* --- The info and the DBI stream --- */

bool pdb_info_read(struct pdb *pdb, struct err *err);

/* The path of a source file at offset `off` in /names; NULL if there is none. */
const char *pdb_find_path(struct pdb *pdb, uint32_t off);

bool pdb_dbi_read(struct pdb *pdb, struct err *err);
void pdb_dbi_release(struct pdb *pdb);

/* --- Addresses --- */

/* False if the section does not exist or is shorter. */
bool pdb_to_rva(const struct pdb *pdb, uint16_t section, uint32_t off, uint32_t *ret_rva);

/* The number of the section with the RVA, 0: none, or too much work; *ret_from and *ret_to are the range of
 * the section, or of the gap. */
uint16_t pdb_find_section(struct pdb *pdb, uint32_t rva, uint32_t *ret_from, uint32_t *ret_to);

/* The contribution with the address.  False in a gap; then off and size_bytes are the range of the gap, and
 * section and module are not valid. */
bool pdb_find_contribution(struct pdb *pdb, uint16_t section, uint32_t off,
                           struct pdb_contribution *ret_contribution);

/* --- Public symbols --- */

struct pdb_public {
        uint16_t section;
        uint32_t off;
        uint32_t record; /* offset in the symbol record stream */
};

/* The last public symbol at or before an address in a section, and the address of the next one in that
 * section (UINT32_MAX: none).  False if there is none at or before it. */
bool pdb_find_public(struct pdb *pdb, uint16_t section, uint32_t off, struct pdb_public *ret_public,
                     uint32_t *ret_next_off);

/* The name of a public symbol, kept; NULL if it is damaged. */
const char *pdb_public_name(struct pdb *pdb, const struct pdb_public *symbol);

/* --- Symbols of a module --- */

enum pdb_symbol_kind {
        S_END = 0x0006,
        S_THUNK32 = 0x1102,
        S_BLOCK32 = 0x1103,
        S_WITH32 = 0x1104,
        S_LABEL32 = 0x1105,
        S_PUB32 = 0x110e,
        S_LPROC32 = 0x110f,
        S_GPROC32 = 0x1110,
        S_TRAMPOLINE = 0x112c,
        S_SEPCODE = 0x1132,
        S_LPROC32_ID = 0x1146,
        S_GPROC32_ID = 0x1147,
        S_INLINESITE = 0x114d,
        S_INLINESITE_END = 0x114e,
        S_PROC_ID_END = 0x114f,
        S_LPROC32_DPC = 0x1155,
        S_LPROC32_DPC_ID = 0x1156,
        S_INLINESITE2 = 0x115d,
};

/* A record: its kind and its content. */
struct pdb_symbol {
        uint16_t kind;
        uint32_t off; /* offset of the record in the stream */
        struct cursor body;
};

/* Reads the record at the cursor, and moves the cursor past it.  False at the end, or if it is damaged
 * (c->failed). */
bool pdb_symbol_next(struct cursor *c, struct pdb_symbol *ret_symbol);

bool pdb_symbol_opens(uint16_t kind);
bool pdb_symbol_closes(uint16_t kind);

/* The function's record and the records inside it; if its end is not known, up to the end of the module's
 * symbols.  The caller releases the piece. */
bool pdb_module_scope(struct pdb *pdb, const struct pdb_module *module, const struct pdb_proc *proc,
                      struct pdb_piece *ret_symbols, struct err *err);

/* The line information (C13). */
bool pdb_module_lines(struct pdb *pdb, const struct pdb_module *module, struct pdb_piece *ret_lines,
                      struct err *err);

/* Sets module->procs at the first call. */
void pdb_module_list(struct pdb *pdb, struct pdb_module *module);

/* Appends the functions in `symbols` to module->procs.  If there is damage, those before it are appended. */
bool pdb_module_scan(struct pdb *pdb, struct pdb_module *module, struct cursor symbols, struct err *err);

/* The range that contains the RVA, or NULL; *ret_from and *ret_to are the range, or the gap. */
const struct pdb_proc *pdb_module_find(const struct pdb_module *module, uint32_t rva, uint32_t *ret_from,
                                       uint32_t *ret_to);

/* The name of the function with this record, kept; NULL if it is damaged. */
const char *pdb_proc_name(struct pdb *pdb, const struct pdb_module *module, const struct pdb_proc *proc);

/* --- Functions --- */

struct pdb_found {
        struct pdb_module *module;   /* NULL: in no module */
        const struct pdb_proc *proc; /* NULL: in no function of the module */
        uint16_t section;
        uint32_t from, to; /* the result is the same for every RVA in [from, to) */
};

/* Finds the module and the function of an RVA. */
void pdb_find_proc(struct pdb *pdb, uint32_t rva, struct pdb_found *ret_found);

/* The name and start of that function, by the rule of pdb_set_decorated. */
const char *pdb_name_proc(struct pdb *pdb, const struct pdb_found *found, uint32_t *ret_start);

/* --- Places: the addresses in a module that are looked up --- */

#define PDB_NO_INLINE UINT32_MAX

struct pdb_place {
        uint32_t rva;
        size_t index;  /* index in the lookup */
        uint32_t proc; /* index of its function in module->procs; PDB_NO_PROC: none */

        bool has_row;
        uint32_t file, line, column; /* file: its offset in the checksums */
        uint32_t inlined; /* index of the innermost inlined function in pdb_inlines, or PDB_NO_INLINE */
};

#define PDB_NO_PROC UINT32_MAX

/* The places of one module, sorted by RVA. */
struct pdb_places {
        struct pdb_place *items;
        size_t n;
};

/* The first place at or after `rva`, or n. */
size_t pdb_places_from(const struct pdb_places *places, uint64_t rva);

/* --- Lines --- */

enum pdb_subsection_kind {
        PDB_LINES = 0xf2,
        PDB_CHECKSUMS = 0xf4,
        PDB_INLINEE_LINES = 0xf6,
        PDB_IMPORTS = 0xf7, /* ids of functions in other modules */
        PDB_EXPORTS = 0xf8, /* ids for other modules */
};

/* A part of a module's line information. */
struct pdb_subsection {
        uint32_t kind;
        struct cursor body;
};

/* Reads the part at the cursor, and moves the cursor past it.  False at the end, or if it is damaged
 * (c->failed). */
bool pdb_subsection_next(struct cursor *c, struct pdb_subsection *ret_subsection);

/* The parts of a module's line information other than rows. */
struct pdb_lines {
        struct cursor bytes;
        struct cursor checksums;
        struct map inlinees; /* id -> offset of its entry in `bytes`, + 1 */
        bool has_inlinees;
};

void pdb_lines_release(struct pdb_lines *lines);

/* Finds the parts in `bytes`. */
bool pdb_lines_init(struct pdb_lines *lines, const struct cursor *bytes, struct err *err);

/* Sets the line of each place, from the row that covers it. */
bool pdb_lines_find(struct pdb *pdb, struct pdb_lines *lines, struct pdb_places *places, struct err *err);

/* The source position of an inlined function. */
struct pdb_inlinee {
        uint32_t file, line;
};

bool pdb_lines_inlinee(struct pdb_lines *lines, uint32_t id, struct pdb_inlinee *ret_inlinee);

/* The path of a file by its offset in the checksums; NULL if there is none. */
const char *pdb_lines_path(struct pdb *pdb, const struct pdb_lines *lines, uint32_t file);

/* --- Inlined functions --- */

/* An inlined function at one place. */
struct pdb_inline {
        uint32_t outer; /* index of the enclosing inlined function, or PDB_NO_INLINE */
        uint32_t site;
        uint32_t file, line, column;
};

struct pdb_site {
        uint32_t id;    /* id of the inlined function */
        uint32_t start; /* lowest RVA */
};

struct pdb_inlines {
        struct pdb_inline *items;
        size_t n, cap;
        struct pdb_site *sites;
        size_t n_sites, cap_sites;
        struct budget *budget; /* that of the reader; NULL: no limit */
        uint64_t taken_bytes;
};

void pdb_inlines_release(struct pdb_inlines *inlines);

/* Sets the inlined functions of places, which are all in the function.  `chunks` are the RVAs of the
 * function's parts, its own first. */
struct pdb_body {
        struct cursor symbols; /* begins at the function's record */
        const uint32_t *chunks;
        size_t n_chunks;
};

bool pdb_inlines_find(struct pdb *pdb, const struct pdb_body *body, struct pdb_lines *lines,
                      struct pdb_places *places, struct pdb_inlines *inlines, struct err *err);

/* --- Types --- */

/* The qualified name of an inlined function, kept; NULL if it is missing. */
const char *pdb_find_inlinee_name(struct pdb *pdb, uint32_t id);
void pdb_types_release(struct pdb_types *types);

/* The same for an id of the module.  For a function that link-time code generation took from another
 * module, the id is a number in the module's imports. */
const char *pdb_find_inlinee_name_in(struct pdb *pdb, const struct pdb_module *module,
                                     const struct pdb_lines *lines, uint32_t id);

#endif
