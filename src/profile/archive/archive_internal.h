/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of archive: the functions and the answers about them (archive_pack.c), and the lines of
 * source files (archive_source.c). */
#ifndef ARCHIVE_INTERNAL_H
#define ARCHIVE_INTERNAL_H

#include "archive.h"
#include "disasm.h"
#include "map.h"
#include "module_source.h"
#include "report.h"
#include "resolver_code.h"
#include "source_archive.h"
#include "symbol_archive.h"

enum {
        /* Longer functions are guessed or generated; only their samples are packed. */
        ARCHIVE_MAX_FUNCTION_BYTES = 4 << 20,
};

/* An address in a sample, in its stack or in its branches. */
struct archive_place {
        uint64_t offset, addr, weight;
        bool is_sampled, has_addr;
        /* index in the module's functions; UINT32_MAX if there is none, or the address is not sampled */
        uint32_t function;
};

struct archive_function {
        uint32_t module; /* index in the list of modules */
        struct resolver_extent *extents;
        size_t n_extents;
        uint64_t size_bytes, weight;
        bool is_whole; /* all its addresses are packed */
};

struct archive_module {
        module_id module;
        resolver_id id;
        struct buf name_note;
        bool has_name_note;
        /* pack only symbols, no frames and functions, and do not read its debug information */
        bool is_named_only;
        struct archive_place *places; /* sorted by offset */
        size_t n_places, cap_places;
        uint32_t *functions; /* indexes in archive_pack.functions */
        size_t n_functions, cap_functions;
};

struct archive_pack {
        struct report *report; /* NULL if the session is still being recorded */
        struct module_source *source;
        const struct world *world;
        struct resolver *resolver;
        struct map index_of; /* module to index + 1, while places are added */
        struct archive_module *modules;
        size_t n_modules, cap_modules;
        struct archive_function *functions;
        size_t n_functions, cap_functions;
        struct disasm *disasms[2]; /* enum disasm_arch */
        bool has_no_disasm;
        size_t n_refused_sources;  /* files that are not readable by all users */
        size_t n_unproven_sources; /* files that nothing names that can be checked */
        struct buf source_files;   /* those whose lines were taken, one a line */
};

/* Lists the modules, addresses and functions of a report, which must have mangled names and outlive the
 * pack. */
void archive_pack_init(struct archive_pack *pack, struct report *report);

/* The same in steps, without a report: begin, add all modules, add their places, end. `source` and `world`
 * must outlive the pack. */
void archive_pack_begin(struct archive_pack *pack, struct module_source *source, const struct world *world);
void archive_pack_add_module(struct archive_pack *pack, module_id module, bool is_named_only);
/* Ignores a place in a module that was not added. */
void archive_pack_add_place(struct archive_pack *pack, module_id module, const struct archive_place *place);
void archive_pack_end_places(struct archive_pack *pack);
void archive_pack_release(struct archive_pack *pack);

/* Chooses the hottest functions to be packed whole, `code_bytes` of code in total. Returns their number. */
size_t archive_pack_choose(struct archive_pack *pack, uint64_t code_bytes);

/* The size of all functions together. */
uint64_t archive_pack_code_bytes(const struct archive_pack *pack);

/* The size of all files that have functions. */
uint64_t archive_pack_file_bytes(const struct archive_pack *pack);

/* Looks up everything about the chosen functions, and the addresses of the others. The writer must use the
 * pack's resolver. */
void archive_pack_write(struct archive_pack *pack, struct symbol_archive_writer *writer);

/* Makes an archive of the source lines of the packed code, and of the lines around them that a listing
 * shows. */
struct source_archive_writer *archive_source_make(struct archive_pack *pack,
                                                  const struct symbol_archive_writer *packed,
                                                  const struct archive_request *request);

#endif
