/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds ELF files that are not at the path where they were mapped: below another root, in folders that the
 * user names, in the folder of the session, and in perf's cache. */
#ifndef ELF_SEARCH_H
#define ELF_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "object.h"

struct elf_places {
        const char *root;        /* a folder that contains the files of the machine; NULL: none */
        const char *const *dirs; /* folders that end with NULL; NULL: none */
        const char *perf_cache;  /* perf's folder of files by build id; NULL: none */
        const char *const
                *debug_dirs; /* where debug files are, as resolver_options has them; NULL: /usr/lib/debug */
};

struct elf_wanted {
        const char *path; /* where the file was mapped */
        const uint8_t *build_id;
        size_t build_id_size;            /* 0: not known */
        const struct elf_places *places; /* NULL: none */
        const char *session_dir;         /* the folder of the session; NULL: none */
        bool is_replaced;                /* the file at `path` is another one now */
};

/* Looks below places->root; to be called before the path itself is tried. */
struct object *elf_search_root(const struct elf_wanted *wanted, struct buf *note);

/* To be called if the file is not at its path.  Looks by path and by file name in each of places->dirs, by
 * file name in session_dir, and by build id in perf_cache.  Both functions take only regular files that are
 * inside the folder after links are followed, and whose build id is the wanted one; perf_cache is only used
 * if the build id is known.  NULL if there is none; then `note` names the first file of another build. */
struct object *elf_search(const struct elf_wanted *wanted, struct buf *note);

#endif
