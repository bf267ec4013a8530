/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include "map.h"
#include "python_section.h"
#include "ranges_internal.h"
#include "replayed_world.h"
#include "tap.h"

/* "path+offset", or "none" */
static const char *where(struct world *w, int32_t pid, uint16_t misc, uint64_t ip)
{
        static char text[300];
        struct place place = world_find(w, pid, misc, ip);
        const struct module *m = world_get_module(w, place.module);

        if (!m)
                return "none";
        snprintf(text, sizeof(text), "%s+%" PRIx64, world_text(w, m->path), place.offset);
        return text;
}

static const char *user(struct world *w, int32_t pid, uint64_t ip)
{
        return where(w, pid, PERF_MISC_USER, ip);
}

TEST(maps_and_their_offsets)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        struct place place;

        builder_init(&b);
        builder_mmap(&b, 0, 10, 0x401000, 0x1000, 0x1000, "/bin/a");
        builder_mmap(&b, 0, 10, 0x7f0000, 0x10000, 0, "/lib/b.so");
        replay(w, &b);
        EXPECT_STR(user(w, 10, 0x401000), "/bin/a+1000");
        EXPECT_STR(user(w, 10, 0x401fff), "/bin/a+1fff");
        EXPECT_STR(user(w, 10, 0x402000), "none");
        EXPECT_STR(user(w, 10, 0x400fff), "none");
        EXPECT_STR(user(w, 10, 0x7f0042), "/lib/b.so+42");
        EXPECT_STR(user(w, 11, 0x7f0042), "none");
        EXPECT_STR(user(w, -1, 0x7f0042), "none");
        place = world_find(w, 10, PERF_MISC_USER, 0x401234);
        EXPECT_TRUE(place.map_start == 0x401000 && place.map_pgoff == 0x1000);
        builder_release(&b);
}

TEST(code_that_a_program_copied_over_itself_is_its_own)
{
        AUTO(world) w = world_new();
        struct session_builder b;

        builder_init(&b);
        builder_mmap(&b, 0, 10, 0x401000, 0x4000, 0x1000, "/bin/a");
        builder_mmap(&b, 0, 10, 0x7f0000, 0x10000, 0, "/lib/b.so");
        builder_mmap(&b, 1, 10, 0x402000, 0x2000, 0, "//anon");
        builder_mmap(&b, 2, 10, 0x7f1000, 0x1000, 0, "//anon"); /* the library may have been unmapped */
        builder_mmap(&b, 3, 10, 0x404000, 0x2000, 0, "/anon_hugepage"); /* not only the program's */
        replay(w, &b);
        EXPECT_STR(user(w, 10, 0x402010), "/bin/a+2010");
        EXPECT_STR(user(w, 10, 0x7f1010), "//anon+7f1010");
        EXPECT_STR(user(w, 10, 0x404010), "/anon_hugepage+404010");
        builder_release(&b);
}

/* Of images whose names say their size. */
static uint64_t size_of_image(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size)
{
        (*(unsigned *)ctx)++;
        return strstr(path, ".exe") ? 0x6000 : strstr(path, ".dll") ? 0x3000 : 0;
}

/* As wine does: first memory for all of it, then the file's beginning, then sections that can be mapped. */
TEST(memory_in_a_pe_image_is_the_images)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        unsigned n_asked = 0;

        world_set_images(w, size_of_image, &n_asked);
        builder_init(&b);
        builder_mmap(&b, 0, 1, 0x140000, 0x6000, 0, "//anon");
        builder_mmap(&b, 0, 1, 0x140000, 0x1000, 0, "/w/a.exe");
        builder_mmap(&b, 0, 1, 0x141000, 0x2000, 0, "//anon");
        builder_mmap(&b, 0, 1, 0x144000, 0x1000, 0x2000, "/w/a.exe");
        builder_mmap(&b, 0, 1, 0x180000, 0x1000, 0, "//anon");
        builder_mmap(&b, 0, 2, 0x140000, 0x1000, 0, "/w/a.exe");
        replay(w, &b);
        EXPECT_STR(user(w, 1, 0x141234), "/w/a.exe+1234");
        EXPECT_INT(world_get_module(w, world_find(w, 1, PERF_MISC_USER, 0x141234).module)->kind,
                   MODULE_IMAGE);
        EXPECT_STR(user(w, 1, 0x145fff), "/w/a.exe+5fff");
        EXPECT_STR(user(w, 1, 0x144010), "/w/a.exe+2010");
        EXPECT_INT(world_get_module(w, world_find(w, 1, PERF_MISC_USER, 0x144010).module)->kind, MODULE_FILE);
        EXPECT_STR(user(w, 1, 0x146000), "none");
        EXPECT_STR(user(w, 1, 0x180010), "//anon+180010");
        EXPECT_STR(user(w, 2, 0x143000), "/w/a.exe+3000");
        EXPECT_INT(n_asked, 1);
        builder_release(&b);
}

TEST(an_image_mapped_whole_has_no_file_offsets)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        unsigned n_asked = 0;

        world_set_images(w, size_of_image, &n_asked);
        builder_init(&b);
        builder_mmap(&b, 0, 1, 0x140000, 0x6000, 0, "C:\\w\\a.exe");
        builder_mmap(&b, 0, 1, 0x150000, 0x6000, 0, "/lib/b.so");
        replay(w, &b);
        EXPECT_STR(user(w, 1, 0x141234), "C:\\w\\a.exe+1234");
        EXPECT_INT(world_get_module(w, world_find(w, 1, PERF_MISC_USER, 0x141234).module)->kind,
                   MODULE_IMAGE);
        EXPECT_INT(world_get_module(w, world_find(w, 1, PERF_MISC_USER, 0x151234).module)->kind, MODULE_FILE);
        builder_release(&b);
}

TEST(an_image_ends_where_another_file_comes_and_with_its_process)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        unsigned n_asked = 0;

        world_set_images(w, size_of_image, &n_asked);
        builder_init(&b);
        builder_mmap(&b, 0, 1, 0x140000, 0x1000, 0, "/w/a.exe");
        builder_fork(&b, 0, 2, 1, 2, 1, 0);
        builder_mmap(&b, 0, 1, 0x142000, 0x2000, 0, "/lib/b.so");
        builder_mmap(&b, 0, 1, 0x142000, 0x2000, 0, "//anon");
        builder_mmap(&b, 0, 2, 0x140000, 0x1000, 0, "/w/c.dll");
        builder_mmap(&b, 0, 2, 0x140000, 0x6000, 0, "//anon");
        replay(w, &b);
        EXPECT_STR(user(w, 1, 0x141000), "/w/a.exe+1000");
        EXPECT_STR(user(w, 1, 0x142100), "//anon+142100");
        EXPECT_STR(user(w, 2, 0x142000), "/w/c.dll+2000");
        EXPECT_STR(user(w, 2, 0x145000), "//anon+145000");
        builder_comm(&b, 0, 2, 2, "x", true);
        replay(w, &b);
        EXPECT_STR(user(w, 2, 0x145000), "none");
        builder_release(&b);
}

TEST(later_maps_replace_what_they_cover)
{
        AUTO(world) w = world_new();
        struct session_builder b;

        builder_init(&b);
        builder_mmap(&b, 0, 1, 0x10000, 0x10000, 0, "/old");
        builder_mmap(&b, 0, 1, 0x14000, 0x2000, 0x100, "/mid");
        replay(w, &b);
        EXPECT_STR(user(w, 1, 0x13fff), "/old+3fff");
        EXPECT_STR(user(w, 1, 0x14000), "/mid+100");
        EXPECT_STR(user(w, 1, 0x16000), "/old+6000");
        builder_mmap(&b, 0, 1, 0xf000, 0x2000, 0, "/head");
        builder_mmap(&b, 0, 1, 0x1f000, 0x2000, 0, "/tail");
        replay(w, &b);
        EXPECT_STR(user(w, 1, 0x10fff), "/head+1fff");
        EXPECT_STR(user(w, 1, 0x11000), "/old+1000");
        EXPECT_STR(user(w, 1, 0x1efff), "/old+efff");
        EXPECT_STR(user(w, 1, 0x1f000), "/tail+0");
        builder_mmap(&b, 0, 1, 0, UINT64_MAX, 0, "/all");
        replay(w, &b);
        EXPECT_STR(user(w, 1, 0x14000), "/all+14000");
        builder_release(&b);
}

TEST(wild_maps_are_taken_as_far_as_they_make_sense)
{
        AUTO(world) w = world_new();
        struct session_builder b;

        builder_init(&b);
        builder_mmap(&b, 0, 1, 0x1000, 0, 0, "/empty");
        builder_mmap(&b, 0, 1, UINT64_MAX, 1, 0, "/wraps");
        builder_mmap(&b, 0, 1, UINT64_MAX - 0xfff, 0x1000, 0, "/top");
        builder_mmap(&b, 0, -1, 0x5000, 0x1000, 0, "/nobody");
        replay(w, &b);
        EXPECT_STR(user(w, 1, 0x1000), "none");
        EXPECT_STR(user(w, 1, UINT64_MAX - 1), "/top+ffe");
        EXPECT_STR(user(w, -1, 0x5000), "none");
        builder_release(&b);
}

TEST(fork_shares_and_exec_clears)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        uint64_t base = 0;

        builder_init(&b);
        builder_comm(&b, 0, 1, 1, "shell", true);
        builder_mmap(&b, 0, 1, 0x400000, 0x1000, 0, "/bin/sh");
        builder_mmap(&b, 0, 1, 0x700000, 0x1000, 0, "/lib/c");
        builder_fork(&b, 1, 2, 1, 2, 1, 0);
        replay(w, &b);
        EXPECT_STR(user(w, 2, 0x400010), "/bin/sh+10");
        EXPECT_STR(world_thread_name(w, 2, 2), "shell");
        EXPECT_TRUE(world_main_module(w, 2, &base) == 0 && base == 0x400000);
        builder_mmap(&b, 2, 2, 0x400000, 0x1000, 0, "/child/only");
        replay(w, &b);
        EXPECT_STR(user(w, 2, 0x400010), "/child/only+10");
        EXPECT_STR(user(w, 1, 0x400010), "/bin/sh+10");
        builder_comm(&b, 3, 2, 2, "ls", true);
        replay(w, &b);
        EXPECT_STR(user(w, 2, 0x400010), "none");
        EXPECT_STR(user(w, 1, 0x700010), "/lib/c+10");
        EXPECT_INT(world_main_module(w, 2, &base), MODULE_NONE);
        builder_mmap(&b, 4, 2, 0x555000, 0x1000, 0x3000, "/bin/ls");
        builder_mmap(&b, 4, 2, 0x7ff000, 0x1000, 0, "/lib/ld.so");
        builder_comm(&b, 5, 2, 2, "renamed", false);
        replay(w, &b);
        EXPECT_STR(user(w, 2, 0x555010), "/bin/ls+3010");
        EXPECT_STR(world_thread_name(w, 2, 2), "renamed");
        EXPECT_STR(world_text(w, world_get_module(w, world_main_module(w, 2, &base))->path), "/bin/ls");
        EXPECT_INT(base, 0x552000);
        builder_release(&b);
}

TEST(exit_keeps_the_maps_until_the_pid_comes_back)
{
        AUTO(world) w = world_new();
        struct session_builder b;

        builder_init(&b);
        builder_mmap(&b, 0, 1, 0x1000, 0x1000, 0, "/parent");
        builder_mmap(&b, 0, 5, 0x1000, 0x1000, 0, "/first");
        builder_exit(&b, 10, 5, 1, 5, 1);
        replay(w, &b);
        EXPECT_STR(user(w, 5, 0x1000), "/first+0");
        builder_fork(&b, 20, 5, 1, 5, 1, 0);
        replay(w, &b);
        EXPECT_STR(user(w, 5, 0x1000), "/parent+0");
        builder_fork(&b, 30, 5, 77, 5, 77, 0);
        replay(w, &b);
        EXPECT_STR(user(w, 5, 0x1000), "none");
        builder_release(&b);
}

/* The same results as world_find, for any lookups before the maps changed. */
TEST(addresses_between_maps)
{
        enum { N_ROUNDS = 60, N_ASKED = 200 };
        AUTO(world) w = world_new();
        struct session_builder b;
        uint64_t state = 1, n_unmapped = 0;

        builder_init(&b);
        for (uint64_t round = 0; round < N_ROUNDS; round++) {
                int32_t pid = 1 + (int32_t)(map_mix(++state) % 3);
                uint64_t start = (1 + map_mix(++state) % 40) << 21;

                builder_mmap(&b, round, pid, start, (1 + map_mix(++state) % 4) << 21, 0, "/bin/a");
                if (round % 7 == 0)
                        builder_fork(&b, round, 1 + pid % 3, pid, 1 + pid % 3, pid, 0);
                replay(w, &b);
                for (unsigned i = 0; i < N_ASKED; i++) {
                        uint64_t addr = map_mix(++state) >> (i % 8 ? 37 : 0);
                        bool is_unmapped =
                                world_find(w, 1 + i % 4, PERF_MISC_USER, addr).module == MODULE_NONE;

                        EXPECT_INT(world_is_unmapped(w, 1 + i % 4, addr), is_unmapped);
                        n_unmapped += is_unmapped;
                }
        }
        EXPECT_TRUE(n_unmapped > N_ROUNDS * 20 && n_unmapped < N_ROUNDS * (N_ASKED - 20));
        builder_release(&b);
}

TEST(threads_share_and_made_up_forks_do_not_copy)
{
        AUTO(world) w = world_new();
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 0, 1, 1, "main", false);
        builder_mmap(&b, 0, 1, 0x1000, 0x1000, 0, "/one");
        builder_fork(&b, 1, 1, 1, 9, 1, 0);
        builder_mmap(&b, 2, 1, 0x5000, 0x1000, 0, "/two");
        builder_fork(&b, 0, 3, 1, 3, 1, PERF_MISC_FORK_EXEC);
        replay(w, &b);
        EXPECT_STR(user(w, 1, 0x1000), "/one+0");
        EXPECT_STR(user(w, 1, 0x5000), "/two+0");
        EXPECT_STR(user(w, 3, 0x1000), "none");
        EXPECT_STR(world_thread_name(w, 1, 9), "main");
        EXPECT_STR(world_thread_name(w, 1, 1000), "");
        EXPECT_STR(world_thread_name(w, 0, 0), "swapper");
        builder_release(&b);
}

TEST(library_at_the_same_address_again)
{
        AUTO(world) w = world_new();
        struct session_builder b;

        builder_init(&b);
        builder_mmap(&b, 1, 1, 0x7000, 0x4000, 0, "/lib/first.so");
        replay(w, &b);
        EXPECT_STR(user(w, 1, 0x9000), "/lib/first.so+2000");
        builder_mmap(&b, 2, 1, 0x7000, 0x3000, 0, "/lib/second.so");
        replay(w, &b);
        EXPECT_STR(user(w, 1, 0x9000), "/lib/second.so+2000");
        EXPECT_STR(user(w, 1, 0xa000), "/lib/first.so+3000");
        builder_release(&b);
}

TEST(kernel_modules_and_ksymbols)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        const uint64_t text = 0xffffffff81000000, ext4 = 0xffffffffc0000000, bpf = 0xffffffffc1000000;
        const struct module *m;

        builder_init(&b);
        builder_kernel_mmap(&b, ext4, 0x10000, 0, "[ext4]");
        builder_kernel_mmap(&b, 0, UINT64_MAX, text, "[kernel.kallsyms]_text");
        builder_ksymbol(&b, 1, bpf, 0x100, 0, "bpf_prog_6deef7357e7b4530");
        replay(w, &b);
        EXPECT_STR(where(w, 4, PERF_MISC_KERNEL, text + 5), "[kernel.kallsyms]+ffffffff81000005");
        EXPECT_STR(where(w, 4, PERF_MISC_KERNEL, ext4 + 5), "[ext4]+ffffffffc0000005");
        EXPECT_STR(where(w, 4, PERF_MISC_KERNEL, bpf + 5), "bpf_prog_6deef7357e7b4530+ffffffffc1000005");
        EXPECT_STR(where(w, 4, PERF_MISC_UNKNOWN, text + 5), "[kernel.kallsyms]+ffffffff81000005");
        EXPECT_STR(where(w, 4, PERF_MISC_GUEST_KERNEL, text + 5), "none");
        EXPECT_STR(where(w, 4, PERF_MISC_GUEST_USER, text + 5), "none");
        EXPECT_STR(where(w, 4, PERF_MISC_USER, text + 5), "none");
        m = world_get_module(w, world_find(w, 4, PERF_MISC_KERNEL, ext4).module);
        EXPECT_TRUE(m->kind == MODULE_KERNEL_MODULE && m->start == ext4 && m->end == ext4 + 0x10000);
        m = world_get_module(w, world_find(w, 4, PERF_MISC_KERNEL, text).module);
        EXPECT_TRUE(m->kind == MODULE_KERNEL && !m->start && m->end == UINT64_MAX);
        builder_ksymbol(&b, 2, bpf, 0x100, 1, "bpf_prog_6deef7357e7b4530");
        replay(w, &b);
        EXPECT_STR(where(w, 4, PERF_MISC_KERNEL, bpf + 5), "[kernel.kallsyms]+ffffffffc1000005");
        builder_release(&b);
}

TEST(kinds_of_paths)
{
        static const struct {
                const char *path;
                enum module_kind kind;
                const char *kept;
                bool deleted;
        } cases[] = {
                {"/bin/x", MODULE_FILE, "/bin/x", false},
                {"/bin/x (deleted)", MODULE_FILE, "/bin/x", true},
                {"/memfd:jit (deleted)", MODULE_FILE, "/memfd:jit", true},
                {"/home/me/.debug/jit/x.1/jit-4711.dump", MODULE_JITDUMP,
                 "/home/me/.debug/jit/x.1/jit-4711.dump", false},
                {"jit-1.dump (deleted)", MODULE_JITDUMP, "jit-1.dump", true},
                {"/tmp/jit-.dump", MODULE_FILE, "/tmp/jit-.dump", false},
                {"/tmp/jit-12x.dump", MODULE_FILE, "/tmp/jit-12x.dump", false},
                {"/tmp/jit-12.dump.1", MODULE_FILE, "/tmp/jit-12.dump.1", false},
                {"/tmp/jit-12", MODULE_FILE, "/tmp/jit-12", false},
                {"/jit-1.dump/libc.so", MODULE_FILE, "/jit-1.dump/libc.so", false},
                {"[vdso]", MODULE_VDSO, "[vdso]", false},
                {"//anon", MODULE_ANON, "//anon", false},
                {"[heap]", MODULE_ANON, "[heap]", false},
                {"[stack]", MODULE_ANON, "[stack]", false},
                {"[anon:scudo]", MODULE_ANON, "[anon:scudo]", false},
                {"/dev/zero (deleted)", MODULE_ANON, "/dev/zero", true},
                {"/SYSV00000000 (deleted)", MODULE_ANON, "/SYSV00000000", true},
                {"[uprobes]", MODULE_ANON, "[uprobes]", false},
                {"[vsyscall]", MODULE_ANON, "[vsyscall]", false},
                {"", MODULE_ANON, "", false},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO(world) w = world_new();
                struct session_builder b;
                const struct module *m;
                struct place place;

                builder_init(&b);
                builder_mmap(&b, 1, 6, 0x7000, 0x1000, 0x2000, cases[i].path);
                replay(w, &b);
                place = world_find(w, 6, PERF_MISC_USER, 0x7010);
                m = world_get_module(w, place.module);
                builder_release(&b);
                ASSERT_TRUE(m);
                EXPECT_INT(m->kind, cases[i].kind);
                EXPECT_STR(world_text(w, m->path), cases[i].kept);
                EXPECT_INT(m->deleted, cases[i].deleted);
                EXPECT_INT(m->pid, 6);
                EXPECT_INT(place.offset, m->kind == MODULE_FILE || m->kind == MODULE_JITDUMP ? 0x2010
                                         : m->kind == MODULE_VDSO                            ? 0x10
                                                                                             : 0x7010);
        }
}

static module_id module_at(struct world *w, int32_t pid, uint64_t ip)
{
        return world_find(w, pid, PERF_MISC_USER, ip).module;
}

TEST(identity_of_modules)
{
        static const uint8_t id_a[20] = {1}, id_b[20] = {2};
        AUTO(world) w = world_new();
        struct session_builder b;

        builder_init(&b);
        builder_mmap_inode(&b, 1, 1, 0x1000, 0x1000, 0, "/lib/x", 100);
        builder_mmap_inode(&b, 1, 2, 0x1000, 0x1000, 0, "/lib/x", 100);
        builder_mmap_inode(&b, 1, 3, 0x1000, 0x1000, 0, "/lib/x", 101);
        builder_mmap_build_id(&b, 1, 4, 0x1000, 0x1000, 0, "/lib/x", id_a, 20);
        builder_mmap_build_id(&b, 1, 5, 0x1000, 0x1000, 0, "/lib/x", id_b, 20);
        builder_mmap_build_id(&b, 1, 6, 0x1000, 0x1000, 0, "/lib/x", id_a, 20);
        builder_mmap(&b, 1, 7, 0x1000, 0x1000, 0, "//anon");
        builder_mmap(&b, 1, 8, 0x1000, 0x1000, 0, "//anon");
        builder_fork(&b, 2, 9, 8, 9, 8, 0);
        replay(w, &b);
        EXPECT_CMP(module_at(w, 1, 0x1000), ==, module_at(w, 2, 0x1000));
        EXPECT_CMP(module_at(w, 1, 0x1000), !=, module_at(w, 3, 0x1000));
        EXPECT_CMP(module_at(w, 4, 0x1000), !=, module_at(w, 5, 0x1000));
        EXPECT_CMP(module_at(w, 4, 0x1000), ==, module_at(w, 6, 0x1000));
        EXPECT_CMP(module_at(w, 7, 0x1000), !=, module_at(w, 8, 0x1000));
        EXPECT_CMP(module_at(w, 9, 0x1000), ==, module_at(w, 8, 0x1000));
        EXPECT_INT(world_n_modules(w), 6);
        EXPECT_INT(world_get_module(w, module_at(w, 5, 0x1000))->build_id[0], 2);
        EXPECT_TRUE(!world_get_module(w, 1000));
        builder_release(&b);
}

/* A session of a recorder that ran together with one that asked for build ids: the kernel marks the records
 * of both. */
TEST(a_build_id_that_the_event_did_not_ask_for_is_none)
{
        static const uint8_t id[20] = {[4] = 42};
        AUTO_RELEASE(buf) file = {0};
        AUTO(world) w = world_new();
        struct session_builder b;
        struct perfdata_reader *reader;
        struct perfdata_record record;
        struct err err = {0};

        builder_init(&b);
        builder_add_event(&b, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
        b.ids[0] = 12;
        builder_mmap_build_id(&b, 1, 1, 0x1000, 0x1000, 0, "/lib/x", id, 8);
        b.ids[0] = 11;
        builder_mmap_build_id(&b, 1, 1, 0x2000, 0x1000, 0, "/lib/y", id, 8);
        builder_mmap_build_id(&b, 0, 1, 0x3000, 0x1000, 0, "/lib/z", id, 8); /* made by the recorder itself */
        b.attrs[1].flags &= ~PERF_ATTR_BUILD_ID;
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        ASSERT_TRUE(reader);
        while (perfdata_next(reader, &record, &err) > 0)
                world_replay(w, &record);
        EXPECT_INT(world_get_module(w, module_at(w, 1, 0x1000))->build_id_size, 0);
        EXPECT_CMP(world_get_module(w, module_at(w, 1, 0x1000))->dev, ==, 8ull << 32);
        EXPECT_INT(world_get_module(w, module_at(w, 1, 0x2000))->build_id_size, 8);
        EXPECT_INT(world_get_module(w, module_at(w, 1, 0x3000))->build_id_size, 8);
        perfdata_reader_free(reader);
        builder_release(&b);
}

static void add_build_id(struct session_builder *b, struct buf *out, uint16_t misc, uint8_t first,
                         const char *path)
{
        uint8_t id[24] = {first};
        size_t size = 36 + strlen(path) + 1;

        (void)b;
        id[19] = 1;
        buf_add_u32(out, 0);
        buf_add_u16(out, misc);
        buf_add_u16(out, (uint16_t)size);
        buf_add_u32(out, UINT32_MAX);
        buf_add(out, id, sizeof(id));
        buf_add(out, path, strlen(path) + 1);
}

TEST(build_ids_of_the_table)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        struct buf table = {0}, file = {0};
        struct perfdata_reader *reader;
        struct err err = {0};

        builder_init(&b);
        add_build_id(&b, &table, PERF_MISC_KERNEL, 7, "[kernel.kallsyms]");
        add_build_id(&b, &table, PERF_MISC_USER, 8, "/bin/x");
        builder_feature(&b, FEATURE_BUILD_ID, table.data, table.len);
        builder_kernel_mmap(&b, 0x1000, 0x1000, 0, "[kernel.kallsyms]_stext");
        builder_mmap_inode(&b, 1, 1, 0x1000, 0x1000, 0, "/bin/x", 5);
        builder_mmap_inode(&b, 1, 1, 0x2000, 0x1000, 0, "/bin/y", 6);
        builder_file(&b, &file);
        reader = perfdata_open_bytes(file.data, file.len, "mem", &err);
        ASSERT_TRUE(reader);
        world_add_build_ids(w, reader);
        replay(w, &b);
        builder_mmap_inode(&b, 1, 2, 0x1000, 0x1000, 0, "/bin/x", 5);
        replay(w, &b);
        EXPECT_INT(world_n_modules(w), 3);
        EXPECT_INT(world_get_module(w, world_find(w, 1, PERF_MISC_KERNEL, 0x1000).module)->build_id[0], 7);
        EXPECT_INT(world_get_module(w, module_at(w, 1, 0x1000))->build_id[0], 8);
        EXPECT_INT(world_get_module(w, module_at(w, 1, 0x1000))->build_id_size, 20);
        EXPECT_INT(world_get_module(w, module_at(w, 1, 0x2000))->build_id_size, 0);
        perfdata_reader_free(reader);
        buf_release(&table);
        buf_release(&file);
        builder_release(&b);
}

/* Each put changes a path of the tree; shared parts are not copied.  Measured in nodes, not in seconds. */
TEST(forks_and_maps_cost_what_changes)
{
        enum { N_MAPS = 20000, N_FORKS = 10000 };
        struct range_pool pool = {0};
        struct range_node *root = NULL, *child;
        size_t before;

        for (uint64_t i = N_MAPS; i-- > 0;) {
                struct range range = {.start = i << 12, .end = (i + 1) << 12, .module = (uint32_t)i};

                root = ranges_put(&pool, root, &range);
        }
        EXPECT_INT(pool.n_nodes, N_MAPS);
        EXPECT_INT(ranges_find(root, 777 << 12)->module, 777);
        before = pool.n_nodes;
        for (int i = 0; i < N_FORKS; i++) {
                struct range range = {.start = 0x10000, .end = 0x11000};

                child = ranges_share(root);
                child = ranges_put(&pool, child, &range);
                EXPECT_CMP(pool.n_nodes - before, <, 200);
                EXPECT_INT(ranges_find(child, 0x10000)->module, 0);
                ranges_drop(&pool, child);
        }
        EXPECT_INT(pool.n_nodes, N_MAPS);
        EXPECT_INT(ranges_find(root, 0x10000)->module, 16);
        ranges_drop(&pool, root);
        EXPECT_INT(pool.n_nodes, 0);
        range_pool_release(&pool);
}

TEST(ten_thousand_forks_of_a_large_process)
{
        AUTO(world) w = world_new();
        struct session_builder b;

        builder_init(&b);
        for (uint64_t i = 0; i < 20000; i++)
                builder_mmap_inode(&b, 0, 1, 0x10000 + (i << 13), 0x1000, 0, "/lib/x", i + 1);
        for (int32_t i = 0; i < 10000; i++) {
                builder_fork(&b, 5, 100 + i, 1, 100 + i, 1, 0);
                builder_mmap(&b, 6, 100 + i, 0x10000, 0x1000, 0x4000, "/lib/own");
        }
        replay(w, &b);
        EXPECT_STR(user(w, 100, 0x10000), "/lib/own+4000");
        EXPECT_STR(user(w, 10099, 0x10000), "/lib/own+4000");
        EXPECT_STR(user(w, 10099, 0x12010), "/lib/x+10");
        EXPECT_STR(user(w, 1, 0x10000), "/lib/x+0");
        EXPECT_INT(world_n_modules(w), 20001);
        builder_release(&b);
}

/* --- Code that a process makes --- */

/* Code at 0x5000 that is replaced every 100 ns; `ctx` counts how often the file was opened. */
static const void *open_code(void *ctx, const struct module *module, const char *path)
{
        unsigned *n_opened = ctx;

        ++*n_opened;
        return strstr(path, "empty") ? NULL : n_opened;
}

static bool find_code(const void *code, uint64_t addr, uint64_t time, uint64_t *ret_offset)
{
        *ret_offset = time / 100 * 0x1000 + (addr - 0x5000);
        return addr >= 0x5000 && addr < 0x5100;
}

static void span_code(const void *code, uint64_t time, uint64_t *ret_from, uint64_t *ret_to)
{
        *ret_from = time / 100 * 100;
        *ret_to = *ret_from + 100;
}

static const char *at_time(struct world *w, int32_t pid, uint64_t time, uint64_t ip)
{
        if (!world_code_is_at(w, pid, time))
                world_set_code_time(w, pid, time);
        return user(w, pid, ip);
}

TEST(code_of_a_process_is_that_of_the_time)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        unsigned n_opened = 0;
        uint64_t version;

        world_set_code(w, &(struct world_code_source){open_code, find_code, span_code, &n_opened});
        builder_init(&b);
        builder_mmap(&b, 0, 1, 0x5000, 0x1000, 0, "//anon");
        builder_mmap(&b, 0, 2, 0x5000, 0x1000, 0, "//anon");
        replay(w, &b);
        EXPECT_TRUE(!world_has_code(w));
        builder_mmap(&b, 0, 1, 0x8000, 0x1000, 0, "/tmp/jit-1.dump");
        replay(w, &b);
        EXPECT_TRUE(world_has_code(w));
        EXPECT_INT(n_opened, 0);
        EXPECT_STR(at_time(w, 2, 250, 0x5010), "//anon+5010");
        EXPECT_INT(n_opened, 0);
        EXPECT_STR(at_time(w, 1, 250, 0x5010), "/tmp/jit-1.dump+2010");
        EXPECT_INT(n_opened, 1);
        EXPECT_STR(at_time(w, 1, 299, 0x5010), "/tmp/jit-1.dump+2010");
        version = world_version(w, 1, PERF_MISC_USER);
        EXPECT_TRUE(world_code_is_at(w, 1, 299) && !world_code_is_at(w, 1, 300));
        EXPECT_STR(at_time(w, 1, 300, 0x5010), "/tmp/jit-1.dump+3010");
        EXPECT_CMP(world_version(w, 1, PERF_MISC_USER), !=, version);
        EXPECT_STR(at_time(w, 1, 150, 0x5010), "/tmp/jit-1.dump+1010"); /* out of order */
        EXPECT_STR(at_time(w, 1, 150, 0x5200), "//anon+5200");
        EXPECT_STR(at_time(w, 1, 150, 0x8010), "/tmp/jit-1.dump+10");
        builder_fork(&b, 0, 3, 1, 3, 1, 0);
        replay(w, &b);
        EXPECT_STR(at_time(w, 3, 400, 0x5010), "/tmp/jit-1.dump+4010");
        EXPECT_STR(at_time(w, 1, 150, 0x5010), "/tmp/jit-1.dump+1010");
        builder_comm(&b, 0, 3, 3, "other", true);
        builder_mmap(&b, 0, 3, 0x5000, 0x1000, 0, "//anon");
        replay(w, &b);
        EXPECT_STR(at_time(w, 3, 400, 0x5010), "//anon+5010");
        builder_release(&b);
}

static enum module_kind kind_at(struct world *w, int32_t pid, uint64_t addr)
{
        return world_get_module(w, world_find(w, pid, PERF_MISC_USER, addr).module)->kind;
}

TEST(python_places_are_at_their_base_alone)
{
        AUTO(world) w = world_new();
        struct session_builder b;

        builder_init(&b);
        builder_mmap(&b, 0, 1, PYTHON_PLACES_BASE, PYTHON_PLACES_SIZE_BYTES, 0, "/s/a.data.pysyms");
        builder_mmap(&b, 0, 2, 0x400000, 0x1000, 0, "/s/a.data.pysyms");
        builder_mmap(&b, 0, 3, PYTHON_PLACES_BASE, 0x1000, 0x1000, "/s/a.data.pysyms");
        builder_mmap(&b, 0, 4, PYTHON_PLACES_BASE, 0x1000, 0, "/s/a.so");
        builder_fork(&b, 0, 5, 1, 5, 1, 0);
        builder_mmap(&b, 0, 6, PYTHON_PLACES_BASE, PYTHON_PLACES_SIZE_BYTES, 0, "/s/a.data.pysyms");
        replay(w, &b);
        EXPECT_STR(user(w, 1, PYTHON_PLACES_BASE + 16), "/s/a.data.pysyms+10");
        EXPECT_STR(user(w, 1, PYTHON_PLACES_BASE + 15), "/s/a.data.pysyms+f");
        EXPECT_INT(kind_at(w, 1, PYTHON_PLACES_BASE + 16), MODULE_PYTHON);
        EXPECT_INT(kind_at(w, 2, 0x400010), MODULE_FILE);
        EXPECT_INT(kind_at(w, 3, PYTHON_PLACES_BASE + 16), MODULE_FILE);
        EXPECT_INT(kind_at(w, 4, PYTHON_PLACES_BASE + 16), MODULE_FILE);
        EXPECT_INT(kind_at(w, 5, PYTHON_PLACES_BASE + 16), MODULE_PYTHON);
        EXPECT_INT(world_find(w, 6, PERF_MISC_USER, PYTHON_PLACES_BASE).module,
                   world_find(w, 1, PERF_MISC_USER, PYTHON_PLACES_BASE).module);
        EXPECT_TRUE(world_is_python_main(w, 1, 1) && world_is_python_main(w, 5, 5));
        EXPECT_TRUE(!world_is_python_main(w, 1, 11)); /* another thread */
        EXPECT_TRUE(!world_is_python_main(w, 4, 4) && !world_is_python_main(w, 7, 7) &&
                    !world_is_python_main(w, -1, -1));
        builder_release(&b);
}

TEST(a_file_that_tells_of_no_code_is_asked_once)
{
        AUTO(world) w = world_new();
        struct session_builder b;
        unsigned n_opened = 0;

        world_set_code(w, &(struct world_code_source){open_code, find_code, span_code, &n_opened});
        builder_init(&b);
        builder_mmap(&b, 0, 1, 0x5000, 0x1000, 0, "//anon");
        builder_mmap(&b, 0, 1, 0x8000, 0x1000, 0, "/empty/jit-1.dump");
        replay(w, &b);
        EXPECT_STR(at_time(w, 1, 250, 0x5010), "//anon+5010");
        EXPECT_STR(at_time(w, 1, 350, 0x5010), "//anon+5010");
        EXPECT_INT(n_opened, 1);
        builder_release(&b);
}

TAP_MAIN
