/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers about the modules of a session that travel inside of it: what a resolver said of the addresses that have
 * samples, and of the functions around them.  Names are as the files have them; whoever asks makes them readable. */
#ifndef SYMBOL_ARCHIVE_H
#define SYMBOL_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"
#include "resolver.h"

enum { SYMBOL_ARCHIVE_VERSION = 2 }; /* 1 is read too */

extern const struct archive_section_kind symbol_archive_kind; /* archive_section.h */

/* Which module of its session it is. */
struct archive_identity {
        uint32_t kind; /* a number of the session's */
        const char *path;
        int32_t pid; /* of the process that it belongs to; 0: of none */
        const uint8_t *build_id;
        uint8_t build_id_size;
        uint64_t dev, inode, start, end;
};

struct archive_facts {
        bool has_image;
        struct resolver_image image; /* with has_image */
        enum object_machine machine;
        bool has_readable_names; /* C++ and Rust names are to be made readable */
        int64_t built_ns;        /* when its file was written; 0: not known */
        const char *name_note;   /* what is wrong with its names, NULL: nothing */
        const char *line_note;   /* the same once its lines were asked for */
        bool is_kept; /* by the recorder, which expected that the file would be gone: where it is not, it knows more */
};

/* What the session's own file said of its end before it was archived. */
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
        size_t next_same; /* number + 1 of the next one whose path has the same hash; 0: none */
};

/* Takes all that the section holds, which is not needed afterwards.  Errors as of archive_section_read. */
struct symbol_archive *symbol_archive_open(struct cursor section, struct err *err);
void symbol_archive_free(struct symbol_archive *archive);
AUTO_DEFINE(symbol_archive)

const struct archive_origin *symbol_archive_origin(const struct symbol_archive *archive);
size_t symbol_archive_n_modules(const struct symbol_archive *archive);
const struct archived_module *symbol_archive_get(const struct symbol_archive *archive, size_t index);

/* NULL: it is not in the archive. */
const struct archived_module *symbol_archive_find(const struct symbol_archive *archive,
                                                  const struct archive_identity *identity);

/* Whether its frames at the address were packed, if only to say that there are none. */
bool symbol_archive_knows(const struct archived_module *module, uint64_t addr);

/* --- Writing -------------------------------------------------------------------------------------- */

struct symbol_archive_writer;

/* Texts are those of `resolver`, which leaves names as the files have them. */
struct symbol_archive_writer *symbol_archive_writer_new(const struct resolver *resolver);
void symbol_archive_writer_free(struct symbol_archive_writer *writer);
AUTO_DEFINE(symbol_archive_writer)

/* Another resolver for the modules that come; the one before is not needed any more. */
void symbol_archive_use(struct symbol_archive_writer *writer, const struct resolver *resolver);

/* The section is to be packed in little time and memory. */
void symbol_archive_set_quick(struct symbol_archive_writer *writer);

/* Begins a module; what is added from now on is of it.  Texts and build ids are copied. */
void symbol_archive_begin(struct symbol_archive_writer *writer, const struct archive_identity *identity,
                          const struct archive_facts *facts);
/* What is wrong with its names once lines were asked for, as in its facts. */
void symbol_archive_set_line_note(struct symbol_archive_writer *writer, const char *note);
void symbol_archive_add_section(struct symbol_archive_writer *writer, const struct resolver_section *section);

/* Offsets in ascending order; one that can't be told gets none, and `is_next` is then false for the one behind it. */
void symbol_archive_add_offset(struct symbol_archive_writer *writer, uint64_t offset, uint64_t addr,
                               bool is_next);

/* Answers for the `step` addresses from `addr` on, in ascending order.  Those that follow each other are kept once. */
void symbol_archive_add_symbol(struct symbol_archive_writer *writer, uint64_t step,
                               const struct symbol *symbol);
/* is_listed: a listing may show the addresses, and their lines then. */
void symbol_archive_add_frames(struct symbol_archive_writer *writer, uint64_t addr, uint64_t step,
                               const struct resolver_frame *frames, size_t n, bool is_listed);

/* Returns the function's number in its module.  Its members, and its first address, have its extents and labels. */
uint32_t symbol_archive_add_function(struct symbol_archive_writer *writer,
                                     const struct resolver_extent *extents, size_t n_extents,
                                     const struct resolver_label *labels, size_t n_labels);
void symbol_archive_add_member(struct symbol_archive_writer *writer, uint64_t addr, uint32_t function);
void symbol_archive_add_code(struct symbol_archive_writer *writer, uint64_t addr, const uint8_t *bytes,
                             uint64_t size);

/* Calls `each` for the source line of every innermost frame that may be listed, with the module's number; more than once for the same. */
typedef void symbol_archive_line_fn(void *ctx, size_t module, const char *path, uint32_t line);
void symbol_archive_each_line(const struct symbol_archive_writer *writer, symbol_archive_line_fn *each,
                              void *ctx);

/* Appends the section; nothing is added afterwards.  ERR_LIMIT. */
bool symbol_archive_write(struct symbol_archive_writer *writer, const struct archive_origin *origin,
                          struct buf *out, struct err *err);

#endif
