/* SPDX-License-Identifier: BSD-3-Clause */
/* Digests of the files that answers come from. Reading all debug information of a file takes longer than most
 * lookups, so the cache stores the digests of files it has seen, identified by device, inode, size and times
 * of the open file. */
#ifndef ANSWERS_CONTENT_H
#define ANSWERS_CONTENT_H

#include <stdbool.h>

#include "buf.h"
#include "cursor.h"
#include "digest.h"
#include "err.h"
#include "object.h"

enum {
        ANSWERS_N_SOURCE_FILES = 3,
        ANSWERS_SPLIT = 2, /* index of the package of split debug information in answers_sources.files */
        /* how many files are stored per build id and size, as a file may have copies; without a build id, per
         * path */
        ANSWERS_MAX_SEEN = 8,
};

/* The files that answers come from. */
struct answers_sources {
        /* The file with the debug information, which may be the object itself; the file named by
         * .gnu_debugaltlink; the package of split debug information. NULL for none. */
        const struct object *files[ANSWERS_N_SOURCE_FILES];
        /* names the sections that answers depend on, as dwarf_section_name() does */
        const char *(*section_name)(size_t i);
};

/* Computes a digest of the sections that answers come from and of who may change the file. So a file that
 * another user can change while it is read never shares answers with one that only its owner can change.
 * False for an object in memory, and if sections overlap. */
bool answers_content_make(const struct object *object, const char *(*section_name)(size_t i),
                          struct digest *ret_content);

/* Returns the digest from the folder if the file was seen before; else computes it, and stores it in the
 * folder if that saves time. Fails with ERR_UNSUPPORTED in the cases of answers_content_make(), or with
 * another error if the folder cannot be created. */
bool answers_content_find(const char *folder, const struct object *object,
                          const char *(*section_name)(size_t i), struct digest *ret_content, struct err *err);

/* --- The file that remembers them, for tests. */

struct answers_seen {
        struct object_file file;
        struct digest content;
};

/* Newest first. */
struct answers_seen_list {
        struct answers_seen items[ANSWERS_MAX_SEEN];
        size_t n;
};

void answers_seen_add_path(const char *folder, const struct object *object, struct buf *out);

/* Appends the beginning of such a file, which names the object. */
enum { ANSWERS_SEEN_NAME_BYTES = 1 + OBJECT_BUILD_ID_BYTES + 8 };
void answers_seen_add_name(const struct object *object, struct buf *out);

/* False if the file is damaged or for another object. */
bool answers_seen_read(const struct buf *name, struct cursor file, struct answers_seen_list *ret_list);
void answers_seen_write(const struct buf *name, const struct answers_seen_list *list, struct buf *out);

#endif
