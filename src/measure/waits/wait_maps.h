/* SPDX-License-Identifier: BSD-3-Clause */
/* The mappings of a process, to see what an address points to. */
#ifndef WAIT_MAPS_H
#define WAIT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wait_map {
        uint64_t start, end;
        bool can_read, can_write, can_execute;
};

struct wait_maps {
        struct wait_map *items; /* in order of addresses */
        size_t n, cap;
};

/* Reads them; there are none if the process has ended or its maps may not be read. */
void wait_maps_init(struct wait_maps *maps, int32_t pid);
void wait_maps_release(struct wait_maps *maps);

/* NULL if nothing is mapped at the address. */
const struct wait_map *wait_maps_find(const struct wait_maps *maps, uint64_t addr);

#endif
