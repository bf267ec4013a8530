/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in the files that answers come from, as digests.  To read all of a file's debug information takes longer than most
 * look-ups, so the cache remembers the digests of files that it has seen, by what no other file can have: device, inode, size
 * and times of the open file. */
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
        ANSWERS_SPLIT = 2, /* the number of the package of split debug information among them */
        /* That are remembered of one build id and size, a file and its copies; without a build id, of one path. */
        ANSWERS_MAX_SEEN = 8,
};

/* Where answers come from. */
struct answers_sources {
        /* The file with the debug information, which may be the object itself; what .gnu_debugaltlink names; the package
         * of split debug information.  NULL: none. */
        const struct object *files[ANSWERS_N_SOURCE_FILES];
        const char *(*section_name)(
                size_t i); /* of the sections that answers depend on, as dwarf_section_name */
};

/* The digest of the sections that answers come from and of who may change the file: a file that another user can change while
 * it is read never shares answers with one that nobody can.  False for bytes in memory, and where sections overlap. */
bool answers_content_make(const struct object *object, const char *(*section_name)(size_t i),
                          struct digest *ret_content);

/* The same, from the folder if the file was seen before; else it is remembered there, where that pays.  False with ERR_UNSUPPORTED as answers_content_make, and with another error when the folder
 * can't be made. */
bool answers_content_find(const char *folder, const struct object *object,
                          const char *(*section_name)(size_t i), struct digest *ret_content, struct err *err);

/* --- The file that remembers them, for tests. */

struct answers_seen {
        struct object_file file;
        struct digest content;
};

/* The newest first. */
struct answers_seen_list {
        struct answers_seen items[ANSWERS_MAX_SEEN];
        size_t n;
};

void answers_seen_add_path(const char *folder, const struct object *object, struct buf *out);

/* Appends what such a file begins with: whose it is. */
enum { ANSWERS_SEEN_NAME_BYTES = 1 + OBJECT_BUILD_ID_BYTES + 8 };
void answers_seen_add_name(const struct object *object, struct buf *out);

/* False where the file is damaged, or another object's. */
bool answers_seen_read(const struct buf *name, struct cursor file, struct answers_seen_list *ret_list);
void answers_seen_write(const struct buf *name, const struct answers_seen_list *list, struct buf *out);

#endif
