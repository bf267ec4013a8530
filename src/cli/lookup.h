/* SPDX-License-Identifier: BSD-3-Clause */
/* Where names and lines come from besides files: folders with images and PDBs, the index on disk and debuginfod servers,
 * as options and the environment say. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "answers_cache.h"
#include "arena.h"
#include "budget.h"
#include "debuginfod.h"
#include "elf_search.h"
#include "option_groups.h"
#include "pe_search.h"
#include "resolver.h"

struct lookup_options {
        bool no_index;
        bool debuginfod;
        uint64_t debuginfod_ns;         /* 0: the default */
        const char *symbol_path;        /* folders, as _NT_SYMBOL_PATH has them, or NULL */
        const char *symfs;              /* a folder with the files of the session's machine, or NULL */
        const char *pe_file, *pdb_file; /* or NULL */
        uint64_t max_mib;               /* of memory; 0: the default */
};
extern const struct option_group lookup_group;
extern const struct option_group
        lookup_windows_group; /* of the same options, for commands that have no target */

struct lookup {
        struct resolver_sources sources;
        struct budget budget;
        struct buf folder;
        struct answers_cache_options index;
        struct err save_err;           /* why answers could not be kept */
        struct debuginfod *debuginfod; /* NULL: not asked for */
        struct debug_remote remote;
        bool shows_progress;
        struct pe_places places;
        struct elf_places elf_places;
        struct arena names; /* of folders */
        const char **dirs;
        size_t n_dirs, cap_dirs;
        const char **debug_dirs;
        size_t n_debug_dirs, cap_debug_dirs;
};

/* `ret` stays where it is until it is released, after everything that used it.  ERR_MISSING when a file that the options
 * name is not there; releasing it does nothing then. */
bool lookup_init(const struct lookup_options *options, struct lookup *ret, struct err *err);

/* --max-memory in bytes; `max_mib` 0: the default. */
uint64_t lookup_max_bytes(uint64_t max_mib);

#define MAX_MEMORY_OPTION(struct_name)                                                                       \
        {                                                                                                    \
                .name = "max-memory", .kind = OPTION_U64, .arg = "MIB", .min = 1, .max = UINT32_MAX,         \
                .offset = offsetof(struct_name, max_mib),                                                    \
                .help = "use at most MIB MiB for data derived from files; over it leave out long names, "    \
                        "then lines, then names; default 1024, or a quarter of memory if that is less",      \
        }

/* Prints what was in the way of servers and of keeping answers, as warnings. */
void lookup_release(struct lookup *lookup);

#endif
