/* SPDX-License-Identifier: BSD-3-Clause */
/* The judge of test --hardware on invented figures, the loops' memory, and the sizes of caches from a copy
 * of /sys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware_caches.h"
#include "hardware_judge.h"
#include "hardware_loops.h"
#include "mem.h"
#include "tap.h"

enum { MAX_LOOPS = 32, MAX_CHECKS = 100 };

/* Of a Neoverse N1: L3 or a system cache that /sys does not tell. */
static const struct hardware_caches caches_n1 = {{64 << 10, 1 << 20}};

struct checks {
        struct {
                char loop[32], what[32], expected[64], seen[64];
                enum hardware_verdict verdict;
        } items[MAX_CHECKS];
        size_t n, n_differ;
};

static void take(void *ctx, const struct hardware_check *check)
{
        struct checks *checks = ctx;

        if (checks->n == MAX_CHECKS)
                abort();
        snprintf(checks->items[checks->n].loop, 32, "%s", check->loop);
        snprintf(checks->items[checks->n].what, 32, "%s", check->what);
        snprintf(checks->items[checks->n].expected, 64, "%s", check->expected);
        snprintf(checks->items[checks->n].seen, 64, "%s", check->seen);
        checks->items[checks->n++].verdict = check->verdict;
}

static struct checks judge(const struct hardware_seen *seen, const struct hardware_caches *caches)
{
        struct checks checks = {0};

        checks.n_differ = hardware_judge(seen, caches, take, &checks);
        return checks;
}

/* "EXPECTED; SEEN; VERDICT" of a check. */
static const char *said(const struct checks *checks, const char *loop, const char *what)
{
        static char text[160];

        for (size_t i = 0; i < checks->n; i++) {
                if (strcmp(checks->items[i].loop, loop) || strcmp(checks->items[i].what, what))
                        continue;
                snprintf(text, sizeof(text), "%s; %s; %d", checks->items[i].expected, checks->items[i].seen,
                         (int)checks->items[i].verdict);
                return text;
        }
        return "no such check";
}

static struct hardware_seen *find(struct hardware_seen *seen, const char *name)
{
        return &seen[hardware_loops_find(name)];
}

/* What a CPU with these caches should show. */
static void fill(struct hardware_seen *seen)
{
        static const struct {
                enum hardware_level level;
                uint64_t cycles;
        } chases[] = {{HARDWARE_L1, 5},       {HARDWARE_L2, 11},     {HARDWARE_L2, 14},
                      {HARDWARE_FAR, 40},     {HARDWARE_FAR, 60},    {HARDWARE_MEMORY, 200},
                      {HARDWARE_MEMORY, 300}, {HARDWARE_MEMORY, 320}};
        size_t n_chases = 0;

        for (size_t i = 0; i < hardware_loops_n(); i++) {
                struct hardware_seen *s = &seen[i];

                *s = (struct hardware_seen){.was_run = true, .n_samples = 1000};
                switch (hardware_loops_get(i)->kind) {
                case HARDWARE_CHASE:
                        s->n_loads = 890;
                        s->n_branches = 55;
                        s->n_levels[chases[n_chases].level] = 800;
                        s->n_levels[HARDWARE_L1] += 90;
                        s->load_cycles = chases[n_chases++].cycles;
                        break;
                case HARDWARE_STORES:
                        s->n_stores = 720;
                        s->n_branches = 90;
                        break;
                case HARDWARE_RANDOM_BRANCHES:
                        s->n_branches = 250;
                        s->n_worst_branch = 100;
                        s->n_worst_mispredicted = 51;
                        break;
                case HARDWARE_STEADY_BRANCHES:
                        s->n_branches = 250;
                        s->n_worst_branch = 100;
                        break;
                }
        }
}

TEST(hardware_as_expected)
{
        struct hardware_seen seen[MAX_LOOPS];
        struct checks checks;

        ASSERT_CMP(hardware_loops_n(), <=, MAX_LOOPS);
        fill(seen);
        checks = judge(seen, &caches_n1);
        EXPECT_INT(checks.n_differ, 0);
        for (size_t i = 0; i < checks.n; i++)
                EXPECT_INT(checks.items[i].verdict, HARDWARE_AS_EXPECTED);
        EXPECT_STR(said(&checks, "chase 32 KiB", "samples"), "100 or more; 1000; 0");
        EXPECT_STR(said(&checks, "chase 32 KiB", "loads"), "at least 75 %; 89.0 %; 0");
        EXPECT_STR(said(&checks, "chase 32 KiB", "loads from L1"), "at least 80 %; 100.0 %; 0");
        EXPECT_STR(said(&checks, "chase 128 KiB", "loads from L2"), "at least 40 %; 89.9 %; 0");
        EXPECT_STR(said(&checks, "chase 512 KiB", "loads from L2"), "at least 40 %; 89.9 %; 0");
        EXPECT_STR(said(&checks, "chase 2 MiB", "loads from behind L2"), "no such check");
        EXPECT_STR(said(&checks, "chase 8 MiB", "loads from behind L2"), "at least 50 %; 89.9 %; 0");
        EXPECT_STR(said(&checks, "chase 512 MiB", "loads from behind L2"), "at least 50 %; 89.9 %; 0");
        EXPECT_STR(said(&checks, "chase 128 KiB", "median latency"), "at least 4 cycles; 11 cycles; 0");
        EXPECT_STR(said(&checks, "stores 64 MiB", "stores"), "at least 50 %; 72.0 %; 0");
        EXPECT_STR(said(&checks, "random branches", "mispredicted"), "40 to 60 %; 51.0 %; 0");
        EXPECT_STR(said(&checks, "steady branches", "mispredicted"), "at most 5 %; 0.0 %; 0");
        EXPECT_STR(said(&checks, "all chases", "latency grows with size"),
                   "4 times or more; 5 to 320 cycles; 0");
}

/* Each of these is wrong alone. */
TEST(hardware_differs)
{
        static const struct {
                const char *loop, *what;
        } wrong[] = {
                {"chase 2 MiB", "samples"},
                {"chase 128 MiB", "loads"},
                {"chase 32 KiB", "loads from L1"},
                {"chase 512 KiB", "loads from L2"},
                {"chase 32 MiB", "loads from behind L2"},
                {"chase 8 MiB", "median latency"},
                {"stores 64 MiB", "stores"},
                {"random branches", "branches"},
                {"random branches", "mispredicted"},
                {"steady branches", "mispredicted"},
        };

        for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
                struct hardware_seen seen[MAX_LOOPS];
                struct hardware_seen *s;
                struct checks checks;
                const char *text;

                fill(seen);
                s = find(seen, wrong[i].loop);
                switch (i) {
                case 0: *s = (struct hardware_seen){.was_run = true, .n_samples = 99}; break;
                case 1: s->n_samples = 1200; break;
                case 2: s->n_levels[HARDWARE_L1] = 700; break;
                case 3: s->n_levels[HARDWARE_L2] = 300; break;
                case 4: s->n_levels[HARDWARE_MEMORY] = 400; break;
                case 5: s->load_cycles = 30; break;
                case 6: s->n_stores = 400; break;
                case 7: s->n_branches = 90; break;
                case 8: s->n_worst_mispredicted = 30; break;
                default: s->n_worst_mispredicted = 6;
                }
                checks = judge(seen, &caches_n1);
                EXPECT_INT(checks.n_differ, 1);
                text = said(&checks, wrong[i].loop, wrong[i].what);
                EXPECT_STR(text + strlen(text) - 3, "; 1");
        }
}

TEST(hardware_latency_does_not_grow)
{
        struct hardware_seen seen[MAX_LOOPS];
        struct checks checks;

        fill(seen);
        for (size_t i = 0; i < hardware_loops_n(); i++)
                seen[i].load_cycles = seen[i].load_cycles ? 50 : 0;
        checks = judge(seen, &caches_n1);
        EXPECT_INT(checks.n_differ, 1);
        EXPECT_STR(said(&checks, "all chases", "latency grows with size"),
                   "4 times or more; 50 to 50 cycles; 1");
}

TEST(hardware_not_judged)
{
        struct hardware_seen seen[MAX_LOOPS];
        struct hardware_seen *s;
        struct checks checks;

        fill(seen);
        *find(seen, "chase 512 MiB") = (struct hardware_seen){0};
        s = find(seen, "chase 32 KiB");
        s->n_levels[HARDWARE_L1] = 0;
        s->n_levels[HARDWARE_UNKNOWN] = s->n_loads;
        checks = judge(seen, &caches_n1);
        EXPECT_INT(checks.n_differ, 0);
        EXPECT_STR(said(&checks, "chase 512 MiB", "samples"), "100 or more; not run; 2");
        EXPECT_STR(said(&checks, "chase 512 MiB", "loads"), "no such check");
        EXPECT_STR(said(&checks, "chase 32 KiB", "data source"), "a known data source; unknown: 100.0 %; 2");
        /* Caches that are not known imply nothing. */
        checks = judge(seen, &(const struct hardware_caches){0});
        EXPECT_STR(said(&checks, "chase 128 KiB", "loads from L2"), "no such check");
}

TEST(hardware_loops_have_names)
{
        for (size_t i = 0; i < hardware_loops_n(); i++) {
                EXPECT_CMP(strlen(hardware_loops_get(i)->name), <=, 15);
                EXPECT_INT(hardware_loops_find(hardware_loops_get(i)->name), i);
        }
        EXPECT_INT(hardware_loops_find("wperf"), hardware_loops_n());
}

/* Each line is visited once, and the last one leads to the first. */
TEST(hardware_loops_circle)
{
        enum { LINE_BYTES = 64 };

        for (uint64_t size = 128; size <= 1 << 20; size *= 2) {
                char *memory = mem_new(size, 1);
                bool *is_seen = mem_new(size / LINE_BYTES, sizeof(*is_seen));
                char *at = memory, *next;
                uint64_t n = 0;

                hardware_loops_link(memory, size);
                while (!is_seen[(at - memory) / LINE_BYTES]) {
                        is_seen[(at - memory) / LINE_BYTES] = true;
                        memcpy(&next, at, sizeof(next));
                        at = next;
                        n++;
                }
                EXPECT_INT(n, size / LINE_BYTES);
                EXPECT_CMP(at, ==, memory);
                free(is_seen);
                free(memory);
        }
}

/* --- caches --- */

static const char *const sys_files[][2] = {
        {"index0/level", "1\n"},  {"index0/type", "Data\n"},        {"index0/size", "64K\n"},
        {"index1/level", "1\n"},  {"index1/type", "Instruction\n"}, {"index1/size", "48K\n"},
        {"index2/level", "2\n"},  {"index2/type", "Unified\n"},     {"index2/size", "1024K\n"},
        {"index3/level", "3\n"},  {"index3/type", "Unified\n"},     {"index3/size", "large\n"},
        {"index4/level", "99\n"},
};

static bool read_sys(void *ctx, const char *path, struct buf *out)
{
        const char *folder = strstr(path, "/sys/devices/system/cpu/cpu0/cache/");

        (void)ctx;
        for (size_t i = 0; folder && i < sizeof(sys_files) / sizeof(*sys_files); i++) {
                if (strcmp(strstr(folder, "index"), sys_files[i][0]))
                        continue;
                buf_add_str(out, sys_files[i][1]);
                return true;
        }
        return false;
}

static bool read_nothing(void *ctx, const char *path, struct buf *out)
{
        (void)ctx, (void)path, (void)out;
        return false;
}

TEST(hardware_caches_of_sys)
{
        struct hardware_caches caches =
                hardware_caches_read(&(const struct pmu_source){.read_file = read_sys});

        EXPECT_INT(caches.bytes[0], 64 << 10);
        EXPECT_INT(caches.bytes[1], 1 << 20);
        EXPECT_INT(caches.bytes[2], 0);
        EXPECT_INT(caches.bytes[3], 0);
        caches = hardware_caches_read(&(const struct pmu_source){.read_file = read_nothing});
        EXPECT_INT(caches.bytes[0], 0);
}

TAP_MAIN
