/* SPDX-License-Identifier: BSD-3-Clause */
/* The mappings of a process, one by one as /proc/PID/maps has them.  Nothing is allocated, and no more is read than is asked for: some
 * callers look for one mapping while a thread of the process stands. */
#ifndef LINUX_MAPS_H
#define LINUX_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

enum {
        LINUX_MAPS_LINE_BYTES = 100 + 4 * 4096, /* of a path, newlines have four characters */
};

struct linux_map {
        uint64_t start, end;
        uint64_t file_off, inode; /* inode 0: no file */
        uint32_t dev_major, dev_minor;
        bool can_read, can_write, can_execute, is_shared;
        const char *path; /* "[heap]" and the like too; "" for none */
};

struct linux_maps {
        int fd; /* -1: there is no such process, or it may not be looked at */
        size_t at, len;
        char text[LINUX_MAPS_LINE_BYTES + 4096];
};

void linux_maps_begin(struct linux_maps *maps, int32_t pid);

/* By ascending addresses.  The path is valid until the next call.  False at the end. */
bool linux_maps_next(struct linux_maps *maps, struct linux_map *ret);
void linux_maps_end(struct linux_maps *maps);

#endif
