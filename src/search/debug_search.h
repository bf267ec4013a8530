/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the separate debug file of an object file: on this machine, and where the caller says so on the network. */
#ifndef DEBUG_SEARCH_H
#define DEBUG_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "object.h"

/* Who is asked for what is not on this machine. */
struct debug_remote {
        /* Appends the path of a file for this build id; `name` is what users know the object by. */
        bool (*find)(void *ctx, const uint8_t *build_id, size_t build_id_size, const char *name,
                     struct buf *out);
        void *ctx;
};

struct debug_wanted {
        const uint8_t *build_id;
        size_t build_id_size; /* 0: not known */
        const char *path;     /* of the object file */
        struct object *own;   /* the object file; NULL when it can't be had */
        const char *const *dirs;
        const struct debug_remote *remote; /* NULL: nobody is asked */
        struct budget *budget;             /* of what is found; NULL: one of its own */
};

/* By build id under DIR/.build-id, then by .gnu_debuglink beside the file, in .debug, and under DIR; then from
 * `remote` by build id.  What is returned belongs to the object file: its build id agrees, or its CRC where there is
 * none.  NULL when there is none; `note` then says so if a file was there but another one. */
struct object *debug_search(const struct debug_wanted *wanted, struct buf *note);

/* The file that .gnu_debugaltlink of a debug file names (dwz), there, by build id under DIR/.build-id, or from
 * `remote`, which may be NULL.  NULL when it names none, or with a note when what it names is not there. */
struct object *debug_search_alt(struct object *debug, const char *const *dirs,
                                const struct debug_remote *remote, struct buf *note);

#endif
