/* SPDX-License-Identifier: BSD-3-Clause */
/* Debug information (DWARF 2 to 5): addresses of an object to functions, inlined functions and source lines. */
#ifndef DWARF_H
#define DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "object.h"
#include "source_frames.h"

/* What a hostile file cannot get past.  A unit that does is left out, with a note. */
enum {
        DWARF_MAX_UNITS = 1 << 20,
        DWARF_MAX_ABBREVS = 1 << 16,   /* in one table */
        DWARF_MAX_ATTRS = 1 << 20,     /* of one table */
        DWARF_MAX_TABLES_PASSES = 4,   /* size of all tables together, as a multiple of their section's */
        DWARF_MAX_DEPTH = 1024,        /* entries inside each other */
        DWARF_MAX_INTERVALS = 1 << 22, /* address ranges in one sorted array */
        DWARF_MAX_FILES = 1 << 20,     /* of one line table, and as many folders */
        DWARF_MAX_ENTRY_FORMATS = 255, /* parts of a file's entry in a line table */
        DWARF_MAX_CHAIN = 16,          /* entries that only refer to another one for their name */
        DWARF_MAX_INDIRECT = 4,        /* forms that only say which form it is */
        DWARF_MAX_PATH_BYTES = 16 * 1024,
        DWARF_MAX_TEXT_BYTES = 64 * 1024, /* of a name */
        DWARF_MAX_LABELS = 1 << 20,       /* of a function */
        DWARF_MAX_PASSES = 64, /* bytes read in one look-up, as a multiple of the size of all sections */
};

enum {
        /* Raised whenever the frames of an address change: another one of its functions, lines or their order.  Answers
         * that were kept on disk are then not believed any more. */
        DWARF_ANSWERS_VERSION = 2,
};

struct dwarf;

/* The i-th section, as object_find_section has its name, that frames, labels and extents come from, in a program, a debug file
 * or a package; NULL after the last one. */
const char *dwarf_section_name(size_t i);

/* Reads the units' headers.  `alt` is the file that .gnu_debugaltlink names, or NULL; both must outlive the
 * reader.  ERR_MISSING when the object has no debug information; ERR_UNSUPPORTED for one that is not linked or is
 * of the other byte order. */
struct dwarf *dwarf_open(struct object *object, struct object *alt, struct err *err);
void dwarf_free(struct dwarf *dwarf);
AUTO_DEFINE(dwarf)

/* Split debug information: which file has the entries that a unit leaves out. */
struct dwarf_dwo {
        const char *folder; /* the compiler's working directory, or NULL */
        const char *name;   /* from there, or absolute */
        uint64_t id;
};

/* True when the .dwo file has the unit of that id. */
bool dwarf_has_split_unit(struct object *object, uint64_t id);

/* Where .dwo files come from; all objects must outlive the reader. */
struct dwarf_split {
        struct object *package; /* of .dwo files (FILE.dwp), asked first; NULL: there is none */
        struct object *(*open_dwo)(void *ctx, const struct dwarf_dwo *dwo); /* NULL when it is not there */
        void *ctx;
};

/* Before the first look-up.  Without it, and where a file is missing, units have what their skeletons have: lines. */
void dwarf_set_split(struct dwarf *dwarf, const struct dwarf_split *split);

/* Looks up `n` sorted, distinct addresses.  Units are decoded once a call and forgotten, so one call with many
 * addresses is much cheaper than many calls.  Never fails: what is damaged has no frames and is in the note. */
void dwarf_find(struct dwarf *dwarf, const uint64_t *addrs, size_t n, struct source_frames *ret_frames);

/* The labels of the outermost function that has the code at `addr`, not of those inlined into it: by address, those
 * without one behind them by line.  Texts live as long as the reader.  The caller frees *ret_labels (free()).
 * Returns their number, 0 where nothing is known. */
size_t dwarf_find_labels(struct dwarf *dwarf, uint64_t addr, struct source_label **ret_labels);

/* All of that function's code by address: the part that runs often and the .cold one.  The caller frees
 * *ret_extents (free()).  Returns their number, 0 where nothing is known. */
size_t dwarf_find_extents(struct dwarf *dwarf, uint64_t addr, struct source_extent **ret_extents);

/* The first damage that was met and of how many units, then how many units' .dwo files are missing: sentences
 * separated by newlines; "" when all is well. */
const char *dwarf_note(const struct dwarf *dwarf);

#endif
