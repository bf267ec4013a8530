/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources of names and lines besides files: folders with images and PDBs, the symbol cache and debuginfod
 * servers, as options and the environment select them. */
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
        bool debuginfod, no_debuginfod;
        uint64_t debuginfod_ns;  /* 0: default */
        const char *symbol_path; /* folders, as _NT_SYMBOL_PATH has them, or NULL */
        /* a folder with the files of the machine where the session was recorded, or NULL */
        const char *symfs;
        const char *pe_file, *pdb_file; /* or NULL */
        uint64_t max_mib;               /* of memory; 0: default */
};
extern const struct option_group lookup_group;
extern const struct option_group lookup_windows_group; /* the same options, for commands without a target */

struct lookup {
        struct resolver_sources sources;
        struct budget budget;
        struct buf folder;
        struct answers_cache_options index;
        struct err save_err;           /* why the symbol cache could not be written */
        struct debuginfod *debuginfod; /* NULL: not requested */
        struct debug_remote remote;
        bool shows_progress; /* of a download; another thread reads it with __atomic_load_n */
        bool is_browsing;    /* only the browser may draw */
        struct pe_places places;
        struct elf_places elf_places;
        struct arena names; /* names of folders */
        const char **dirs;
        size_t n_dirs, cap_dirs;
        const char **debug_dirs;
        size_t n_debug_dirs, cap_debug_dirs;
};

/* Fills `ret`, which must not be moved and must be released after everything that uses it.  ERR_MISSING if
 * a file that an option names does not exist, ERR_USAGE for options that exclude each other; `ret` then needs
 * no release. */
bool lookup_init(const struct lookup_options *options, struct lookup *ret, struct err *err);

/* The value of --max-memory in bytes; the default if `max_mib` is 0. */
uint64_t lookup_max_bytes(uint64_t max_mib);

#define MAX_MEMORY_OPTION(struct_name)                                                                       \
        {                                                                                                    \
                .name = "max-memory", .kind = OPTION_U64, .arg = "MIB", .min = 1, .max = UINT32_MAX,         \
                .offset = offsetof(struct_name, max_mib),                                                    \
                .help = "use at most MIB MiB for names, lines and code of modules; beyond that leave out "   \
                        "long names, then lines, then names; default 1024, or a quarter of memory if that "  \
                        "is less",                                                                           \
        }

/* Prints as warnings why a debuginfod server was not used and why the symbol cache could not be written. */
void lookup_release(struct lookup *lookup);

#endif
