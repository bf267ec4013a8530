/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_recorded_symbols into a folder: the sections of the unit test, and rarer ones. */
#include "map.h"
#include "recorded_builder.h"
#include "save_seed.h"

static const char *folder;

static void build_and_save(const char *name, void (*build)(struct buf *out))
{
        struct buf bytes = {0};

        build(&bytes);
        save_seed(folder, name, &bytes);
}

/* --- FILE of simpleperf --- */

static void begin_file(struct buf *file, const char *path, uint32_t type, uint32_t n_names)
{
        buf_clear(file);
        buf_add(file, path, strlen(path) + 1);
        add_u32(file, type);
        add_u64(file, 0x2000);
        add_u32(file, n_names);
}

static void add_name(struct buf *file, uint64_t addr, const char *name)
{
        add_u64(file, addr);
        add_u32(file, 0x10);
        buf_add(file, name, strlen(name) + 1);
}

static void end_file(struct buf *out, const struct buf *file)
{
        add_u32(out, (uint32_t)file->len);
        buf_add(out, file->data, file->len);
}

/* The kernel, a dex file with the offsets of its parts, a file without functions, and one that is listed
 * again. */
static void build_kinds(struct buf *out)
{
        AUTO_RELEASE(buf) file = {0};

        begin_file(&file, "[kernel.kallsyms]", 0, 1);
        add_name(&file, 0xffffffc000001000, "start");
        end_file(out, &file);
        begin_file(&file, "base.vdex", 3, 1);
        add_name(&file, 0x100, "java");
        add_u32(&file, 1);
        add_u64(&file, 0x28);
        end_file(out, &file);
        begin_file(&file, "/lib/none.so", 2, 0);
        add_u64(&file, UINT64_MAX);
        end_file(out, &file);
        begin_file(&file, "base.vdex", 3, 0);
        end_file(out, &file);
}

static void build_too_few_names(struct buf *out)
{
        AUTO_RELEASE(buf) file = {0};

        begin_file(&file, "/lib/one.so", 2, 3);
        add_name(&file, 0x2010, "one");
        add_name(&file, 0x2020, "two");
        end_file(out, &file);
}

/* A library with one function, in the byte order other than this machine's. */
static void build_swapped(struct buf *out)
{
        AUTO_RELEASE(buf) file = {0};

        buf_add(&file, "/lib/one.so", sizeof("/lib/one.so"));
        add_u32(&file, __builtin_bswap32(2));
        add_u64(&file, __builtin_bswap64(0x2000));
        add_u32(&file, __builtin_bswap32(1));
        add_u64(&file, __builtin_bswap64(0x2010));
        add_u32(&file, __builtin_bswap32(0x10));
        buf_add(&file, "one", sizeof("one"));
        add_u32(out, __builtin_bswap32((uint32_t)file.len));
        buf_add(out, file.data, file.len);
}

static void add_path_of_words(struct buf *out, const uint64_t *words, size_t n)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) file = {0};

        buf_add(&path, words, n * sizeof(*words));
        begin_file(&file, buf_text(&path), 2, 1);
        add_name(&file, 0x2000, "f");
        end_file(out, &file);
}

static bool has_nul(uint64_t word)
{
        return memchr(&word, 0, sizeof(word));
}

/* The state of map_hash_bytes, without a key, before the last word of a path of one or two words. */
static uint64_t hash_before_last(const uint64_t *words, size_t n)
{
        uint64_t empty = map_hash_bytes("", 0) ^ n * sizeof(*words);

        return n == 1 ? empty : map_mix(empty ^ words[0]);
}

/* Three different paths with the same hash; the third is the first half of the first one. */
static void build_same_hash(struct buf *out)
{
        uint64_t words[2], one;

        for (memcpy(words, "/lib/aaa", sizeof(words[0]));; words[0]++) {
                words[1] = hash_before_last(words, 2) ^ hash_before_last(words, 1) ^ words[0];
                if (!has_nul(words[1]))
                        break;
        }
        one = words[0];
        add_path_of_words(out, words, 2);
        do {
                words[0]++;
                words[1] = hash_before_last(words, 2) ^ hash_before_last(&one, 1) ^ one;
        } while (has_nul(words[1]));
        add_path_of_words(out, words, 2);
        add_path_of_words(out, &one, 1);
}

/* --- FILE2 of simpleperf --- */

static void add_fixed(struct buf *out, unsigned field, unsigned wire, size_t size)
{
        add_varint(out, field << 3 | wire);
        buf_add_zeros(out, size);
}

static void build_all_wires(struct buf *out)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) part = {0};

        add_fixed(&part, 1, 1, 8);
        add_fixed(&part, 2, 5, 4);
        add_number(&part, 3, 1); /* where a name belongs */
        add_number(&part, 9, 1);
        add_number(&file, 4, 1); /* where a function belongs */
        add_part(&file, 4, part.data, part.len);
        add_part(&file, 1, "mod.ko", 6);
        add_number(&file, 2, 1);
        buf_clear(&part);
        add_number(&part, 2, 7);
        add_part(&file, 7, part.data, part.len);
        end_file(out, &file);
}

static void build_no_path(struct buf *out)
{
        AUTO_RELEASE(buf) file = {0};

        add_number(&file, 1, 5);
        end_file(out, &file);
}

static void build_unknown_wire(struct buf *out)
{
        AUTO_RELEASE(buf) file = {0};

        add_part(&file, 1, "a", 1);
        add_fixed(&file, 2, 3, 0);
        end_file(out, &file);
}

static void build_cut_function(struct buf *out)
{
        AUTO_RELEASE(buf) file = {0};

        add_part(&file, 1, "a", 1);
        add_part(&file, 4, "\x1a\x7f", 2);
        add_number(&file, 2, 2);
        end_file(out, &file);
}

/* --- hiperf --- */

static void add_hiperf_file(struct buf *out, const char *path, const char *build_id, uint32_t n_names)
{
        add_hiperf_text(out, path);
        add_u32(out, 3);
        add_u64(out, 0x5000);
        add_u64(out, 0x4000);
        add_hiperf_text(out, build_id);
        add_u32(out, n_names);
}

/* Build ids with the characters before and after the hexadecimal digits, with an odd length, and with too
 * many bytes. */
static void build_build_ids(struct buf *out)
{
        static const char *const ids[] = {"abcdef0123456789",
                                          "/0",
                                          "0:",
                                          "`a",
                                          "fg",
                                          "123",
                                          "00112233445566778899aabbccddeeff0011223344"};
        const size_t n = sizeof(ids) / sizeof(*ids);

        add_u32(out, (uint32_t)n + 1);
        for (size_t i = 0; i < n; i++) {
                const char path[] = {'a', (char)('a' + i), 0};

                add_hiperf_file(out, path, ids[i], 0);
        }
        add_hiperf_file(out, "/vendor/mod.ko", "", 0);
}

static void build_hiperf_cut(struct buf *out)
{
        add_u32(out, 2);
        add_hiperf_file(out, "a", "", 0);
        add_hiperf_file(out, "b", "", 1);
}

static void build_no_nul(struct buf *out)
{
        add_u32(out, 1);
        add_u32(out, 4);
        buf_add(out, "path", 4);
        buf_add_zeros(out, 4 + 8 + 8);
        add_hiperf_text(out, "");
        add_u32(out, 0);
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        folder = argv[1];
        build_and_save("simpleperf_file", build_simpleperf_file);
        build_and_save("simpleperf_file_kinds", build_kinds);
        build_and_save("simpleperf_file_same_hash", build_same_hash);
        build_and_save("simpleperf_file_swapped", build_swapped);
        build_and_save("simpleperf_file_too_few_names", build_too_few_names);
        build_and_save("simpleperf_file2", build_simpleperf_file2);
        build_and_save("simpleperf_file2_all_wires", build_all_wires);
        build_and_save("simpleperf_file2_cut_function", build_cut_function);
        build_and_save("simpleperf_file2_no_path", build_no_path);
        build_and_save("simpleperf_file2_unknown_wire", build_unknown_wire);
        build_and_save("hiperf_symbols", build_hiperf_symbols);
        build_and_save("hiperf_symbols_build_ids", build_build_ids);
        build_and_save("hiperf_symbols_cut", build_hiperf_cut);
        build_and_save("hiperf_symbols_no_nul", build_no_nul);
        return 0;
}
