/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that the modules of a session may need. */
#include "replayed_world.h"
#include "tap.h"
#include "world.h"

/* Two processes with the same 100 modules. */
static void replay_many(struct world *w)
{
        struct session_builder b;

        builder_init(&b);
        for (uint64_t i = 0; i < 100; i++) {
                char path[32];

                snprintf(path, sizeof(path), "/lib/%d.so", (int)i);
                builder_mmap(&b, 0, 1, 0x10000 * (i + 1), 0x1000, 0, path);
                builder_mmap(&b, 0, 2, 0x10000 * (i + 1), 0x1000, 0, path);
        }
        replay(w, &b);
        builder_release(&b);
}

TEST(modules_are_limited_by_what_lookups_in_them_need)
{
        AUTO(world) all = world_new();
        AUTO(world) limited = world_new();

        replay_many(all);
        world_limit_lookups(limited, world_lookup_bytes(all) / 2);
        replay_many(limited);
        EXPECT_TRUE(!world_has_left_out(all) && world_has_left_out(limited));
        EXPECT_INT(world_n_modules(all), 100);
        EXPECT_TRUE(world_n_modules(limited) > 45 && world_n_modules(limited) < 55);
        EXPECT_TRUE(world_find(limited, 2, PERF_MISC_USER, 0x10000).module != MODULE_NONE);
        EXPECT_TRUE(world_find(limited, 2, PERF_MISC_USER, 0x10000 * 100).module == MODULE_NONE);
}

TAP_MAIN
