/* SPDX-License-Identifier: BSD-3-Clause */
/* Program databases (PDB 7): addresses of an image to functions, inlined functions and source lines.  An address is
 * an RVA, counted from the image's first byte in memory.  Formats: microsoft-pdb's cvinfo.h, LLVM's docs/PDB. */
#ifndef PDB_H
#define PDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "object.h"
#include "source_frames.h"

enum { PDB_GUID_BYTES = 16 };

struct pdb;

/* Maps the file.  Nothing is read before it is asked for but the container's directory and the headers.  ERR_FORMAT
 * for what is no PDB or too damaged; ERR_UNSUPPORTED, in one sentence, for a PDB of an older format, a compressed one
 * (MSFZ, .pd_), one of managed code alone, one whose symbols are elsewhere (/DEBUG:FASTLINK) and one whose code was moved after linking (OMAP).  Texts of errors begin
 * with the path. */
struct pdb *pdb_open(const char *path, struct err *err);

/* Bytes in memory, kept by the caller for the reader's life; `name` is what errors call them (copied). */
struct pdb *pdb_open_bytes(const void *bytes, size_t size, const char *name, struct err *err);

/* Whether the file begins as a PDB does, of this format or of one that is not read. */
bool pdb_is_begun(const char *path);

/* Whether opening failed since the image's code was moved after linking: names of any source but the PDB's are then few, and
 * the PDB's stand elsewhere. */
bool pdb_error_is_omap(const struct err *err);
void pdb_free(struct pdb *pdb);
AUTO_DEFINE(pdb)

/* False and an error when the file became shorter while it was read. */
bool pdb_check(const struct pdb *pdb, struct err *err);

const char *pdb_name(const struct pdb *pdb);

struct pdb_facts {
        uint8_t guid[PDB_GUID_BYTES]; /* as in the file */
        uint32_t age; /* of the DBI stream, which the image has too; the info stream's may be higher */
        enum object_machine machine;
        bool is_stripped; /* publics alone: no lines, no local functions */
        bool has_lines;   /* of at least one module */
};

const struct pdb_facts *pdb_get_facts(const struct pdb *pdb);

/* True once: functions that have a public symbol are named by that, decorated.  Before the first look-up. */
void pdb_set_decorated(struct pdb *pdb, bool is_decorated);

/* The RVA of an offset in the image's file, by the section headers that the PDB keeps; false where no section has it. */
bool pdb_find_rva(const struct pdb *pdb, uint64_t file_off, uint32_t *ret_rva);

struct pdb_function {
        const char *name; /* as in the file: readable from a module, maybe decorated from the publics */
        uint32_t start;
        uint32_t size_bytes;  /* up to the next symbol, or the section's end, where the file does not say */
        bool size_is_guessed; /* so */
        uint32_t same_from, same_to; /* every RVA in [same_from, same_to) gives this function */
};

/* The function that holds `rva`, or the public symbol before it in its section.  False when there is none; of
 * *ret_function only same_from and same_to are set then.  Texts live as long as the reader. */
bool pdb_find_function(struct pdb *pdb, uint32_t rva, struct pdb_function *ret_function);

/* Looks up `n` sorted, distinct RVAs: functions, what was inlined into them, and lines.  Modules are decoded once a
 * call.  Never fails: what is damaged has no frames and is in the note. */
void pdb_find(struct pdb *pdb, const uint64_t *rvas, size_t n, struct source_frames *ret_frames);

/* The labels (S_LABEL32) of the function at `rva`, by their RVAs; they have no path and no line.  The caller frees *ret_labels (free()).  Returns their number. */
size_t pdb_find_labels(struct pdb *pdb, uint32_t rva, struct source_label **ret_labels);

/* All code of the function at `rva` by RVA, what was separated from it (S_SEPCODE) too.  The caller frees
 * *ret_extents (free()).  Returns their number, 0 where nothing is known. */
size_t pdb_find_extents(struct pdb *pdb, uint32_t rva, struct source_extent **ret_extents);

/* The first damage that was met and of how many modules, a sentence; "" when all is well. */
const char *pdb_note(const struct pdb *pdb);

#endif
