/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the mappings of a process one by one from /proc/PID/maps. Allocates nothing and reads no more than
 * needed: some callers look for one mapping while a thread of the process is stopped. */
#ifndef LINUX_MAPS_H
#define LINUX_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

enum {
        /* the length of a path, in which a newline takes four characters */
        LINUX_MAPS_LINE_BYTES = 100 + 4 * 4096,
};

struct linux_map {
        uint64_t start, end;
        uint64_t file_off, inode; /* inode 0: no file */
        uint32_t dev_major, dev_minor;
        bool can_read, can_write, can_execute, is_shared;
        const char *path; /* also "[heap]" and others in brackets; "" for none */
};

struct linux_maps {
        int fd; /* -1: the process does not exist, or its maps may not be read, or are locked */
        size_t at, len;
        char text[LINUX_MAPS_LINE_BYTES + 4096];
};

void linux_maps_begin(struct linux_maps *maps, int32_t pid);

/* Returns the next mapping, in order of addresses; false at the end. The path is valid until the next
 * call. */
bool linux_maps_next(struct linux_maps *maps, struct linux_map *ret);
void linux_maps_end(struct linux_maps *maps);

#endif
