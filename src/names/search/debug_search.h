/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the separate debug file of an object file on this machine, and on the network if the caller allows
 * it. */
#ifndef DEBUG_SEARCH_H
#define DEBUG_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "object.h"

/* The source of files that are not on this machine. */
struct debug_remote {
        /* Appends the path of a file for this build id; `name` is shown to users. */
        bool (*find)(void *ctx, const uint8_t *build_id, size_t build_id_size, const char *name,
                     struct buf *out);
        void *ctx;
};

struct debug_wanted {
        const uint8_t *build_id;
        size_t build_id_size; /* 0: not known */
        const char *path;     /* of the object file */
        struct object *own;   /* the object file; NULL if it can't be read */
        const char *const *dirs;
        const struct debug_remote *remote; /* NULL: only on this machine */
        struct budget *budget;             /* the budget of the file that is found; NULL: it has its own */
};

/* Looks by build id under DIR/.build-id, then by .gnu_debuglink in the folder of the file, in .debug, and
 * under DIR; then asks `remote` by build id.  The result belongs to the object file: its build id is the
 * same, or its CRC if it has no build id.  NULL if there is none; if another file was found, `note` says
 * so. */
struct object *debug_search(const struct debug_wanted *wanted, struct buf *note);

/* The file that .gnu_debugaltlink of a debug file names (dwz): at this path, by build id under
 * DIR/.build-id, or from `remote`, which may be NULL.  NULL if it names none; if the file is missing, NULL
 * and a note. */
struct object *debug_search_alt(struct object *debug, const char *const *dirs,
                                const struct debug_remote *remote, struct buf *note);

#endif
