/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recorder's world forgets about processes that exited, and what it keeps. */
#include "replayed_world.h"
#include "world.h"

static const char *path_at(struct world *w, int32_t pid, uint64_t ip)
{
        const struct module *m = world_get_module(w, world_find(w, pid, PERF_MISC_USER, ip).module);

        return m ? world_text(w, m->path) : "none";
}

static void run_program(struct session_builder *b, uint64_t time, int32_t pid, const char *path)
{
        builder_fork(b, time, pid, 1, pid, 1, 0);
        builder_comm(b, time, pid, pid, path, true);
        builder_mmap(b, time, pid, 0x1000, 0x1000, 0, path);
        builder_mmap(b, time, pid, 0x9000, 0x1000, 0, "/lib/c.so");
        builder_exit(b, time, pid, 1, pid, 1);
}

/* A world that forgets processes after this number of others have exited, and the records of a parent,
 * which is kept. */
static struct world *begin(struct session_builder *b, size_t n_exited)
{
        struct world *w = world_new();

        world_set_exited_limit(w, n_exited);
        builder_init(b);
        builder_mmap(b, 0, 1, 0x1000, 0x1000, 0, "/parent");
        return w;
}

TEST(maps_of_the_processes_that_exited_last_are_there)
{
        struct session_builder b;
        AUTO(world) w = begin(&b, 2);

        run_program(&b, 1, 10, "/a");
        run_program(&b, 2, 11, "/b");
        replay(w, &b);
        EXPECT_STR(world_thread_name(w, 10, 10), "");
        run_program(&b, 3, 12, "/c");
        replay(w, &b);
        EXPECT_STR(path_at(w, 10, 0x1000), "none");
        EXPECT_STR(path_at(w, 11, 0x1000), "/b");
        EXPECT_STR(path_at(w, 12, 0x1000), "/c");
        EXPECT_STR(path_at(w, 1, 0x1000), "/parent");
        /* A pid that is used again. */
        run_program(&b, 4, 10, "/again");
        replay(w, &b);
        EXPECT_STR(path_at(w, 10, 0x1000), "/again");
        builder_release(&b);
}

/* Its main thread exited, and others go on. */
TEST(a_process_that_is_asked_for_is_kept)
{
        struct session_builder b;
        AUTO(world) w = begin(&b, 4);

        run_program(&b, 1, 10, "/threads");
        for (int32_t pid = 20; pid < 100; pid++) {
                run_program(&b, 2, pid, "/other");
                replay(w, &b);
                EXPECT_STR(path_at(w, 10, 0x1000), "/threads");
        }
        for (int32_t pid = 100; pid < 120; pid++)
                run_program(&b, 3, pid, "/other");
        replay(w, &b);
        EXPECT_STR(path_at(w, 10, 0x1000), "none");
        builder_release(&b);
}

/* More than are remembered. */
TEST(of_many_that_are_asked_for_the_oldest_goes)
{
        struct session_builder b;
        AUTO(world) w = begin(&b, 2);

        for (int32_t pid = 10; pid < 13; pid++) {
                run_program(&b, 1, pid, "/threads");
                replay(w, &b);
                for (int32_t asked = 10; asked <= pid; asked++)
                        EXPECT_STR(path_at(w, asked, 0x1000), pid == 12 && asked == 10 ? "none" : "/threads");
        }
        builder_release(&b);
}

TEST(modules_keep_their_ids_until_nobody_maps_them)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        module_id parent, library;
        char path[32];

        world_set_exited_limit(w, 8);
        builder_init(&b);
        builder_comm(&b, 0, 1, 1, "init", false);
        builder_mmap(&b, 0, 1, 0x1000, 0x1000, 0, "/parent");
        builder_mmap(&b, 0, 1, 0x9000, 0x1000, 0, "/lib/c.so");
        replay(w, &b);
        parent = world_find(w, 1, PERF_MISC_USER, 0x1000).module;
        library = world_find(w, 1, PERF_MISC_USER, 0x9000).module;
        for (int32_t pid = 10; pid < 2000; pid++) {
                snprintf(path, sizeof(path), "/tmp/program%d", pid);
                run_program(&b, (uint64_t)pid, pid, path);
                replay(w, &b);
                if (world_n_known_modules(w) > 50)
                        world_forget_unmapped(w);
                for (module_id i = 0; i < world_n_modules(w); i++) /* also those that were forgotten */
                        EXPECT_TRUE(world_text(w, world_get_module(w, i)->path) != NULL);
                EXPECT_STR(path_at(w, pid, 0x1000), path);
                EXPECT_INT(world_find(w, pid, PERF_MISC_USER, 0x9000).module, library);
        }
        EXPECT_INT(world_n_modules(w), 51);
        EXPECT_INT(world_find(w, 1, PERF_MISC_USER, 0x1000).module, parent);
        EXPECT_STR(path_at(w, 1, 0x1000), "/parent");
        EXPECT_STR(world_thread_name(w, 1, 1), "init");
        EXPECT_STR(world_thread_name(w, 0, 0), "swapper");
        builder_release(&b);
}

TEST(the_kernels_modules_are_never_forgotten)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        const struct module *m;

        builder_init(&b);
        builder_kernel_mmap(&b, 0xffffffffc0000000, 0x10000, 0, "[ext4]");
        builder_kernel_mmap(&b, 0, UINT64_MAX, 0xffffffff81000000, "[kernel.kallsyms]_text");
        replay(w, &b);
        world_forget_unmapped(w);
        m = world_get_module(w, world_find(w, 4, PERF_MISC_KERNEL, 0xffffffffc0000005).module);
        EXPECT_TRUE(m && !strcmp(world_text(w, m->path), "[ext4]"));
        m = world_get_module(w, world_find(w, 4, PERF_MISC_KERNEL, 0xffffffff81000005).module);
        EXPECT_TRUE(m && !strcmp(world_text(w, m->path), "[kernel.kallsyms]"));
        EXPECT_INT(world_n_known_modules(w), 2);
        builder_release(&b);
}

TEST(names_that_programs_give_their_threads)
{
        AUTO(world) w = world_new();
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 0, 1, 1, "python3", true);
        builder_fork(&b, 1, 1, 1, 2, 1, 0);
        builder_given_name(&b, 2, 1, 2, "ThreadPoolExecutor-0_0");
        replay(w, &b);
        EXPECT_STR(world_given_name(w, 1, 2), "ThreadPoolExecutor-0_0");
        EXPECT_STR(world_thread_name(w, 1, 2), "python3");
        EXPECT_STR(world_given_name(w, 1, 1), "python3");
        builder_comm(&b, 3, 1, 2, "comm", false);
        replay(w, &b);
        EXPECT_STR(world_given_name(w, 1, 2), "ThreadPoolExecutor-0_0");
        builder_fork(&b, 4, 1, 1, 2, 1, 0); /* another thread with its number */
        replay(w, &b);
        EXPECT_STR(world_given_name(w, 1, 2), "python3");
        builder_given_name(&b, 5, 1, 2, "worker");
        builder_comm(&b, 6, 1, 2, "ls", true); /* what executes a program was not named by it */
        replay(w, &b);
        EXPECT_STR(world_given_name(w, 1, 2), "ls");
        builder_release(&b);
}

TAP_MAIN
