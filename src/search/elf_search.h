/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds ELF files that are not at the path where they were mapped: below another root, in folders that the user names,
 * beside the session, and in perf's cache. */
#ifndef ELF_SEARCH_H
#define ELF_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "object.h"

struct elf_places {
        const char *root;        /* the machine's files lie below this folder; NULL: none */
        const char *const *dirs; /* NULL-terminated; NULL: none */
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
};

/* Below places->root, before the path itself is tried. */
struct object *elf_search_root(const struct elf_wanted *wanted, struct buf *note);

/* When the path itself has not the file: by path and by name in each of places->dirs, by name in session_dir, by build id in
 * perf_cache.  Both take regular files only, which lie inside the folder when links are followed, and whose build id agrees
 * if it is known; perf_cache is asked only then.  NULL when there is none; `note` then tells of the first file that was of
 * another build. */
struct object *elf_search(const struct elf_wanted *wanted, struct buf *note);

#endif
