/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python places of a session: a place is a line of a code object, and has an address where no process maps anything, so
 * that a call chain holds it as it holds a return address.  The feature section FEATURE_WPERF_PYTHON names them.
 * docs/session-format.md. */
#ifndef PYTHON_SECTION_H
#define PYTHON_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"

/* Where the MMAP2 records of FILE.pysyms lie.  Place i is at PYTHON_PLACES_BASE + PYTHON_PLACE_BYTES * (i + 1); the half of
 * PYTHON_PLACE_BYTES on both sides of it is its own, so that an address less 1 is still of the same place. */
#define PYTHON_PLACES_BASE       ((uint64_t)1 << 48)
#define PYTHON_PLACES_SIZE_BYTES ((uint64_t)1 << 32)

enum {
        PYTHON_PLACE_BYTES = 16,
        PYTHON_MAX_SECTION_BYTES = 64 << 20,
        PYTHON_MAX_TEXT_BYTES = 4096, /* of a name or path; what is longer is cut */
        PYTHON_MAX_REASONS = 64,
};

/* How many stacks of threads that ran Python have their Python frames. */
struct python_counts {
        uint64_t n_stacks; /* of threads with Python frames */
        uint64_t n_merged; /* of these, with all Python frames in their places; the others stay native */
        uint32_t n_reasons;
        struct python_reason {
                uint64_t count; /* stacks that stay native */
                const char *text;
        } reasons[PYTHON_MAX_REASONS];
};

/* --- While recording --- */

struct python_places;

struct python_places *python_places_new(void);
void python_places_free(struct python_places *places);
AUTO_DEFINE(python_places)

/* The address of a line of a code object, which is known by its (qualified) name, its file and its first line.  The same
 * arguments give the same address.  0: the section is full.  Line 0: not known. */
uint64_t python_places_add(struct python_places *places, const char *function, const char *file,
                           uint32_t first_line, uint32_t line);
size_t python_places_n(const struct python_places *places);

/* Of a source file of some place: what is kept to tell later whether it has changed.  Once for each file; it is left out where the
 * section is full. */
void python_places_add_file(struct python_places *places, const char *file, uint64_t size_bytes,
                            int64_t mtime_ns);

/* Appends the section.  Reasons have texts; at most PYTHON_MAX_REASONS. */
void python_places_write(const struct python_places *places, const struct python_counts *counts,
                         struct buf *out);

/* --- Reading --- */

struct python_section_code {
        const char *function, *file; /* in the section */
        uint32_t first_line;
};

struct python_section_place {
        uint32_t code, line; /* index of the code; line 0: not known */
};

/* A source file as it was while the program ran. */
struct python_section_file {
        const char *path; /* as codes have it, in the section */
        uint64_t size_bytes;
        int64_t mtime_ns; /* since 1970 */
};

struct python_section {
        struct python_counts counts;
        struct python_section_code *codes;
        struct python_section_place *places; /* in the order of their addresses */
        struct python_section_file *files;   /* those that were there */
        size_t n_codes, n_places, n_files;
};

/* Texts lie in the section, which the caller keeps.  NULL where it is of another kind or version, or damaged. */
struct python_section *python_section_new(struct cursor section);
void python_section_free(struct python_section *section);

/* NULL: nothing is known of the file. */
const struct python_section_file *python_section_find_file(const struct python_section *section,
                                                           const char *path);
AUTO_DEFINE(python_section)

#endif
