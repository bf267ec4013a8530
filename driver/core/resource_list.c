/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts of 64-bit Windows, with members aligned to 4 bytes. */
#include "resource_list.h"

#include <string.h>

enum { MEMORY = 3 /* CmResourceTypeMemory */ };

struct list_header {
        uint32_t n; /* buses, each with a header and its resources */
};

struct bus_header {
        uint32_t type, number;
        uint16_t version, revision;
        uint32_t n; /* resources */
};

struct resource {
        uint8_t type, sharing;
        uint16_t flags;
        uint8_t first[8];
        uint32_t bytes;
        uint32_t rest;
};

_Static_assert(sizeof(struct bus_header) == 16 && sizeof(struct resource) == 20,
               "CM_FULL_RESOURCE_DESCRIPTOR");

/* Copies the next `bytes` bytes of the list. */
static bool take(const unsigned char **at, size_t *left, void *out, size_t bytes)
{
        if (*left < bytes)
                return false;
        memcpy(out, *at, bytes);
        *at += bytes;
        *left -= bytes;
        return true;
}

bool resource_list_find_memory(const void *list, size_t size, uint64_t *ret_first, uint32_t *ret_bytes)
{
        const unsigned char *at = list;
        struct list_header header;
        struct bus_header bus;

        if (!take(&at, &size, &header, sizeof(header)))
                return false;
        for (uint32_t i = 0; i < header.n && take(&at, &size, &bus, sizeof(bus)); i++) {
                struct resource resource;

                for (uint32_t k = 0; k < bus.n; k++) {
                        if (!take(&at, &size, &resource, sizeof(resource)))
                                return false;
                        if (resource.type != MEMORY || !resource.bytes)
                                continue;
                        memcpy(ret_first, resource.first, sizeof(*ret_first));
                        *ret_bytes = resource.bytes;
                        return *ret_first <= UINT64_MAX - resource.bytes;
                }
        }
        return false;
}
