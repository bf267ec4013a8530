/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are the same build in all sessions. */
#include "shared_builds.h"

#include <string.h>

#include "perfdata_format.h"
#include "session_builder.h"
#include "tap.h"
#include "world.h"

/* "/bin/x": header, pid, 20 bytes of id, its size, path. */
static void add_entry(struct buf *table, uint8_t id, const char *path)
{
        enum { ID_FIELD_BYTES = 24, SIZE_AT = 20, PATH_BYTES = 16 };
        struct perf_header header = {.misc = PERF_MISC_USER | 1u << 15,
                                     .size = sizeof(header) + 4 + ID_FIELD_BYTES + PATH_BYTES};
        uint8_t field[ID_FIELD_BYTES] = {id};

        field[SIZE_AT] = id ? SIZE_AT : 0;
        buf_add(table, &header, sizeof(header));
        buf_add_u32(table, UINT32_MAX);
        buf_add(table, field, sizeof(field));
        buf_add(table, path, strlen(path));
        buf_add_zeros(table, PATH_BYTES - strlen(path));
}

/* A session with a file of each number; 0: of no build. */
static void add_session(struct shared_builds *builds, enum run_side side, const char *path,
                        const uint8_t *ids, size_t n)
{
        struct session_builder b;
        AUTO_RELEASE(buf) table = {0};
        AUTO_RELEASE(buf) file = {0};
        AUTO(perfdata_reader) reader = NULL;

        builder_init(&b);
        for (size_t i = 0; i < n; i++)
                add_entry(&table, ids[i], path);
        builder_feature(&b, FEATURE_BUILD_ID, table.data, table.len);
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", NULL);
        ASSERT_TRUE(reader);
        shared_builds_add(builds, side, reader);
        builder_release(&b);
}

#define ADD(BUILDS, SIDE, PATH, ...)                                                                         \
        add_session(BUILDS, SIDE, PATH, (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

TEST(one_build_in_all_sessions)
{
        AUTO_RELEASE(shared_builds) builds = {0};
        struct module module = {.build_id = {7}, .build_id_size = 20};

        ADD(&builds, RUN_A, "/bin/x", 7);
        EXPECT_TRUE(!shared_builds_have(&builds, "x"));
        ADD(&builds, RUN_A, "/bin/x", 7, 7);
        ADD(&builds, RUN_B, "/tmp/x", 7);
        EXPECT_TRUE(shared_builds_have(&builds, "x"));
        EXPECT_TRUE(!shared_builds_have(&builds, "y"));
        EXPECT_TRUE(shared_builds_have_module(&builds, &module, "/bin/x"));
        module.build_id[0] = 8;
        EXPECT_TRUE(!shared_builds_have_module(&builds, &module, "/bin/x"));
        module.build_id_size = 0;
        EXPECT_TRUE(!shared_builds_have_module(&builds, &module, "/bin/x"));
}

TEST(another_build_in_one_session)
{
        AUTO_RELEASE(shared_builds) builds = {0};

        ADD(&builds, RUN_A, "/bin/x", 7);
        ADD(&builds, RUN_A, "/bin/x", 8);
        ADD(&builds, RUN_A, "/bin/x", 7);
        ADD(&builds, RUN_B, "/bin/x", 7);
        EXPECT_TRUE(!shared_builds_have(&builds, "x"));
        ADD(&builds, RUN_B, "/bin/x", 8);
        EXPECT_TRUE(!shared_builds_have(&builds, "x"));
}

TEST(no_build_is_known)
{
        AUTO_RELEASE(shared_builds) builds = {0};

        ADD(&builds, RUN_A, "/bin/x", 0);
        ADD(&builds, RUN_B, "/bin/x", 0);
        EXPECT_TRUE(!shared_builds_have(&builds, "x"));
}

TAP_MAIN
