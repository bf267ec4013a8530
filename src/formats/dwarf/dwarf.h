/* SPDX-License-Identifier: BSD-3-Clause */
/* Debug information (DWARF 2 to 5): looks up functions, inlined functions and source lines of addresses in
 * an object. */
#ifndef DWARF_H
#define DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "object.h"
#include "source_frames.h"

/* Limits for damaged or untrusted files. A unit that exceeds one is left out, with a note. */
enum {
        DWARF_MAX_UNITS = 1 << 20,
        DWARF_MAX_ABBREVS = 1 << 16,   /* in one table */
        DWARF_MAX_ATTRS = 1 << 20,     /* of one table */
        DWARF_MAX_TABLES_PASSES = 4,   /* size of all tables together, as a multiple of their section's */
        DWARF_MAX_DEPTH = 1024,        /* nesting of entries */
        DWARF_MAX_INTERVALS = 1 << 22, /* address ranges in one sorted array */
        DWARF_MAX_FILES = 1 << 20,     /* in one line table; the same limit for folders */
        DWARF_MAX_ENTRY_FORMATS = 255, /* formats of a file's entry in a line table */
        DWARF_MAX_CHAIN = 16,          /* chain of entries that take their name from another entry */
        DWARF_MAX_INDIRECT = 4,        /* DW_FORM_indirect after DW_FORM_indirect */
        DWARF_MAX_PATH_BYTES = 16 * 1024,
        DWARF_MAX_TEXT_BYTES = 64 * 1024, /* length of a name */
        DWARF_MAX_LABELS = 1 << 20,       /* in a function */
        DWARF_MAX_PASSES = 64, /* bytes read in one lookup, as a multiple of the size of all sections */
};

enum {
        /* Must be raised when the frames of an address change: other functions, lines or another order.
         * Then answers in the symbol cache are no longer used. */
        DWARF_ANSWERS_VERSION = 3,
};

struct dwarf;

/* The name, as in object_find_section, of the i-th section from which frames, labels and extents come, in a
 * program, a debug file or a package; NULL after the last one. */
const char *dwarf_section_name(size_t i);

/* Reads the units' headers.  `alt` is the file that .gnu_debugaltlink names, or NULL; both must outlive the
 * reader.  ERR_MISSING: the object has no debug information; ERR_UNSUPPORTED: the object is not linked, or
 * has the other byte order. */
struct dwarf *dwarf_open(struct object *object, struct object *alt, struct err *err);
void dwarf_free(struct dwarf *dwarf);
AUTO_DEFINE(dwarf)

/* Split debug information: the file with the entries of a unit that are not in the program. */
struct dwarf_dwo {
        const char *folder; /* the compiler's working directory, or NULL */
        const char *name;   /* relative to `folder`, or absolute */
        uint64_t id;
};

/* True if the .dwo file has the unit with this id. */
bool dwarf_has_split_unit(struct object *object, uint64_t id);

/* Source of .dwo files; all objects must outlive the reader. */
struct dwarf_split {
        struct object *package; /* a package of .dwo files (FILE.dwp), tried first; NULL: there is none */
        /* returns NULL if the file is missing */
        struct object *(*open_dwo)(void *ctx, const struct dwarf_dwo *dwo);
        void *ctx;
};

/* To be called before the first lookup.  Without it, or if a file is missing, units only have the data of
 * their skeletons: lines. */
void dwarf_set_split(struct dwarf *dwarf, const struct dwarf_split *split);

/* Looks up `n` sorted, distinct addresses.  Each call decodes units and then forgets them, so one call with
 * many addresses is much faster than many calls.  Never fails: damaged parts have no frames, and dwarf_note
 * describes the damage. */
void dwarf_find(struct dwarf *dwarf, const uint64_t *addrs, size_t n, struct source_frames *ret_frames);

/* The labels of the outermost function that contains `addr`, without those of functions inlined into it:
 * sorted by address; labels without an address come last, sorted by line.  Texts live as long as the
 * reader.  The caller frees *ret_labels (free()). Returns their number, 0 if not known. */
size_t dwarf_find_labels(struct dwarf *dwarf, uint64_t addr, struct source_label **ret_labels);

/* All address ranges of that function, sorted: also the .cold part.  The caller frees *ret_extents
 * (free()).  Returns their number, 0 if not known. */
size_t dwarf_find_extents(struct dwarf *dwarf, uint64_t addr, struct source_extent **ret_extents);

/* The MD5 checksum of a source file (16 bytes; DWARF 5, section 6.2.4.1), by a path of a frame that was
 * looked up; NULL if it is not known. */
const uint8_t *dwarf_source_md5(const struct dwarf *dwarf, const char *path);

/* Describes the first damage, and says how many units are damaged and how many .dwo files are missing:
 * sentences separated by newlines; "" if there is nothing to say. */
const char *dwarf_note(const struct dwarf *dwarf);

#endif
