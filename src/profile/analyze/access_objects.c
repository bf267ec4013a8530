/* SPDX-License-Identifier: BSD-3-Clause */
/* Names what is at the addresses of accesses: variables, and memory that no symbol names. */
#include <stdlib.h>
#include <string.h>

#include "access_rows_internal.h"
#include "map.h"
#include "mem.h"
#include "resolver_code.h"
#include "text.h"

/* What is one object; no padding, so that it can be hashed and compared as bytes. */
struct object_key {
        uint32_t memory;
        int32_t pid;
        module_id module;
        str_id name;
        uint64_t start;
};

_Static_assert(sizeof(struct object_key) == 24, "no padding");

struct object_maker {
        const struct access_rows_request *request;
        struct access_rows *rows;
        struct object_key *keys; /* one for each object */
        size_t n_keys, cap_keys;
        struct map by_hash; /* hash of a key to its number + 1 */
};

static const char *copy(struct access_rows *rows, const char *text)
{
        return arena_copy(&rows->texts, text, strlen(text));
}

static void push(struct object_maker *m, const struct object_key *key, uint64_t size_bytes)
{
        const struct world *world = m->request->world;
        struct access_object object = {.memory = key->memory, .pid = key->pid, .size_bytes = size_bytes};

        if (key->memory == ACCESS_IN_FILE || key->name)
                object.module =
                        copy(m->rows,
                             text_base_name(world_text(world, world_get_module(world, key->module)->path)));
        if (key->name)
                object.name = copy(m->rows, resolver_text(m->request->resolver, key->name));
        ARRAY_PUSH(m->keys, m->n_keys, m->cap_keys, *key);
        ARRAY_PUSH(m->rows->objects, m->rows->n_objects, m->rows->cap_objects, object);
}

static uint32_t find_or_push(struct object_maker *m, const struct object_key *key, uint64_t size_bytes)
{
        for (uint64_t hash = map_hash_bytes(key, sizeof(*key));; hash++) {
                uint64_t *at = map_put(&m->by_hash, hash, NULL);

                if (!*at) {
                        push(m, key, size_bytes);
                        *at = m->n_keys;
                }
                if (!memcmp(&m->keys[*at - 1], key, sizeof(*key)))
                        return (uint32_t)*at - 1;
        }
}

static struct access_object_at object_of(struct object_maker *m, const struct access_data *data)
{
        const struct place_modules *modules = m->request->modules;
        struct object_key key = {.memory = data->memory, .pid = data->pid};
        struct resolver_variable variable = {0};
        uint64_t offset = 0;

        if (data->memory == ACCESS_IN_FILE || data->memory == ACCESS_BEHIND_FILE) {
                key.module = data->module;
                if (resolver_find_variable(m->request->resolver, modules->get(modules->ctx, data->module),
                                           data->addr, &variable)) {
                        key = (struct object_key){.memory = ACCESS_IN_FILE,
                                                  .module = data->module,
                                                  .name = variable.name,
                                                  .start = variable.start};
                        offset = variable.addr - variable.start;
                } else if (data->memory == ACCESS_BEHIND_FILE) {
                        key = (struct object_key){.memory = ACCESS_IN_MAPPING, .pid = data->pid};
                }
        }
        return (struct access_object_at){find_or_push(m, &key, variable.size_bytes), offset};
}

struct access_object_at *access_objects_make(const struct access_rows_request *request,
                                             struct access_rows *rows)
{
        struct object_maker m = {.request = request, .rows = rows};
        size_t n = accesses_n_data(request->accesses);
        struct access_object_at *objects = mem_new(n, sizeof(*objects));

        for (uint32_t i = 1; i < n; i++)
                objects[i] = object_of(&m, accesses_data(request->accesses, i));
        map_release(&m.by_hash);
        free(m.keys);
        return objects;
}
