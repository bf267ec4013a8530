/* SPDX-License-Identifier: BSD-3-Clause */
/* Build ids of files that are mapped already, so that the records made for them name the same module as the
 * records that the kernel writes later. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux_internal.h"
#include "object.h"

static struct identity read_identity(int32_t pid, const char *path, bool foreign)
{
        char full[4300];
        struct identity identity = {0};
        const struct object_facts *facts;
        AUTO(object) object = NULL;

        if (path[0] != '/' || path[1] == '/')
                return identity;
        snprintf(full, sizeof(full), "/proc/%" PRId32 "/root%s", pid, path);
        object = object_open(foreign ? full : path, NULL);
        if (!object)
                return identity;
        facts = object_get_facts(object);
        if (!facts->build_id_size || facts->build_id_size > BUILD_ID_MAX)
                return identity;
        memcpy(identity.build_id, facts->build_id, facts->build_id_size);
        identity.size = facts->build_id_size;
        return identity;
}

struct identity identities_get(struct identities *all, int32_t pid, const char *path, uint64_t inode,
                               bool foreign)
{
        uint64_t key = map_hash_bytes(path, strlen(path)) ^ map_mix(inode + foreign);
        bool is_new;
        uint64_t *index = map_put(&all->by_file, key, &is_new);

        if (is_new) {
                *index = all->n_items;
                ARRAY_PUSH(all->items, all->n_items, all->cap, read_identity(pid, path, foreign));
        }
        return all->items[*index];
}

void identities_release(struct identities *all)
{
        map_release(&all->by_file);
        free(all->items);
}
