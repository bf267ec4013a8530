/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of archive: what functions there are and the answers about them (archive_pack.c), and lines of source
 * files (archive_source.c). */
#ifndef ARCHIVE_INTERNAL_H
#define ARCHIVE_INTERNAL_H

#include "archive.h"
#include "disasm.h"
#include "map.h"
#include "module_source.h"
#include "report.h"
#include "source_archive.h"
#include "symbol_archive.h"

enum {
        /* A longer one is guessed, or generated: no more than its samples are packed. */
        ARCHIVE_MAX_FUNCTION_BYTES = 4 << 20,
};

/* An address that was sampled, or that a sample's stack or branches have. */
struct archive_place {
        uint64_t offset, addr, weight;
        bool is_sampled, has_addr;
        uint32_t function; /* of its module; UINT32_MAX: none, or not sampled */
};

struct archive_function {
        uint32_t module; /* of the list */
        struct resolver_extent *extents;
        size_t n_extents;
        uint64_t size_bytes, weight;
        bool is_whole; /* all of its addresses are packed */
};

struct archive_module {
        module_id module;
        resolver_id id;
        struct buf name_note;
        bool has_name_note;
        bool is_named_only; /* no frames, and nothing of functions: its debug information is not read */
        struct archive_place *places; /* by offset */
        size_t n_places, cap_places;
        uint32_t *functions; /* numbers in the list of all */
        size_t n_functions, cap_functions;
};

struct archive_pack {
        struct report *report; /* NULL: the modules are those of a session that is being recorded */
        struct module_source *source;
        const struct world *world;
        struct resolver *resolver;
        struct map index_of; /* module -> index + 1, while places are added */
        struct archive_module *modules;
        size_t n_modules, cap_modules;
        struct archive_function *functions;
        size_t n_functions, cap_functions;
        struct disasm *disasms[2]; /* enum disasm_arch */
        bool has_no_disasm;
        size_t n_refused_sources; /* files that not all users may read */
};

/* Lists modules, addresses and functions of a report with raw names, which outlives it. */
void archive_pack_init(struct archive_pack *pack, struct report *report);

/* The same step by step, without a report: all modules, their places, and the end of these.  `source` and `world` outlive the
 * pack. */
void archive_pack_begin(struct archive_pack *pack, struct module_source *source, const struct world *world);
void archive_pack_add_module(struct archive_pack *pack, module_id module, bool is_named_only);
/* Ignored where the module was not added. */
void archive_pack_add_place(struct archive_pack *pack, module_id module, const struct archive_place *place);
void archive_pack_end_places(struct archive_pack *pack);
void archive_pack_release(struct archive_pack *pack);

/* Chooses the hottest functions, with `code_bytes` of code in all, to be packed whole; returns how many. */
size_t archive_pack_choose(struct archive_pack *pack, uint64_t code_bytes);

/* The code of all functions together. */
uint64_t archive_pack_code_bytes(const struct archive_pack *pack);

/* Asks everything about the functions that were chosen and the addresses of the others.  The writer uses the resolver of the
 * pack. */
void archive_pack_write(struct archive_pack *pack, struct symbol_archive_writer *writer);

/* The source lines of what was packed, and those around them that a listing shows. */
struct source_archive_writer *archive_source_make(struct archive_pack *pack,
                                                  const struct symbol_archive_writer *packed,
                                                  const struct archive_request *request);

#endif
