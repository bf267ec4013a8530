/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#ifndef _WIN32
#include <sys/stat.h>
#endif

#include "answers_cache.h"
#include "dwarf.h"
#include "dwarf_layout.h"
#include "jitdump_builder.h"
#include "mem.h"
#include "object.h"
#include "os.h"
#include "resolver_code.h"
#include "resolver_facts.h"
#include "tap.h"
#include "test_data.h"

static const char *const no_dirs[] = {NULL};

static resolver_id add_file(struct resolver *resolver, const char *name)
{
        struct resolver_module module = {.kind = RESOLVER_FILE, .path = data_path(name)};

        return resolver_add_module(resolver, &module);
}

/* "distance shapes.h:24 < scaled one.c:22", innermost first; "" for none. */
static void add_text(const struct resolver *resolver, const struct resolver_frames *frames, size_t i,
                     struct buf *out)
{
        buf_clear(out);
        for (size_t k = 0; k < frames->spans[i].n; k++) {
                const struct resolver_frame *frame = &frames->frames[frames->spans[i].first + k];

                buf_printf(out, "%s%s %s:%u", k ? " < " : "",
                           frame->function ? resolver_text(resolver, frame->function) : "??",
                           frame->path ? resolver_text(resolver, frame->path) : "??", frame->line);
                EXPECT_CMP(frame->is_inlined, ==, (k + 1 < frames->spans[i].n));
                EXPECT_TRUE(!frame->function || frame->start);
        }
}

/* Looks up ascending addresses in one call. */
static void expect_frames(struct resolver *resolver, resolver_id id, const uint64_t *addrs,
                          const char *const *want, size_t n)
{
        struct resolver_frames frames;
        struct buf text = {0};

        resolver_find_frames(resolver, id, addrs, n, &frames);
        for (size_t i = 0; i < n; i++) {
                add_text(resolver, &frames, i, &text);
                EXPECT_STR(buf_text(&text), want[i]);
        }
        buf_release(&text);
        resolver_frames_release(&frames);
}

TEST(frames_come_from_debug_information)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        resolver_id id = add_file(resolver, "dwarf/gcc5.so");
        static const uint64_t addrs[] = {0x100, 0x201, 0x224, 0x226, 0x26a, 0x26e};
        static const char *const want[] = {
                "",
                "sum_longest /src/one.c:13",
                "distance /src/shapes.h:24 < longest /src/shapes.h:34 < scaled /src/one.c:22",
                "distance /src/shapes.h:24 < longest /src/shapes.h:34 < scaled /src/one.c:22",
                "scaled /src/one.c:22",
                "?? /src/one.c:23",
        };

        expect_frames(resolver, id, addrs, want, 6);
        expect_frames(resolver, id, addrs, want, 6);
        EXPECT_TRUE(!resolver_note(resolver, id));
        EXPECT_TRUE(resolver_check(resolver, id, NULL));
}

/* GNU ld's PDB has two public functions; the one before them is local. */
TEST(dwarf_counts_for_more_than_public_symbols)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        resolver_id id = add_file(resolver, "pe/ld.exe");
        static const uint64_t addrs[] = {0x140001003, 0x14000100a, 0x14000101f};
        static const char *const want[] = {"local_function ./mingw.c:6", "exported_function ./mingw.c:10",
                                           "start ./mingw.c:16"};

        expect_frames(resolver, id, addrs, want, 3);
        EXPECT_TRUE(!resolver_note(resolver, id));
}

TEST(a_public_symbol_ends_where_pdata_has_another_function)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        resolver_id id = add_file(resolver, "pe/ld-stripped.exe");
        static const uint64_t addrs[] = {0x140001003, 0x14000100a, 0x14000101f, 0x14000102d};
        static const char *const want[] = {"", "exported_function ??:0", "start ??:0", "start ??:0"};

        expect_frames(resolver, id, addrs, want, 4);
}

TEST(names_of_frames_are_readable_when_asked)
{
        AUTO(resolver)
        resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs, .demangle_params = true});
        AUTO(resolver) plain = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        resolver_id id = add_file(resolver, "dwarf/cxx.so"), plain_id = add_file(plain, "dwarf/cxx.so");
        struct resolver_frames frames, mangled;
        size_t n_readable = 0;

        for (uint64_t addr = 0x200; addr < 0x283; addr++) {
                resolver_find_frames(resolver, id, &addr, 1, &frames);
                resolver_find_frames(plain, plain_id, &addr, 1, &mangled);
                ASSERT_CMP(frames.n_frames, ==, mangled.n_frames);
                for (size_t i = 0; i < frames.n_frames; i++) {
                        const char *from = resolver_text(plain, mangled.frames[i].function);

                        if (!strncmp(from, "_Z", 2)) {
                                n_readable++;
                                EXPECT_TRUE(strchr(resolver_text(resolver, frames.frames[i].function), '('));
                        }
                }
                resolver_frames_release(&frames);
                resolver_frames_release(&mangled);
        }
        EXPECT_CMP(n_readable, >, 50);
}

TEST(without_debug_information_a_frame_is_the_function)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        resolver_id id = add_file(resolver, "elf/names-arm64.so");
        static const uint64_t addrs[] = {0x100, 0x501, 0x584};
        static const char *const want[] = {"", "in_another_section ??:0", "local_leaf ??:0"};

        expect_frames(resolver, id, addrs, want, 3);
        EXPECT_STR(resolver_note(resolver, id), "has no debug information");
        expect_frames(resolver, id, addrs, want, 3);
        EXPECT_STR(resolver_note(resolver, id), "has no debug information");
}

/* A copy of gcc5.so in which units do not find their abbreviations. */
static void write_damaged(const char *path)
{
        AUTO(object) object = object_open(data_path("dwarf/gcc5.so"), NULL);
        const struct object_section *info = object ? object_find_section(object, ".debug_info") : NULL;
        AUTO_RELEASE(buf) bytes = {0};
        struct os_file *file = os_file_create(path, NULL);
        uint32_t length, n_units = 0;

        ASSERT_TRUE(info && file && os_read_file(data_path("dwarf/gcc5.so"), 1 << 20, &bytes, NULL));
        for (uint64_t off = 0; off < info->file_size; off += 4 + (uint64_t)length, n_units++) {
                memcpy(&length, bytes.data + info->file_off + off + DWARF_UNIT_LENGTH_OFF, 4);
                memset(bytes.data + info->file_off + off + DWARF_ABBREV_OFFSET_OFF, 0x7f, 4);
        }
        EXPECT_INT(n_units, 2);
        EXPECT_TRUE(os_file_write(file, bytes.data, bytes.len, NULL) && os_file_close(file, NULL));
}

TEST(the_note_of_damage_does_not_grow_with_each_look_up)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        struct resolver_module module = {.kind = RESOLVER_FILE, .path = "damaged.so"};
        struct resolver_frames frames;
        resolver_id id;

        write_damaged(module.path);
        id = resolver_add_module(resolver, &module);
        for (uint64_t addr = 0x200; addr < 0x35b; addr++) {
                resolver_find_frames(resolver, id, &addr, 1, &frames);
                resolver_frames_release(&frames);
        }
        EXPECT_STR(resolver_note(resolver, id),
                   "unit 0x0: its abbreviations lie outside .debug_abbrev; and 1 more errors");
        os_remove(module.path, NULL);
}

TEST(damage_met_while_labels_and_extents_are_found_is_in_the_note)
{
        AUTO(resolver) of_labels = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        AUTO(resolver) of_extents = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        struct resolver_module module = {.kind = RESOLVER_FILE, .path = "damaged-labels.so"};
        struct resolver_extent *extents;
        struct resolver_label *labels;

        write_damaged(module.path);
        EXPECT_INT(resolver_find_labels(of_labels, resolver_add_module(of_labels, &module), 0x214, &labels),
                   0);
        EXPECT_STR(resolver_note(of_labels, 0), "unit 0x43f: its abbreviations lie outside .debug_abbrev");
        free(labels);
        resolver_find_extents(of_extents, resolver_add_module(of_extents, &module), 0x214, &extents);
        EXPECT_STR(resolver_note(of_extents, 0), resolver_note(of_labels, 0));
        free(extents);
        os_remove(module.path, NULL);
}

/* --- Answers on disk --- */

#define INDEX_FOLDER "resolver_index.tmp"

static bool remove_answers(void *ctx, const char *name)
{
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, "%s/%s", INDEX_FOLDER, name);
        return os_remove(buf_text(&path), NULL);
}

/* One byte, which no file of answers is. */
static bool damage_answers(void *ctx, const char *name)
{
        AUTO_RELEASE(buf) path = {0};
        struct os_file *file;

        buf_printf(&path, "%s/%s", INDEX_FOLDER, name);
        os_remove(buf_text(&path), NULL);
        file = os_file_create(buf_text(&path), NULL);
        EXPECT_TRUE(file && os_file_write(file, "x", 1, NULL) && os_file_close(file, NULL));
        ++*(size_t *)ctx;
        return true;
}

/* One that keeps its answers. */
static struct resolver *cached_resolver(bool demangle)
{
        static const struct answers_cache_options index = {.folder = INDEX_FOLDER};
        static const struct resolver_sources sources = {.index = &index};

        return resolver_new(
                &(struct resolver_options){.demangle = demangle, .debug_dirs = no_dirs, .sources = &sources});
}

/* The module's note after two look-ups with an index. */
static void add_index_note(struct buf *out)
{
        AUTO(resolver) resolver = cached_resolver(false);
        resolver_id id = add_file(resolver, "dwarf/gcc5.so");
        static const uint64_t addrs[] = {0x201};
        static const char *const want[] = {"sum_longest /src/one.c:13"};

        expect_frames(resolver, id, addrs, want, 1);
        expect_frames(resolver, id, addrs, want, 1);
        buf_clear(out);
        if (resolver_note(resolver, id))
                buf_add_str(out, resolver_note(resolver, id));
}

TEST(the_note_says_why_answers_on_disk_are_not_used)
{
        AUTO_RELEASE(buf) note = {0};
        size_t n_damaged = 0;

        os_list_dir(INDEX_FOLDER, remove_answers, NULL, NULL);
        add_index_note(&note);
        add_index_note(&note);
        EXPECT_STR(buf_text(&note), "");
        os_list_dir(INDEX_FOLDER, damage_answers, &n_damaged, NULL);
        EXPECT_TRUE(n_damaged);
        add_index_note(&note);
        EXPECT_TRUE(!strncmp(buf_text(&note), "the symbol cache is not used: " INDEX_FOLDER "/", 49));
        EXPECT_CONTAINS(buf_text(&note), ".symbols: is damaged; wperf creates it again");
        EXPECT_TRUE(!strstr(buf_text(&note) + 1, "the symbol cache"));
        add_index_note(&note);
        EXPECT_STR(buf_text(&note), "");
#ifndef _WIN32
        EXPECT_INT(chmod(INDEX_FOLDER, 0770), 0);
        add_index_note(&note);
        EXPECT_STR(buf_text(&note), "the symbol cache is not used: " INDEX_FOLDER
                                    ": belongs to another user, or others may write to it");
        EXPECT_INT(chmod(INDEX_FOLDER, 0700), 0);
#endif
}

static struct answers_cache *open_answers(const char *name, enum answer_kind kind)
{
        AUTO(object) object = object_open(data_path(name), NULL);
        const struct answers_sources sources = {{object}, dwarf_section_name};
        struct answers_key key;

        if (!object || !answers_key_make(INDEX_FOLDER, object, &sources, &key, NULL))
                return NULL;
        key.kind = (uint8_t)kind;
        key.version = DWARF_ANSWERS_VERSION;
        return answers_cache_open(&(struct answers_cache_options){.folder = INDEX_FOLDER}, &key, NULL);
}

/* Damaged lists of .dwo files: one without a file, and one with more ids than files that may be opened. */
TEST(what_the_cache_says_of_split_files_is_not_trusted)
{
        static const uint64_t addrs[] = {0x200};
        static const char *const want[] = {"report_fault /src/two.c:7"};

        os_list_dir(INDEX_FOLDER, remove_answers, NULL, NULL);
        for (unsigned i = 0; i < 6; i++) {
                AUTO(resolver) resolver = cached_resolver(false);
                AUTO(answers_cache) cache = open_answers("dwarf/split5.so", ANSWER_DWOS);
                struct answer_dwo dwo = {0};

                ASSERT_TRUE(cache);
                dwo.name = answers_cache_text(cache, "no such file");
                if (i == 2)
                        answers_cache_add(cache, 5, NULL, 0);
                for (uint64_t id = 0; i == 4 && id < 1000; id++)
                        answers_cache_add(cache, UINT64_MAX - 500 + id, &dwo, 1);
                EXPECT_TRUE(answers_cache_save(cache, NULL));
                expect_frames(resolver, add_file(resolver, "dwarf/split5.so"), addrs, want, 1);
        }
}

/* So that it shows where an answer comes from. */
static void plant_labels(uint64_t addr)
{
        AUTO(answers_cache) cache = open_answers("dwarf/labels2.so", ANSWER_LABELS);
        struct answer_label labels[] = {
                {.addr = 0x1234, .line = 7, .has_addr = true},
                {.line = 8},
        };

        ASSERT_TRUE(cache);
        labels[0].name = answers_cache_text(cache, "planted");
        labels[0].path = answers_cache_text(cache, "p.c");
        labels[1].name = answers_cache_text(cache, "planted_too");
        answers_cache_add(cache, addr, labels, N_ELEMENTS(labels));
        EXPECT_TRUE(answers_cache_save(cache, NULL));
}

static void plant_extents(uint64_t addr)
{
        AUTO(answers_cache) cache = open_answers("dwarf/labels2.so", ANSWER_EXTENTS);
        static const struct answer_extent extents[] = {{0x10, 0x10}};
        static const struct answer_extent overlapping[] = {{0x10, 0x10}, {0x1f, 1}};

        ASSERT_TRUE(cache);
        answers_cache_add(cache, addr, extents, N_ELEMENTS(extents));
        answers_cache_add(cache, addr + 1, overlapping, N_ELEMENTS(overlapping));
        EXPECT_TRUE(answers_cache_save(cache, NULL));
}

/* "0x2a0 TARGET_PUSH labels.c:39; lost ..." and "0x205-0x214 ...". */
static void describe_function(uint64_t addr, struct buf *out)
{
        AUTO(resolver) resolver = cached_resolver(false);
        resolver_id id = add_file(resolver, "dwarf/labels2.so");
        struct resolver_extent *extents;
        struct resolver_label *labels;
        size_t n_labels = resolver_find_labels(resolver, id, addr, &labels);
        size_t n_extents = resolver_find_extents(resolver, id, addr, &extents);

        buf_clear(out);
        for (size_t i = 0; i < n_labels; i++) {
                buf_printf(out, labels[i].has_addr ? "0x%llx" : "lost", (unsigned long long)labels[i].addr);
                buf_printf(out, " %s %s:%u\n", resolver_text(resolver, labels[i].name),
                           labels[i].path ? resolver_text(resolver, labels[i].path) : "??", labels[i].line);
        }
        for (size_t i = 0; i < n_extents; i++)
                buf_printf(out, "0x%llx-0x%llx\n", (unsigned long long)extents[i].start,
                           (unsigned long long)extents[i].end);
        free(labels);
        free(extents);
}

/* In a store each text stands once. */
TEST(a_text_may_be_of_a_function_and_a_path)
{
        AUTO(resolver) resolver = cached_resolver(true);
        static const uint64_t addrs[] = {0x2a0};
        static const char *const want[] = {"step step.cold:7"};
        AUTO(answers_cache) cache = NULL;
        struct answer_frame frame = {.line = 7, .start = 0x250};

        os_list_dir(INDEX_FOLDER, remove_answers, NULL, NULL);
        cache = open_answers("dwarf/labels2.so", ANSWER_FRAMES);
        ASSERT_TRUE(cache);
        frame.function = frame.path = answers_cache_text(cache, "step.cold");
        answers_cache_add(cache, addrs[0], &frame, 1);
        EXPECT_TRUE(answers_cache_save(cache, NULL));
        expect_frames(resolver, add_file(resolver, "dwarf/labels2.so"), addrs, want, 1);
}

TEST(labels_and_extents_are_kept_on_disk)
{
        AUTO_RELEASE(buf) first = {0};
        AUTO_RELEASE(buf) again = {0};

        os_list_dir(INDEX_FOLDER, remove_answers, NULL, NULL);
        describe_function(0x2a0, &first);
        EXPECT_CONTAINS(buf_text(&first), "0x2a0 TARGET_PUSH /src/labels.c:39\n");
        EXPECT_CONTAINS(buf_text(&first), "0x205-0x214\n0x250-0x31e\n");
        describe_function(0x2a0, &again);
        EXPECT_STR(buf_text(&again), buf_text(&first));

        plant_labels(0x2a1);
        plant_extents(0x2a1);
        describe_function(0x2a1, &again);
        EXPECT_STR(buf_text(&again), "0x1234 planted p.c:7\nlost planted_too ??:8\n0x10-0x20\n");
        describe_function(0x2a0, &again);
        EXPECT_STR(buf_text(&again), buf_text(&first));
}

/* The cached texts of `size` bytes of code at 0x400. */
static void expect_recalled(uint64_t dialect, const char *code, size_t size, const char *texts)
{
        AUTO(resolver) resolver = cached_resolver(false);
        struct resolver_insn *insns;
        size_t n = resolver_recall_insns(resolver, add_file(resolver, "dwarf/labels2.so"), dialect, 0x400,
                                         (const uint8_t *)code, size, &insns);
        AUTO_RELEASE(buf) out = {0};

        for (size_t i = 0; i < n; i++)
                buf_printf(&out, "%zu %s\n", insns[i].size_bytes, insns[i].text);
        EXPECT_STR(buf_text(&out), texts);
        free(insns);
}

static void keep_insns(uint64_t dialect, const char *code, const struct resolver_insn *insns, size_t n)
{
        AUTO(resolver) resolver = cached_resolver(false);

        resolver_keep_insns(resolver, add_file(resolver, "dwarf/labels2.so"), dialect, 0x400,
                            (const uint8_t *)code, insns, n);
}

TEST(instructions_are_kept_on_disk)
{
        static const struct resolver_insn insns[] = {{"two", 2}, {"one", 1}};
        static const struct resolver_insn too_long[] = {{"one", 1}, {"sixteen", 16}};

        os_list_dir(INDEX_FOLDER, remove_answers, NULL, NULL);
        expect_recalled(1, "abc", 3, "");
        keep_insns(1, "abc", insns, N_ELEMENTS(insns));
        expect_recalled(1, "abc", 3, "2 two\n1 one\n");
        expect_recalled(2, "abc", 3, "");
        for (size_t i = 0; i < 24; i++) {
                char other[] = "abc";

                other[i / 8] = (char)(other[i / 8] ^ 1 << i % 8);
                expect_recalled(1, other, 3, "");
        }
        expect_recalled(1, "abcd", 4, "");
        expect_recalled(1, "ab", 2, "");
        keep_insns(3, "0123456789abcdefg", too_long, N_ELEMENTS(too_long));
        expect_recalled(3, "0123456789abcdefg", 17, "");
        os_list_dir(INDEX_FOLDER, remove_answers, NULL, NULL);
}

TEST(that_answers_are_not_kept_is_said_once)
{
        static const char *const names[] = {"dwarf/gcc5.so", "dwarf/labels2.so"};
        struct os_file *file = os_file_create("resolver_no_folder.tmp", NULL);
        struct err first = {0};
        struct answers_cache_options index = {.folder = "resolver_no_folder.tmp/wperf", .save_err = &first};
        struct resolver_sources sources = {.index = &index};
        struct resolver *resolver;
        struct resolver_frames frames;
        uint64_t addr = 0x214;

        EXPECT_TRUE(os_file_close(file, NULL));
        resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs, .sources = &sources});
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                resolver_id id = add_file(resolver, names[i]);

                resolver_find_frames(resolver, id, &addr, 1, &frames);
                resolver_frames_release(&frames);
                EXPECT_TRUE(!resolver_note(resolver, id));
        }
        resolver_free(resolver);
        EXPECT_TRUE(first.code);
        EXPECT_TRUE(!strncmp(first.text, "resolver_no_folder.tmp/wperf: ", 30));
        os_remove("resolver_no_folder.tmp", NULL);
}

/* --- The kernel --- */

#define KERNEL_DIR "resolver_vmlinux.tmp"
#define KERNEL_AT  0xffffffff9a000000u /* the address of the kernel in these tests; its file begins at 0 */

static const uint8_t kernel_build_id[] = {0x69, 0xd5, 0xc2, 0x8a, 0xde, 0xd6, 0x24, 0x02, 0x6c, 0xb2,
                                          0x4a, 0xd3, 0xe8, 0x90, 0x89, 0xe4, 0x47, 0xb8, 0x2b, 0x9b};

static void write_kernel_file(const char *path, const void *bytes, size_t size)
{
        struct os_file *file = os_file_create(path, NULL);

        EXPECT_TRUE(file && os_file_write(file, bytes, size, NULL) && os_file_close(file, NULL));
}

/* elf/caller.exe, which has this build id, as the kernel's file. */
static void write_kernel(void)
{
        static const char file[] = KERNEL_DIR "/.build-id/69/d5c28aded624026cb24ad3e89089e447b82b9b.debug";
        static const char symbols[] = "ffffffff9a001040 t unnamed_when_stripped.constprop.0\n"
                                      "ffffffff9a001060 T _start\n"
                                      "ffffffff9a001100 T behind\n"
                                      "ffffffffc0001060 t _start\t[nf_tables]\n";
        AUTO_RELEASE(buf) bytes = {0};

        os_make_dir(KERNEL_DIR, NULL);
        os_make_dir(KERNEL_DIR "/.build-id", NULL);
        os_make_dir(KERNEL_DIR "/.build-id/69", NULL);
        EXPECT_TRUE(os_read_file(data_path("elf/caller.exe"), 1 << 20, &bytes, NULL));
        write_kernel_file(file, bytes.data, bytes.len);
        write_kernel_file(KERNEL_DIR "/kallsyms", symbols, strlen(symbols));
}

TEST(lines_and_code_of_the_kernel_come_from_vmlinux)
{
        static const char *const dirs[] = {KERNEL_DIR, NULL};
        struct resolver_options options = {.kallsyms_path = KERNEL_DIR "/kallsyms", .debug_dirs = dirs};
        struct resolver_module kernel = {.kind = RESOLVER_KERNEL,
                                         .path = "[kernel.kallsyms]",
                                         .build_id = kernel_build_id,
                                         .build_id_size = sizeof(kernel_build_id)};
        static const uint64_t addrs[] = {KERNEL_AT + 0x1050, KERNEL_AT + 0x1061};
        static const char *const want[] = {"unnamed_when_stripped ./caller.c:13", "_start ./caller.c:16"};
        AUTO(object) object = object_open(data_path("elf/caller.exe"), NULL);
        AUTO(resolver) resolver = NULL;
        struct resolver_extent *extents;
        const uint8_t *code;
        struct cursor bytes;
        resolver_id id;

        write_kernel();
        resolver = resolver_new(&options);
        id = resolver_add_module(resolver, &kernel);
        expect_frames(resolver, id, addrs, want, 2);
        EXPECT_TRUE(!resolver_note(resolver, id));
        EXPECT_INT(resolver_get_machine(resolver, id, addrs[0]), OBJECT_MACHINE_X86_64);
        EXPECT_INT(resolver_find_extents(resolver, id, addrs[0], &extents), 1);
        EXPECT_INT(extents[0].start, KERNEL_AT + 0x1040);
        free(extents);
        ASSERT_TRUE(object && object_read_addr(object, 0x1040, 16, &bytes));
        ASSERT_TRUE(resolver_read_code(resolver, id, KERNEL_AT + 0x1040, 16, &code));
        EXPECT_TRUE(!memcmp(code, bytes.at, 16));
}

TEST(what_lines_of_the_kernel_need_is_said)
{
        static const char *const dirs[] = {KERNEL_DIR, NULL};
        static const uint8_t other_build_id[20] = {1};
        struct resolver_options options = {.kallsyms_path = KERNEL_DIR "/kallsyms", .debug_dirs = dirs};
        struct resolver_module kernels[] = {
                {.kind = RESOLVER_KERNEL,
                 .path = "[kernel.kallsyms]",
                 .build_id = other_build_id,
                 .build_id_size = 20},
                {.kind = RESOLVER_KERNEL, .path = "[kernel.kallsyms]"},
                {.kind = RESOLVER_KERNEL, .path = "[nf_tables]"},
        };
        static const char *const notes[] = {
                "lines and code of the kernel need its vmlinux with debug information, and wperf found no " KERNEL_DIR
                "/boot/vmlinux-",
                "lines and code of the kernel need its build id, which the session does not have",
                "wperf does not read lines and code of kernel modules",
        };
        static const uint64_t addrs[] = {KERNEL_AT + 0x1061, KERNEL_AT + 0x1061, 0xffffffffc0001061u};
        static const char *const want[] = {"_start ??:0"};

        write_kernel();
        for (size_t i = 0; i < N_ELEMENTS(kernels); i++) {
                AUTO(resolver) resolver = resolver_new(&options);
                resolver_id id = resolver_add_module(resolver, &kernels[i]);

                expect_frames(resolver, id, &addrs[i], want, 1);
                EXPECT_CONTAINS(resolver_note(resolver, id), notes[i]);
                expect_frames(resolver, id, &addrs[i], want, 1);
                EXPECT_INT(strlen(resolver_note(resolver, id)) >= strlen(notes[i]), 1);
        }
}

/* --- Other modules --- */

TEST(a_module_that_is_nothing_has_no_frames)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        resolver_id id = resolver_add_module(resolver, &(struct resolver_module){.kind = RESOLVER_NONE});
        static const uint64_t addrs[] = {0x1101};
        static const char *const want[] = {""};
        const uint8_t *code;

        expect_frames(resolver, id, addrs, want, 1);
        EXPECT_TRUE(!resolver_read_code(resolver, id, 0x1101, 1, &code));
        expect_frames(resolver, add_file(resolver, "no-such-file"), addrs, want, 1);
}

TEST(code_is_read_where_the_object_has_it)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        resolver_id id = add_file(resolver, "dwarf/gcc5.so");
        const uint8_t *code = NULL;

        ASSERT_TRUE(resolver_read_code(resolver, id, 0x200, 0x15b, &code));
        EXPECT_INT(code[0x16d - 0x100], 0xc3); /* the ret of scaled */
        EXPECT_TRUE(!resolver_read_code(resolver, id, 0x200, 0x10000, &code));
        EXPECT_TRUE(!resolver_read_code(resolver, id, UINT64_MAX, 2, &code));
}

/* Two functions; the second counts its lines from an ELF header that does not exist. */
static void write_dump(const char *path)
{
        struct dump_builder b = {0};
        struct os_file *file = os_file_create(path, NULL);

        dump_header(&b, 0);
        dump_lines_begin(&b, 1, 0x1000, 2);
        dump_line(&b, 0x1000, 7, 0, "a.js");
        dump_line(&b, 0x1008, 9, 0, "\xff");
        dump_end(&b);
        dump_load(&b, 1, 0x1000, 16, 1, "plain");
        dump_lines_begin(&b, 2, 0x2000, 2);
        dump_line(&b, 0x2040, 3, 0, "b.js");
        dump_line(&b, 0x2048, 4, 0, "\xff");
        dump_end(&b);
        dump_load(&b, 2, 0x2000, 16, 2, "shifted");
        dump_load(&b, 3, 0x3003, 16, 3, "lineless");
        EXPECT_TRUE(os_file_write(file, b.bytes.data, b.bytes.len, NULL));
        EXPECT_TRUE(os_file_close(file, NULL));
        buf_release(&b.bytes);
}

TEST(code_made_at_run_time_has_lines_from_its_jitdump)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        struct resolver_module module = {
                .kind = RESOLVER_PERFMAP, .path = "none.map", .jitdump_path = "jit-1.dump"};
        static const uint64_t addrs[] = {0xfff, 0x1000, 0x1007, 0x1008, 0x2000, 0x200f, 0x3004};
        static const char *const want[] = {"",
                                           "plain a.js:7",
                                           "plain a.js:7",
                                           "plain a.js:9",
                                           "shifted b.js:3",
                                           "shifted b.js:4",
                                           "lineless ??:0"};
        const uint8_t *code = NULL;
        resolver_id id;

        write_dump(module.jitdump_path);
        id = resolver_add_module(resolver, &module);
        expect_frames(resolver, id, addrs, want, 7);
        ASSERT_TRUE(resolver_read_code(resolver, id, 0x3004, 15, &code));
        EXPECT_INT(code[14], 3);
        EXPECT_TRUE(!resolver_read_code(resolver, id, 0x3004, 16, &code));
        EXPECT_TRUE(!resolver_read_code(resolver, id, 0xfff, 1, &code));
        os_remove(module.jitdump_path, NULL);
}

enum { N_LINES = 20000 };

/* One function, a line and a file for each of its bytes, in disorder. */
static void write_many_lines(const char *path)
{
        struct dump_builder b = {0};
        struct os_file *file = os_file_create(path, NULL);
        char name[32];

        dump_header(&b, 0);
        dump_lines_begin(&b, 1, 0x10000, N_LINES);
        for (uint32_t i = 0; i < N_LINES; i++) {
                uint32_t number = i * 7 % N_LINES;

                snprintf(name, sizeof(name), "%u.js", number);
                dump_line(&b, 0x10000 + number, 1 + number, 0, name);
        }
        dump_end(&b);
        dump_load(&b, 1, 0x10000, N_LINES, 1, "long");
        EXPECT_TRUE(os_file_write(file, b.bytes.data, b.bytes.len, NULL));
        EXPECT_TRUE(os_file_close(file, NULL));
        buf_release(&b.bytes);
}

TEST(each_of_many_lines_is_found_and_nothing_else_is_kept)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.debug_dirs = no_dirs});
        struct resolver_module module = {
                .kind = RESOLVER_PERFMAP, .path = "none.map", .jitdump_path = "jit-2.dump"};
        uint64_t *addrs = mem_new(N_LINES, sizeof(*addrs)), last = 0x10000 + N_LINES - 1;
        struct resolver_frames frames;
        size_t n_right = 0;
        resolver_id id;

        write_many_lines(module.jitdump_path);
        id = resolver_add_module(resolver, &module);
        resolver_find_frames(resolver, id, &last, 1, &frames);
        ASSERT_CMP(frames.n_frames, ==, 1);
        EXPECT_STR(resolver_text(resolver, frames.frames[0].path), "19999.js");
        EXPECT_CMP(frames.frames[0].path, <, 10); /* texts are numbered */
        resolver_frames_release(&frames);
        for (size_t i = 0; i < N_LINES; i++)
                addrs[i] = 0x10000 + i;
        resolver_find_frames(resolver, id, addrs, N_LINES, &frames);
        for (size_t i = 0; i < frames.n_frames; i++)
                n_right += frames.frames[i].line == 1 + i &&
                           strtoul(resolver_text(resolver, frames.frames[i].path), NULL, 10) == i;
        EXPECT_INT(n_right, N_LINES);
        resolver_frames_release(&frames);
        free(addrs);
        os_remove(module.jitdump_path, NULL);
}

TAP_MAIN
