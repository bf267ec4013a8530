/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers about the modules of a session, stored in it: results of the resolver for the sampled addresses
 * and the functions that contain them.  Names are as in the files; the reader makes them readable. */
#ifndef SYMBOL_ARCHIVE_H
#define SYMBOL_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "budget.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"
#include "resolver.h"
#include "resolver_code.h"
#include "resolver_facts.h"

enum { SYMBOL_ARCHIVE_VERSION = 2 }; /* 1 can be read, too */

extern const struct archive_section_kind symbol_archive_kind; /* archive_section.h */

/* Identifies a module of the session. */
struct archive_identity {
        uint32_t kind; /* a number defined by the session */
        const char *path;
        int32_t pid; /* process of the module; 0: none */
        const uint8_t *build_id;
        uint8_t build_id_size;
        uint64_t dev, inode, start, end;
};

struct archive_facts {
        bool has_image;
        struct resolver_image image; /* valid with has_image */
        enum object_machine machine;
        bool has_readable_names; /* C++ and Rust names should be made readable */
        int64_t built_ns;        /* when its file was written; 0: not known */
        const char *name_note;   /* problems of its names; NULL: none */
        const char *line_note;   /* the same, after its lines were looked up */
        /* by the recorder, because the file was lost; if a file is available, it has more names */
        bool is_kept;
};

/* State of the end of the original session when it was archived. */
struct archive_origin {
        bool is_unfinished;
        uint64_t cut_bytes;
};

/* --- Reading -------------------------------------------------------------------------------------- */

struct symbol_archive;
struct module_answers; /* answers_store.h */

struct archived_module {
        const struct module_answers *answers;
        struct archive_identity identity;
        struct archive_facts facts;
        size_t next_same; /* number + 1 of the next module whose path has the same hash; 0: none */
};

/* Reads the whole section, which is not needed afterwards, with memory from `budget` (NULL: no limit but
 * its own), which outlives the archive.  Errors as in archive_section_read. */
struct symbol_archive *symbol_archive_open(struct cursor section, struct budget *budget, struct err *err);
void symbol_archive_free(struct symbol_archive *archive);
AUTO_DEFINE(symbol_archive)

const struct archive_origin *symbol_archive_origin(const struct symbol_archive *archive);
size_t symbol_archive_n_modules(const struct symbol_archive *archive);
const struct archived_module *symbol_archive_get(const struct symbol_archive *archive, size_t index);

/* NULL if it is not in the archive. */
const struct archived_module *symbol_archive_find(const struct symbol_archive *archive,
                                                  const struct archive_identity *identity);

/* Whether the frames at the address were packed; there may be no frames. */
bool symbol_archive_knows(const struct archived_module *module, uint64_t addr);

/* --- Writing -------------------------------------------------------------------------------------- */

struct symbol_archive_writer;

/* Texts belong to `resolver`, which must not change names of files. */
struct symbol_archive_writer *symbol_archive_writer_new(const struct resolver *resolver);
void symbol_archive_writer_free(struct symbol_archive_writer *writer);
AUTO_DEFINE(symbol_archive_writer)

/* Sets the resolver for the next modules; the one before is not needed any more. */
void symbol_archive_use(struct symbol_archive_writer *writer, const struct resolver *resolver);

/* Packs the section with less time and memory. */
void symbol_archive_set_quick(struct symbol_archive_writer *writer);

/* Begins a module; the following calls add to it.  Texts and build ids are copied. */
void symbol_archive_begin(struct symbol_archive_writer *writer, const struct archive_identity *identity,
                          const struct archive_facts *facts);
/* Sets the note about its names after lines were looked up. */
void symbol_archive_set_line_note(struct symbol_archive_writer *writer, const char *note);
void symbol_archive_add_section(struct symbol_archive_writer *writer, const struct resolver_section *section);

/* Offsets in ascending order.  For an offset whose address is not known nothing is added; then `is_next` is
 * false in the next call. */
void symbol_archive_add_offset(struct symbol_archive_writer *writer, uint64_t offset, uint64_t addr,
                               bool is_next);

/* Answers for the `step` addresses from `addr` on, in ascending order.  Equal answers for neighbouring
 * ranges are stored once. */
void symbol_archive_add_symbol(struct symbol_archive_writer *writer, uint64_t step,
                               const struct symbol *symbol);
/* is_listed: listings may show the addresses, so their source lines are needed. */
void symbol_archive_add_frames(struct symbol_archive_writer *writer, uint64_t addr, uint64_t step,
                               const struct resolver_frame *frames, size_t n, bool is_listed);

/* Returns the function's number in its module.  Its extents and labels are stored for its members and its
 * first address. */
uint32_t symbol_archive_add_function(struct symbol_archive_writer *writer,
                                     const struct resolver_extent *extents, size_t n_extents,
                                     const struct resolver_label *labels, size_t n_labels);
void symbol_archive_add_member(struct symbol_archive_writer *writer, uint64_t addr, uint32_t function);
void symbol_archive_add_code(struct symbol_archive_writer *writer, uint64_t addr, const uint8_t *bytes,
                             uint64_t size);

/* Calls `each` for the source line of every innermost frame in listings, with the module's number; possibly
 * several times for a line. */
typedef void symbol_archive_line_fn(void *ctx, size_t module, const char *path, uint32_t line);
void symbol_archive_each_line(const struct symbol_archive_writer *writer, symbol_archive_line_fn *each,
                              void *ctx);

/* Appends the section; nothing may be added afterwards.  ERR_LIMIT. */
bool symbol_archive_write(struct symbol_archive_writer *writer, const struct archive_origin *origin,
                          struct buf *out, struct err *err);

#endif
