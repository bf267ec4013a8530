/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python source lines of a session. A place is a line of a code object. It has an address in a range that
 * no process maps, so that a call chain can contain it like a return address. The feature section
 * FEATURE_WPERF_PYTHON names the places; see docs/session-format.md. */
#ifndef PYTHON_SECTION_H
#define PYTHON_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"

/* The address range of the MMAP2 records of FILE.pysyms. Place i is at PYTHON_PLACES_BASE +
 * PYTHON_PLACE_BYTES * (i + 1). The PYTHON_PLACE_BYTES / 2 bytes on both sides of that address belong to it
 * too, so that the address - 1 still names the same place. */
#define PYTHON_PLACES_BASE       ((uint64_t)1 << 48)
#define PYTHON_PLACES_SIZE_BYTES ((uint64_t)1 << 32)

/* The path in these records if there is no file FILE.pysyms, as in a pipe. The path never exists. */
#define PYTHON_NO_SYMBOLS "/dev/null/pipe.pysyms"

enum {
        PYTHON_PLACE_BYTES = 16,
        PYTHON_MAX_SECTION_BYTES = 64 << 20,
        PYTHON_MAX_TEXT_BYTES = 4096, /* of a name or path; longer ones are truncated */
        PYTHON_MAX_REASONS = 64,
};

/* How many stacks of threads that ran Python show their Python frames. */
struct python_counts {
        uint64_t n_stacks; /* stacks of threads with Python frames */
        uint64_t n_merged; /* of these, stacks with all Python frames inserted; the others stay native */
        uint32_t n_reasons;
        struct python_reason {
                uint64_t count; /* stacks that stay native for this reason */
                const char *text;
        } reasons[PYTHON_MAX_REASONS];
        bool is_approximate; /* Python frames were read while their threads ran */
};

/* --- While recording --- */

struct python_places;

struct python_places *python_places_new(void);
void python_places_free(struct python_places *places);
AUTO_DEFINE(python_places)

/* Returns the address of a line of a code object, which its qualified name, file and first line identify. The
 * same arguments give the same address. `line` is 0 if unknown. Returns 0 if the section is full. */
uint64_t python_places_add(struct python_places *places, const char *function, const char *file,
                           uint32_t first_line, uint32_t line);
size_t python_places_n(const struct python_places *places);

/* Records the size and time of change of a source file, so that a reader can find out whether the file has
 * changed since. To be called once per file. Skips the file if the section is full. */
void python_places_add_file(struct python_places *places, const char *file, uint64_t size_bytes,
                            int64_t mtime_ns);

/* Appends the section. Every reason has a text; there are at most PYTHON_MAX_REASONS. */
void python_places_write(const struct python_places *places, const struct python_counts *counts,
                         struct buf *out);

/* --- Reading --- */

struct python_section_code {
        const char *function, *file; /* point into the section */
        uint32_t first_line;
};

struct python_section_place {
        uint32_t code, line; /* index into codes; line is 0 if unknown */
};

/* A source file as it was while the program ran. */
struct python_section_file {
        const char *path; /* as in codes; points into the section */
        uint64_t size_bytes;
        int64_t mtime_ns; /* since 1970 */
};

struct python_section {
        struct python_counts counts;
        struct python_section_code *codes;
        struct python_section_place *places; /* sorted by address */
        struct python_section_file *files;   /* those that existed */
        size_t n_codes, n_places, n_files;
};

/* The strings point into the section, which must outlive the result. NULL if the section is damaged or of
 * another kind or version. */
struct python_section *python_section_new(struct cursor section);
void python_section_free(struct python_section *section);

/* The code object of the place at an offset from PYTHON_PLACES_BASE; NULL if there is none. */
const struct python_section_code *python_section_code_at(const struct python_section *section,
                                                         uint64_t offset);

/* NULL if the section does not know the file. */
const struct python_section_file *python_section_find_file(const struct python_section *section,
                                                           const char *path);
AUTO_DEFINE(python_section)

#endif
