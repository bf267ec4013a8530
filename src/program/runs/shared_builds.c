/* SPDX-License-Identifier: BSD-3-Clause */
#include "shared_builds.h"

#include <string.h>

#include "text.h"
#include "world.h"

#define SEVERAL UINT64_MAX

struct build_table {
        struct shared_builds *builds;
        enum run_side side;
};

void shared_builds_release(struct shared_builds *builds)
{
        for (int side = RUN_A; side < RUN_N_SIDES; side++)
                map_release(&builds->by_name[side]);
}

static uint64_t key_of(const char *name)
{
        return map_hash_bytes(name, strlen(name));
}

static bool add_build(void *ctx, uint16_t misc, int32_t pid, const uint8_t *id, size_t id_size,
                      const char *path)
{
        struct build_table *table = ctx;
        uint64_t build = map_hash_bytes(id, id_size);
        bool is_new;
        uint64_t *known;

        (void)misc;
        (void)pid;
        known = map_put(&table->builds->by_name[table->side], key_of(text_base_name(path)), &is_new);
        *known = id_size && (is_new || *known == build) ? build : SEVERAL;
        return true;
}

void shared_builds_add(struct shared_builds *builds, enum run_side side, const struct perfdata_reader *reader)
{
        struct build_table table = {builds, side};

        perfdata_each_build_id(reader, add_build, &table);
}

/* The build that all have; SEVERAL if there is none. */
static uint64_t build_of(const struct shared_builds *builds, const char *name)
{
        const uint64_t *a = map_find(&builds->by_name[RUN_A], key_of(name));
        const uint64_t *b = map_find(&builds->by_name[RUN_B], key_of(name));

        return a && b && *a == *b ? *a : SEVERAL;
}

bool shared_builds_have(const struct shared_builds *builds, const char *name)
{
        return build_of(builds, name) != SEVERAL;
}

bool shared_builds_have_module(const struct shared_builds *builds, const struct module *module,
                               const char *path)
{
        uint64_t build = build_of(builds, text_base_name(path));

        return module->build_id_size && build != SEVERAL &&
               build == map_hash_bytes(module->build_id, module->build_id_size);
}
