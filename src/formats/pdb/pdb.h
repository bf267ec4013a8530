/* SPDX-License-Identifier: BSD-3-Clause */
/* Program databases (PDB 7): looks up functions, inlined functions and source lines of addresses in an
 * image.  An address is an RVA, counted from the image's first byte in memory.  Formats: microsoft-pdb's
 * cvinfo.h, LLVM's docs/PDB. */
#ifndef PDB_H
#define PDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "budget.h"
#include "err.h"
#include "object.h"
#include "source_frames.h"

enum { PDB_GUID_BYTES = 16 };

struct pdb;

/* Maps the file.  Reads only the container's directory and the headers; the rest is read when it is needed.
 * ERR_FORMAT: not a PDB, or too damaged.  ERR_UNSUPPORTED, with one sentence: a PDB of an older format, a
 * compressed one (MSFZ, .pd_), one with managed code only, one whose symbols are in other files
 * (/DEBUG:FASTLINK), or one whose code was moved after linking (OMAP). Error messages begin with the path. */
struct pdb *pdb_open(const char *path, struct err *err);

/* Bytes in memory, which the caller keeps as long as the reader; `name` is used in error messages
 * (copied). */
struct pdb *pdb_open_bytes(const void *bytes, size_t size, const char *name, struct err *err);

/* Counts the work of lookups in `budget`, that of the module, which outlives the reader.  Without it each
 * lookup is limited alone. */
void pdb_set_budget(struct pdb *pdb, struct budget *budget);

/* Whether the file begins like a PDB, of this format or of one that is not supported. */
bool pdb_is_begun(const char *path);

/* Whether opening failed because the image's code was moved after linking.  Then other sources of names
 * have few, and the addresses in the PDB are not those of the image. */
bool pdb_error_is_omap(const struct err *err);
void pdb_free(struct pdb *pdb);
AUTO_DEFINE(pdb)

/* False and an error if the file became shorter while it was read. */
bool pdb_check(const struct pdb *pdb, struct err *err);

const char *pdb_name(const struct pdb *pdb);

struct pdb_facts {
        uint8_t guid[PDB_GUID_BYTES]; /* as in the file */
        /* age of the DBI stream, which the image has, too; the age of the info stream may be higher */
        uint32_t age;
        enum object_machine machine;
        bool is_stripped; /* only public symbols: no lines, no local functions */
        bool has_lines;   /* at least one module has lines */
};

const struct pdb_facts *pdb_get_facts(const struct pdb *pdb);

/* If true, functions with a public symbol have its decorated name.  To be called before the first lookup. */
void pdb_set_decorated(struct pdb *pdb, bool is_decorated);

/* The RVA of an offset in the image's file, by the section headers in the PDB; false if no section contains
 * it. */
bool pdb_find_rva(const struct pdb *pdb, uint64_t file_off, uint32_t *ret_rva);

struct pdb_function {
        /* as in the file: a readable name from a module, or a (possibly decorated) name of a public symbol */
        const char *name;
        uint32_t start;
        /* if the file does not contain it: up to the next symbol, or the section's end */
        uint32_t size_bytes;
        bool size_is_guessed;        /* the size is not in the file */
        uint32_t same_from, same_to; /* the result is the same for every RVA in [same_from, same_to) */
};

/* The function that contains `rva`, or the public symbol before it in its section.  False if there is none;
 * then only same_from and same_to of *ret_function are set.  Texts live as long as the reader. */
bool pdb_find_function(struct pdb *pdb, uint32_t rva, struct pdb_function *ret_function);

/* Looks up `n` sorted, distinct RVAs: functions, functions inlined into them, and lines.  Each call decodes
 * each module once. Never fails: damaged parts have no frames, and pdb_note describes the damage. */
void pdb_find(struct pdb *pdb, const uint64_t *rvas, size_t n, struct source_frames *ret_frames);

/* The labels (S_LABEL32) of the function at `rva`, sorted by RVA; they have no path and no line.  The
 * caller frees *ret_labels (free()).  Returns their number. */
size_t pdb_find_labels(struct pdb *pdb, uint32_t rva, struct source_label **ret_labels);

/* All address ranges of the function at `rva`, sorted by RVA, including parts that were separated from it
 * (S_SEPCODE).  The caller frees *ret_extents (free()).  Returns their number, 0 if not known. */
size_t pdb_find_extents(struct pdb *pdb, uint32_t rva, struct source_extent **ret_extents);

/* Describes the first damage and says how many modules are damaged, in a sentence; "" if there is no
 * damage. */
const char *pdb_note(const struct pdb *pdb);

#endif
