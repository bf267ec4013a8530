/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_maps.h"

#include <stdlib.h>

#include "linux_maps.h"
#include "mem.h"

void wait_maps_init(struct wait_maps *maps, int32_t pid)
{
        struct linux_maps reader;
        struct linux_map map;

        *maps = (struct wait_maps){0};
        linux_maps_begin(&reader, pid);
        while (linux_maps_next(&reader, &map)) {
                const struct wait_map one = {.start = map.start,
                                             .end = map.end,
                                             .can_read = map.can_read,
                                             .can_write = map.can_write,
                                             .can_execute = map.can_execute};

                ARRAY_PUSH(maps->items, maps->n, maps->cap, one);
        }
        linux_maps_end(&reader);
}

void wait_maps_release(struct wait_maps *maps)
{
        free(maps->items);
        *maps = (struct wait_maps){0};
}

const struct wait_map *wait_maps_find(const struct wait_maps *maps, uint64_t addr)
{
        size_t low = 0, high = maps->n;

        while (low < high) {
                size_t middle = (low + high) / 2;

                if (maps->items[middle].end <= addr)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low < maps->n && maps->items[low].start <= addr ? &maps->items[low] : NULL;
}
