/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "os.h"
#include "tap.h"

static bool write_file(const char *path, size_t size)
{
        struct os_file *file = os_file_create(path, NULL);
        char *bytes = malloc(size + 1);
        bool ok;

        memset(bytes, 'x', size);
        ok = os_file_write(file, bytes, size, NULL);
        free(bytes);
        return os_file_close(file, NULL) && ok;
}

TEST(map_of_a_file_that_shrinks)
{
        struct err err = {0};
        struct os_map *map;

        ASSERT_TRUE(write_file("shrink.tmp", 100000));
        map = os_map_open("shrink.tmp", &err);
        ASSERT_TRUE(map);
        EXPECT_INT(map->size_bytes, 100000);
        EXPECT_TRUE(os_map_check(map, "shrink.tmp", &err));
#ifndef _WIN32
        ASSERT_TRUE(write_file("shrink.tmp", 10));
        EXPECT_INT(map->bytes[99999], 0);
        EXPECT_TRUE(os_map_shrank(map));
        EXPECT_TRUE(!os_map_check(map, "shrink.tmp", &err));
        EXPECT_STR(err.text, "shrink.tmp: became shorter while it was read");
#endif
        os_map_free(map);
        EXPECT_TRUE(os_remove("shrink.tmp", NULL));
}

#ifndef _WIN32
/* A copy keeps what it has read. */
TEST(map_by_reading)
{
        struct err err = {0};
        struct os_map *map;

        os_map_by_reading(true);
        ASSERT_TRUE(write_file("copy.tmp", 100000));
        ASSERT_TRUE(map = os_map_open("copy.tmp", &err));
        ASSERT_TRUE(write_file("copy.tmp", 10));
        EXPECT_TRUE(map->size_bytes == 100000 && map->bytes[99999] && !os_map_shrank(map));
        EXPECT_TRUE(!os_map_check(map, "copy.tmp", &err));
        os_map_free(map);
        os_map_by_reading(false);
        EXPECT_TRUE(os_remove("copy.tmp", NULL));
}
#endif

TEST(map_refuses_what_is_no_file)
{
        struct err err = {0};

        EXPECT_TRUE(!os_map_open("no/such/file", &err));
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_CONTAINS(err.text, "no/such/file");
        EXPECT_TRUE(!os_map_open(".", &err));
}

TEST(files_are_written_and_listed)
{
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};
        struct os_stat st;
        struct os_file *file = os_file_create("file.tmp", &err);

        ASSERT_TRUE(file);
        EXPECT_TRUE(os_file_write(file, "hello world", 11, &err));
        EXPECT_TRUE(os_file_write_at(file, 0, "J", 1, &err));
        EXPECT_TRUE(os_file_truncate(file, 5, &err));
        EXPECT_TRUE(os_file_write(file, "!", 1, &err));
        EXPECT_TRUE(os_file_can_seek(file));
        EXPECT_TRUE(os_file_close(file, &err));
        EXPECT_TRUE(os_read_file("file.tmp", 100, &out, &err));
        EXPECT_STR(buf_text(&out), "Jello!");
        EXPECT_TRUE(!os_read_file("file.tmp", 3, &out, &err));
        EXPECT_INT(err.code, ERR_LIMIT);
        EXPECT_TRUE(os_rename("file.tmp", "file2.tmp", &err));
        EXPECT_TRUE(os_stat("file2.tmp", &st) && st.size_bytes == 6 && st.is_file);
        EXPECT_TRUE(!os_stat("file.tmp", &st));
        EXPECT_TRUE(os_remove("file2.tmp", &err));
}

TEST(a_file_of_its_own_name_is_nobody_elses)
{
        AUTO_RELEASE(buf) a = {0};
        AUTO_RELEASE(buf) b = {0};
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};
        AUTO(os_file) first = os_file_create_temp("unique.tmp", &a, &err);
        AUTO(os_file) second = os_file_create_temp("unique.tmp", &b, &err);
        struct os_stat st;

        ASSERT_TRUE(first && second);
        EXPECT_CMP(strcmp(buf_text(&a), buf_text(&b)), !=, 0);
        EXPECT_TRUE(!strncmp(buf_text(&a), "unique.tmp.", 11));
        EXPECT_TRUE(os_file_write(first, "one", 3, &err));
        EXPECT_TRUE(os_stat(buf_text(&b), &st) && st.size_bytes == 0);
        EXPECT_TRUE(os_file_close(TAKE(first), &err));
        EXPECT_TRUE(os_file_close(TAKE(second), &err));
        EXPECT_TRUE(os_read_file(buf_text(&a), 100, &out, &err));
        EXPECT_STR(buf_text(&out), "one");
        EXPECT_TRUE(os_remove(buf_text(&a), &err) && os_remove(buf_text(&b), &err));
        EXPECT_TRUE(!os_file_create_temp("no/such/folder/x", &a, &err));
        EXPECT_INT(err.code, ERR_MISSING);
}

TEST(touching_makes_the_time_now)
{
        struct os_stat before, after;

        ASSERT_TRUE(write_file("touch.tmp", 1) && os_stat("touch.tmp", &before));
        do {
                ASSERT_TRUE(os_touch("touch.tmp", NULL) && os_stat("touch.tmp", &after));
        } while (after.mtime_ns == before.mtime_ns);
        EXPECT_TRUE(after.mtime_ns > before.mtime_ns && after.size_bytes == 1);
        EXPECT_TRUE(os_remove("touch.tmp", NULL));
        EXPECT_TRUE(!os_touch("touch.tmp", NULL));
}

TEST(folders_are_private_or_not)
{
        ASSERT_TRUE(os_make_dir("private.tmp", NULL) && write_file("touch.tmp", 1));
        EXPECT_TRUE(os_is_private_dir("private.tmp"));
        EXPECT_TRUE(!os_is_private_dir("touch.tmp"));
        EXPECT_TRUE(!os_is_private_dir("no/such/folder"));
        EXPECT_TRUE(os_is_own_dir("private.tmp"));
        EXPECT_TRUE(!os_is_own_dir("touch.tmp"));
        EXPECT_TRUE(!os_is_own_dir("no/such/folder"));
#ifndef _WIN32
        EXPECT_TRUE(!os_is_private_dir("/tmp"));
#endif
}

#ifdef _WIN32
#define C_LIBRARY "msvcrt.dll"
#else
#define C_LIBRARY "libc.so.6"
#endif

TEST(libraries_are_loaded)
{
        struct err err = {0};
        AUTO(os_library) library = os_library_open(C_LIBRARY, &err);
        int (*find_number)(const char *text) = NULL;
        void (*nothing)(void) = NULL;

        ASSERT_TRUE(library);
        ASSERT_TRUE(os_library_find(library, "atoi", &find_number));
        EXPECT_INT(find_number("4711"), 4711);
        EXPECT_TRUE(!os_library_find(library, "no_such_function", &nothing));
        EXPECT_TRUE(!nothing);
        EXPECT_TRUE(!os_library_open("no-such-library.so", &err));
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_CONTAINS(err.text, "no-such-library.so");
}

TEST(machine_is_told)
{
        struct os_machine m;
        uint64_t before = os_monotonic_ns();

        os_machine_get(&m);
        EXPECT_TRUE(m.arch[0]);
        EXPECT_TRUE(m.n_cpus_online >= 1 && m.n_cpus_available >= m.n_cpus_online);
        EXPECT_CMP(m.page_bytes, >=, 4096);
        EXPECT_CMP(os_monotonic_ns(), >=, before);
}

static void count_call(void *ctx, unsigned i)
{
        ((unsigned *)ctx)[i]++;
}

TEST(os_expect_use_leaves_memory_as_it_is)
{
        enum { SIZE_BYTES = 5 << 20 };
        char *memory = malloc(SIZE_BYTES);

        memset(memory, 7, SIZE_BYTES);
        os_expect_use(memory + 1, SIZE_BYTES - 2);
        os_expect_use(memory, 0);
        for (size_t i = 0; i < SIZE_BYTES; i++) {
                if (memory[i] != 7)
                        TAP_FAIL("byte %zu is %d", i, memory[i]);
        }
        free(memory);
}

/* gcc and clang say in different ways that the address sanitizer has a heap of its own. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HAS_OTHER_HEAP
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HAS_OTHER_HEAP
#endif

#if defined(__GLIBC__) && !defined(HAS_OTHER_HEAP)
TEST(os_expect_heap_makes_the_heap_large_at_once)
{
        enum { SIZE_BYTES = 4 << 20 };

        os_expect_heap(SIZE_BYTES);
        EXPECT_CMP(mallinfo2().keepcost, >=, SIZE_BYTES);
}
#endif

TEST(os_parallel_runs_each_once)
{
        for (unsigned n = 0; n <= OS_MAX_PARALLEL; n++) {
                unsigned calls[OS_MAX_PARALLEL + 1] = {0};

                os_parallel(n, count_call, calls);
                for (unsigned i = 0; i <= OS_MAX_PARALLEL; i++)
                        EXPECT_INT(calls[i], i < n);
        }
}

struct both {
        struct os_lock *gate;
        int done;
};

/* Ends only after the other thread has opened the gate. */
static void pass_gate(void *ctx)
{
        struct both *both = ctx;

        os_lock_enter(both->gate);
        both->done++;
        os_lock_leave(both->gate);
}

TEST(a_task_runs_beside_its_starter)
{
        struct both both = {.gate = os_lock_new()};
        struct os_task *task;

        os_lock_enter(both.gate);
        task = os_task_start(pass_gate, &both);
        EXPECT_INT(both.done, 0);
        os_lock_leave(both.gate);
        os_task_join(task);
        EXPECT_INT(both.done, 1);
        os_task_join(NULL);
        os_lock_free(both.gate);
}

enum { LOCKED_ROUNDS = 2000 };

struct locked {
        struct os_lock *lock;
        volatile unsigned n; /* not atomic: without the lock some of the additions are lost */
};

static void count_locked(void *ctx, unsigned i)
{
        struct locked *l = ctx;

        for (unsigned k = 0; k < LOCKED_ROUNDS; k++) {
                os_lock_enter(l->lock);
                l->n = l->n + 1;
                os_lock_leave(l->lock);
        }
}

TEST(a_lock_lets_one_thread_in)
{
        struct locked l = {.lock = os_lock_new()};

        os_parallel(4, count_locked, &l);
        EXPECT_INT(l.n, 4 * LOCKED_ROUNDS);
        os_lock_free(l.lock);
}

#ifndef _WIN32
enum { HELD_MS = 300 };

static void hold(void *ctx, unsigned i)
{
        struct locked *l = ctx;

        os_lock_enter(l->lock);
        if (!l->n++)
                nanosleep(&(struct timespec){.tv_nsec = HELD_MS * 1000000L}, NULL);
        os_lock_leave(l->lock);
}

/* Three threads that spin for the 300 ms take at least that much CPU time. */
TEST(who_waits_for_a_lock_sleeps)
{
        struct locked l = {.lock = os_lock_new()};
        clock_t before = clock();

        os_parallel(4, hold, &l);
        EXPECT_INT(l.n, 4);
        EXPECT_CMP((clock() - before) * 1000 / CLOCKS_PER_SEC, <, HELD_MS / 3);
        os_lock_free(l.lock);
}

TEST(a_stop_is_seen_and_forgotten)
{
        os_catch_stop();
        raise(SIGTERM);
        EXPECT_INT(os_stop_requested(), SIGTERM);
        os_release_stop();
        EXPECT_INT(os_stop_requested(), 0);
        EXPECT_CMP(signal(SIGTERM, SIG_DFL), ==, SIG_DFL);
}
#endif

TAP_MAIN
