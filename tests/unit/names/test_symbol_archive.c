/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolver_code.h"
#include "resolver_facts.h"
#include "symbol_archive.h"

#include <stdlib.h>

#include "archive_section.h"
#include "archived_module.h"
#include "codec.h"
#include "mem.h"
#include "os.h"
#include "section_layout.h"
#include "source_archive.h"
#include "tap.h"
#include "test_data.h"

static const struct archive_section_kind symbols_kind = {"WPSY", SYMBOL_ARCHIVE_VERSION};
static const struct archive_origin whole = {0};

/* What files of tests/data have their code in. */
static const struct stretch {
        const char *name;
        uint64_t from, to;
} stretches[] = {
        {"dwarf/gcc5.so", 0, 0x500},        {"dwarf/cxx.so", 0x1f0, 0x300},
        {"dwarf/arm64.so", 0x100, 0x600},   {"elf/caller.exe", 0x1000, 0x1200},
        {"dwarf/labels2.so", 0x1f0, 0x340}, {"elf/names.so", 0, 0x600},
};

static void make_section(struct buf *out)
{
        AUTO(resolver) resolver = raw_resolver();
        AUTO(symbol_archive_writer) writer = symbol_archive_writer_new(resolver);
        struct err err = {0};

        for (size_t i = 0; i < N_ELEMENTS(stretches); i++) {
                const struct archive_identity identity = identity_of(stretches[i].name);

                pack_module(writer, resolver, data_path(stretches[i].name), &identity, stretches[i].from,
                            stretches[i].to);
        }
        if (!symbol_archive_write(writer, &whole, out, &err))
                TAP_FAIL("%s", err.text);
}

static struct symbol_archive *open_section(const struct buf *section)
{
        struct err err = {0};
        struct symbol_archive *archive =
                symbol_archive_open(cursor_make(section->data, section->len), NULL, &err);

        if (!archive)
                TAP_FAIL("%s", err.text);
        return archive;
}

/* --- The same answers --- */

struct pair {
        struct resolver *file, *packed;
        resolver_id of_file, of_packed;
};

static const char *text(const struct resolver *resolver, str_id id)
{
        return id ? resolver_text(resolver, id) : "";
}

static void expect_same_symbol(const struct pair *p, uint64_t addr)
{
        struct symbol want = resolver_find_addr(p->file, p->of_file, addr);
        struct symbol got = resolver_find_addr(p->packed, p->of_packed, addr);

        EXPECT_INT(got.status, want.status);
        EXPECT_STR(text(p->packed, got.name), text(p->file, want.name));
        EXPECT_INT(got.start, want.start);
        EXPECT_INT(got.size, want.size);
        EXPECT_INT(got.addr, want.addr);
}

static void expect_same_frames(const struct pair *p, uint64_t addr)
{
        struct resolver_frames want, got;

        resolver_find_frames(p->file, p->of_file, &addr, 1, &want);
        resolver_find_frames(p->packed, p->of_packed, &addr, 1, &got);
        EXPECT_INT(got.spans[0].n, want.spans[0].n);
        for (size_t i = 0; !tap_failed && i < want.n_frames; i++) {
                EXPECT_STR(text(p->packed, got.frames[i].function), text(p->file, want.frames[i].function));
                EXPECT_STR(text(p->packed, got.frames[i].path), text(p->file, want.frames[i].path));
                EXPECT_INT(got.frames[i].line, want.frames[i].line);
                EXPECT_INT(got.frames[i].column, want.frames[i].column);
                EXPECT_INT(got.frames[i].is_inlined, want.frames[i].is_inlined);
                EXPECT_INT(got.frames[i].start, want.frames[i].start);
        }
        resolver_frames_release(&want);
        resolver_frames_release(&got);
}

static void expect_same_function(const struct pair *p, uint64_t addr)
{
        struct resolver_extent *want, *got;
        size_t n = resolver_find_extents(p->file, p->of_file, addr, &want);
        const uint8_t *code = NULL, *packed = NULL;

        EXPECT_INT(resolver_find_extents(p->packed, p->of_packed, addr, &got), n);
        for (size_t i = 0; !tap_failed && i < n; i++) {
                EXPECT_INT(got[i].start, want[i].start);
                EXPECT_INT(got[i].end, want[i].end);
        }
        if (n && resolver_read_code(p->file, p->of_file, want[0].start, want[0].end - want[0].start, &code)) {
                ASSERT_TRUE(resolver_read_code(p->packed, p->of_packed, want[0].start,
                                               want[0].end - want[0].start, &packed));
                EXPECT_TRUE(!memcmp(code, packed, (size_t)(want[0].end - want[0].start)));
                EXPECT_TRUE(!resolver_read_code(p->packed, p->of_packed, want[0].start, UINT64_MAX, &packed));
        }
        free(want);
        free(got);
}

static void expect_same_labels(const struct pair *p, uint64_t addr)
{
        struct resolver_label *want, *got;
        size_t n = resolver_find_labels(p->file, p->of_file, addr, &want);

        EXPECT_INT(resolver_find_labels(p->packed, p->of_packed, addr, &got), n);
        for (size_t i = 0; !tap_failed && i < n; i++) {
                EXPECT_STR(text(p->packed, got[i].name), text(p->file, want[i].name));
                EXPECT_STR(text(p->packed, got[i].path), text(p->file, want[i].path));
                EXPECT_INT(got[i].line, want[i].line);
                EXPECT_INT(got[i].has_addr, want[i].has_addr);
                EXPECT_TRUE(!got[i].has_addr || got[i].addr == want[i].addr);
        }
        free(want);
        free(got);
}

static void expect_same_facts(const struct pair *p)
{
        const struct resolver_facts *want = resolver_get_facts(p->file, p->of_file);
        const struct resolver_facts *got = resolver_get_facts(p->packed, p->of_packed);

        EXPECT_TRUE(want->has_image);
        EXPECT_TRUE(got->has_image);
        EXPECT_INT(got->image.entry, want->image.entry);
        EXPECT_INT(got->image.load_addr, want->image.load_addr);
        EXPECT_INT(got->image.is_executable, want->image.is_executable);
        EXPECT_INT(got->image.build_id_size, want->image.build_id_size);
        EXPECT_TRUE(!memcmp(got->image.build_id, want->image.build_id, want->image.build_id_size));
        EXPECT_INT(resolver_get_machine(p->packed, p->of_packed, 0),
                   resolver_get_machine(p->file, p->of_file, 0));
        EXPECT_CMP(want->n_sections, >, 0);
        EXPECT_INT(got->n_sections, want->n_sections);
        for (size_t i = 0; !tap_failed && i < want->n_sections; i++) {
                const struct resolver_section *a = &want->sections[i], *b = &got->sections[i];

                EXPECT_STR(b->name, a->name);
                EXPECT_INT(b->addr, a->addr);
                EXPECT_INT(b->size_bytes, a->size_bytes);
        }
        EXPECT_TRUE(want->object && !got->object);
        EXPECT_INT(got->source_rule, RESOLVER_SOURCE_PACKED);
}

static void expect_same_module(const struct symbol_archive *archive, const struct stretch *stretch,
                               const struct resolver_options *options)
{
        const struct archive_identity identity = identity_of(stretch->name);
        const struct resolver_module file = {.kind = RESOLVER_FILE, .path = data_path(stretch->name)};
        const struct resolver_module packed = {.archived = symbol_archive_find(archive, &identity)};
        AUTO(resolver) of_file = resolver_new(options);
        AUTO(resolver) of_packed = resolver_new(options);
        struct pair p = {of_file, of_packed, resolver_add_module(of_file, &file), 0};

        ASSERT_TRUE(packed.archived);
        p.of_packed = resolver_add_module(of_packed, &packed);
        expect_same_facts(&p);
        for (uint64_t addr = stretch->from; addr < stretch->to && !tap_failed; addr++) {
                uint64_t want = 0, got = 0;
                bool is_known = resolver_to_addr(p.file, p.of_file, addr, &want);

                EXPECT_INT(resolver_to_addr(p.packed, p.of_packed, addr, &got), is_known);
                EXPECT_TRUE(!is_known || got == want);
                expect_same_symbol(&p, addr);
                expect_same_frames(&p, addr);
                expect_same_function(&p, addr);
                expect_same_labels(&p, addr);
        }
}

TEST(answers_are_those_of_the_files)
{
        const struct resolver_options raw = {.debug_dirs = no_debug_dirs};
        const struct resolver_options readable = {.debug_dirs = no_debug_dirs, .demangle = true};
        const struct resolver_options full = {.debug_dirs = no_debug_dirs, .demangle_params = true};
        AUTO_RELEASE(buf) section = {0};
        AUTO(symbol_archive) archive = NULL;

        make_section(&section);
        archive = open_section(&section);
        ASSERT_TRUE(archive);
        EXPECT_INT(symbol_archive_n_modules(archive), N_ELEMENTS(stretches));
        for (size_t i = 0; i < N_ELEMENTS(stretches); i++) {
                expect_same_module(archive, &stretches[i], &raw);
                expect_same_module(archive, &stretches[i], &readable);
                expect_same_module(archive, &stretches[i], &full);
        }
}

TEST(what_was_not_packed_is_not_known)
{
        AUTO_RELEASE(buf) section = {0};
        AUTO(symbol_archive) archive = NULL;
        AUTO(resolver) resolver = raw_resolver();
        struct resolver_module module = {0};
        struct resolver_extent *extents;
        const uint8_t *code;
        uint64_t addr;
        resolver_id id;

        make_section(&section);
        archive = open_section(&section);
        ASSERT_TRUE(archive);
        module.archived = symbol_archive_get(archive, 0);
        id = resolver_add_module(resolver, &module);
        EXPECT_TRUE(!resolver_note(resolver, id));
        EXPECT_INT(resolver_find(resolver, id, 0x100000).status, SYMBOL_NONE);
        EXPECT_STR(resolver_note(resolver, id), "names are poor");
        EXPECT_TRUE(!resolver_to_addr(resolver, id, 0x100000, &addr));
        EXPECT_TRUE(!resolver_read_code(resolver, id, 0x100000, 1, &code));
        EXPECT_INT(resolver_find_extents(resolver, id, 0x100000, &extents), 0);
        EXPECT_STR(resolver_note(resolver, id), "lines are poor");
        EXPECT_TRUE(resolver_check(resolver, id, NULL));
        free(extents);
        EXPECT_TRUE(symbol_archive_knows(module.archived, stretches[0].from));
        EXPECT_TRUE(!symbol_archive_knows(module.archived, stretches[0].to));
        EXPECT_INT(module.archived->facts.built_ns, -5);
}

/* The resolver's result for a kept module with the path `path` and the build id of names.so. */
static struct symbol find_kept(const struct archived_module *archived, const char *path, uint64_t offset,
                               bool *ret_is_kept)
{
        AUTO(object) object = object_open(data_path("elf/names.so"), NULL);
        const struct object_facts *facts = object_get_facts(object);
        AUTO(resolver) resolver = raw_resolver();
        const struct resolver_module module = {
                .kind = RESOLVER_FILE,
                .path = path,
                .build_id = facts->build_id,
                .build_id_size = facts->build_id_size,
                .archived = archived,
        };
        resolver_id id = resolver_add_module(resolver, &module);
        struct symbol symbol = resolver_find(resolver, id, offset);

        *ret_is_kept = resolver_get_facts(resolver, id)->is_kept;
        return symbol;
}

TEST(kept_names_give_way_to_a_file_of_the_build)
{
        const struct archive_identity identity = identity_of("names");
        AUTO(resolver) resolver = raw_resolver();
        AUTO(symbol_archive_writer) writer = symbol_archive_writer_new(resolver);
        AUTO(symbol_archive) archive = NULL;
        AUTO_RELEASE(buf) section = {0};
        const struct archived_module *kept;
        struct symbol of_file, of_kept;
        bool is_kept;

        pack_kept(writer, resolver, data_path("elf/names.so"), &identity, 0x1000, 0x1100);
        EXPECT_TRUE(symbol_archive_write(writer, &whole, &section, NULL));
        archive = open_section(&section);
        ASSERT_TRUE(archive);
        kept = symbol_archive_get(archive, 0);
        EXPECT_TRUE(kept->facts.is_kept);
        of_kept = find_kept(kept, "/gone", 0x10f8, &is_kept);
        EXPECT_TRUE(is_kept);
        of_file = find_kept(kept, data_path("elf/names.so"), 0x10f8, &is_kept);
        EXPECT_TRUE(!is_kept);
        EXPECT_INT(of_kept.status, SYMBOL_NAMED);
        EXPECT_INT(of_file.status, SYMBOL_NAMED);
        EXPECT_INT(of_kept.start, of_file.start);
        /* The file knows addresses between those that were sampled. */
        EXPECT_INT(find_kept(kept, "/gone", 0x10f9, &is_kept).status, SYMBOL_NONE);
        EXPECT_INT(find_kept(kept, data_path("elf/names.so"), 0x10f9, &is_kept).status, SYMBOL_NAMED);
        /* A file of another build, and one with only exported names. */
        find_kept(kept, data_path("elf/names-stripped.so"), 0x10f8, &is_kept);
        EXPECT_TRUE(is_kept);
        find_kept(kept, data_path("elf/cxx.so"), 0x10f8, &is_kept);
        EXPECT_TRUE(is_kept);
}

TEST(modules_are_told_apart)
{
        AUTO_RELEASE(buf) section = {0};
        AUTO(symbol_archive) archive = NULL;
        struct archive_identity other, same = identity_of(stretches[1].name);
        static const uint8_t other_id[] = {1, 2, 3, 5};

        make_section(&section);
        archive = open_section(&section);
        ASSERT_TRUE(archive);
        EXPECT_CMP(symbol_archive_find(archive, &same), ==, symbol_archive_get(archive, 1));
#define EXPECT_OTHER(field, value)                                                                           \
        do {                                                                                                 \
                other = same;                                                                                \
                other.field = value;                                                                         \
                EXPECT_TRUE(!symbol_archive_find(archive, &other));                                          \
        } while (0)
        EXPECT_OTHER(kind, 4);
        EXPECT_OTHER(path, "else");
        EXPECT_OTHER(pid, 7);
        EXPECT_OTHER(build_id, other_id);
        EXPECT_OTHER(build_id_size, 3);
        EXPECT_OTHER(dev, 2);
        EXPECT_OTHER(inode, 2);
        EXPECT_OTHER(start, 2);
        EXPECT_OTHER(end, 2);
}

TEST(an_archive_may_be_empty)
{
        const struct archive_origin cut = {.is_unfinished = true, .cut_bytes = UINT64_MAX};
        AUTO(resolver) resolver = raw_resolver();
        AUTO(symbol_archive_writer) writer = symbol_archive_writer_new(resolver);
        AUTO(symbol_archive) archive = NULL;
        AUTO_RELEASE(buf) section = {0};

        EXPECT_TRUE(symbol_archive_write(writer, &cut, &section, NULL));
        archive = open_section(&section);
        ASSERT_TRUE(archive);
        EXPECT_INT(symbol_archive_n_modules(archive), 0);
        EXPECT_TRUE(symbol_archive_origin(archive)->is_unfinished);
        EXPECT_CMP(symbol_archive_origin(archive)->cut_bytes, ==, UINT64_MAX);
}

/* --- Damage --- */

static void expect_refused(const void *bytes, size_t size, enum err_code code, const char *words)
{
        /* A copy of the exact size, so that reads after the end are detected. */
        char *copy = mem_new(size ? size : 1, 1);
        struct err err = {0};
        struct symbol_archive *archive;

        if (size)
                memcpy(copy, bytes, size);
        archive = symbol_archive_open(cursor_make(copy, size), NULL, &err);
        EXPECT_TRUE(!archive);
        EXPECT_INT(err.code, code);
        EXPECT_CONTAINS(err.text, words);
        symbol_archive_free(archive);
        free(copy);
}

TEST(cuts_and_changes_are_seen)
{
        AUTO_RELEASE(buf) section = {0};

        make_section(&section);
        for (size_t size = 0; size < section.len && !tap_failed; size++)
                expect_refused(section.data, size, ERR_FORMAT, "is damaged");
        buf_add_char(&section, 'x');
        expect_refused(section.data, section.len, ERR_FORMAT, "is damaged");
        buf_truncate(&section, section.len - 1);
        for (size_t at = ENVELOPE_CHECKSUM_OFF; at < section.len && !tap_failed; at++) {
                section.data[at] ^= 0x10;
                expect_refused(section.data, section.len, ERR_FORMAT, "is damaged");
                section.data[at] ^= 0x10;
        }
        section.data[SECTION_VERSION_OFF]++;
        expect_refused(section.data, section.len, ERR_UNSUPPORTED, "has version 3");
        section.data[SECTION_VERSION_OFF]--;
        section.data[ENVELOPE_FLAGS_OFF] |= 2;
        expect_refused(section.data, section.len, ERR_UNSUPPORTED, "has version 2");
        section.data[ENVELOPE_FLAGS_OFF] &= ~2;
        memset(section.data + ENVELOPE_SIZE_OFF, 0xff, 8);
        expect_refused(section.data, section.len, ERR_LIMIT, "is larger than 256 MiB");
}

/* Not packed, which is quick. */
static void wrap_content(uint32_t version, const char *bytes, size_t size, struct buf *out)
{
        buf_add(out, symbols_kind.magic, 4);
        buf_add_u32(out, version);
        buf_add_u64(out, 0);
        buf_add_u64(out, size);
        buf_add_u64(out, archive_section_checksum(bytes, size));
        buf_add(out, bytes, size);
}

/* Content with a correct checksum: it is refused, or gives some answers. */
static void use_content(uint32_t version, const char *bytes, size_t size)
{
        AUTO_RELEASE(buf) section = {0};
        AUTO(symbol_archive) archive = NULL;
        AUTO(resolver) resolver = raw_resolver();

        wrap_content(version, bytes, size, &section);
        archive = symbol_archive_open(cursor_make(section.data, section.len), NULL, NULL);
        for (size_t i = 0; archive && i < symbol_archive_n_modules(archive); i++) {
                const struct resolver_module module = {.archived = symbol_archive_get(archive, i)};
                resolver_id id = resolver_add_module(resolver, &module);

                for (uint64_t addr = 0; addr < 0x300; addr += 0x10) {
                        struct resolver_frames frames;
                        struct resolver_extent *extents;
                        struct resolver_label *labels;

                        resolver_find(resolver, id, addr);
                        resolver_find_frames(resolver, id, &addr, 1, &frames);
                        resolver_frames_release(&frames);
                        resolver_find_extents(resolver, id, addr, &extents);
                        resolver_find_labels(resolver, id, addr, &labels);
                        free(extents);
                        free(labels);
                }
        }
}

/* Each byte changed, and every length. */
static void use_damaged(uint32_t version, struct buf *bytes)
{
        static const uint8_t changes[] = {0x01, 0x80, 0xff};

        for (size_t i = 0; i < bytes->len * N_ELEMENTS(changes); i++) {
                char *byte = &bytes->data[i / N_ELEMENTS(changes)], old = *byte;

                *byte = (char)(*byte ^ changes[i % N_ELEMENTS(changes)]);
                use_content(version, bytes->data, bytes->len);
                *byte = old;
        }
        for (size_t size = 0; size < bytes->len; size++)
                use_content(version, bytes->data, size);
}

TEST(content_is_not_trusted)
{
        AUTO(resolver) resolver = raw_resolver();
        AUTO(symbol_archive_writer) writer = symbol_archive_writer_new(resolver);
        const struct archive_identity identity = identity_of("it");
        AUTO_RELEASE(buf) section = {0};
        AUTO_RELEASE(buf) unpacked = {0};
        AUTO_RELEASE(buf) bytes = {0};
        struct cursor content;

        pack_module(writer, resolver, data_path("dwarf/gcc5.so"), &identity, 0x200, 0x280);
        EXPECT_TRUE(symbol_archive_write(writer, &whole, &section, NULL));
        ASSERT_TRUE(archive_section_read(&symbols_kind, cursor_make(section.data, section.len), NULL,
                                         &unpacked, &content, NULL));
        buf_add(&bytes, content.at, cursor_left(&content));
        use_damaged(SYMBOL_ARCHIVE_VERSION, &bytes);
}

/* --- Version 1 --- */

/* Content that version 1 of the writer made from a part of a file: see tests/data/archive_v1/README. */
static const struct {
        const char *name, *file;
        uint64_t from, to;
} old_contents[] = {
        {"inlines", "dwarf/gcc5.so", 0x200, 0x270},   {"cxx", "dwarf/cxx.so", 0x200, 0x260},
        {"labels", "dwarf/labels2.so", 0x200, 0x240}, {"stubs", "elf/caller.exe", 0x1000, 0x1060},
        {"nothing", "dwarf/gcc5.so", 0x10, 0x18},
};

static void read_old(size_t i, struct buf *ret_bytes)
{
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, "archive_v1/%s", old_contents[i].name);
        EXPECT_TRUE(os_read_file(data_path(buf_text(&path)), 1 << 20, ret_bytes, NULL));
}

TEST(answers_of_version_1_are_those_of_the_files)
{
        const struct resolver_options readable = {.debug_dirs = no_debug_dirs, .demangle = true};

        for (size_t i = 0; i < N_ELEMENTS(old_contents); i++) {
                const struct stretch stretch = {old_contents[i].file, old_contents[i].from,
                                                old_contents[i].to};
                AUTO_RELEASE(buf) bytes = {0};
                AUTO_RELEASE(buf) section = {0};
                AUTO(symbol_archive) archive = NULL;

                read_old(i, &bytes);
                wrap_content(1, bytes.data, bytes.len, &section);
                archive = open_section(&section);
                ASSERT_TRUE(archive);
                EXPECT_INT(symbol_archive_n_modules(archive), 1);
                EXPECT_TRUE(symbol_archive_origin(archive)->is_unfinished);
                EXPECT_INT(symbol_archive_origin(archive)->cut_bytes, 300);
                EXPECT_STR(symbol_archive_get(archive, 0)->facts.name_note, "names are poor");
                EXPECT_STR(symbol_archive_get(archive, 0)->facts.line_note, "lines are poor");
                expect_same_module(archive, &stretch, &readable);
        }
}

TEST(content_of_version_1_is_not_trusted)
{
        AUTO_RELEASE(buf) bytes = {0};

        read_old(0, &bytes);
        use_damaged(1, &bytes);
}

/* Empty texts of one byte each; a million of them compress to some hundred bytes. */
TEST(memory_is_bounded)
{
        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        for (size_t mib = 4; mib <= 16; mib *= 4) {
                AUTO_RELEASE(buf) content = {0};
                AUTO_RELEASE(buf) section = {0};
                AUTO(symbol_archive) archive = NULL;
                struct err err = {0};

                buf_add_zeros(&content, 2);
                buf_add_uleb(&content, mib << 20);
                buf_add_uleb(&content, mib << 20);
                buf_add_zeros(&content, (mib << 20) + 1);
                ASSERT_TRUE(archive_section_write(&symbols_kind, &content, &section, NULL));
                archive = symbol_archive_open(cursor_make(section.data, section.len), NULL, &err);
                EXPECT_STR(err.text, mib == 4 ? "" : "is damaged: a number in it is impossible");
        }
}

TEST(numbers_come_back)
{
        static const int64_t numbers[] = {0, 1, -1, 63, 64, -64, -65, 127, 128, INT64_MAX, INT64_MIN};
        AUTO_RELEASE(buf) out = {0};
        struct cursor c;

        for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
                buf_add_uleb(&out, (uint64_t)numbers[i]);
                buf_add_sleb(&out, numbers[i]);
        }
        c = cursor_make(out.data, out.len);
        for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
                EXPECT_CMP(cursor_uleb(&c), ==, (uint64_t)numbers[i]);
                EXPECT_CMP(cursor_sleb(&c), ==, numbers[i]);
        }
        EXPECT_TRUE(!c.failed && !cursor_left(&c));
}

/* --- Source --- */

static void make_source(struct buf *out)
{
        AUTO(source_archive_writer) writer = source_archive_writer_new();

        source_archive_begin(writer, "/src/a.c", 12345);
        source_archive_add_line(writer, 1, "first");
        source_archive_add_line(writer, 7, "");
        source_archive_add_line(writer, UINT32_MAX, "last");
        source_archive_begin(writer, "b.c", -1);
        EXPECT_INT(source_archive_n_files(writer), 2);
        EXPECT_INT(source_archive_n_lines(writer), 3);
        EXPECT_TRUE(source_archive_write(writer, out, NULL));
}

TEST(source_lines_come_back)
{
        AUTO_RELEASE(buf) section = {0};
        AUTO(source_archive) archive = NULL;
        const struct archived_source *file;
        int64_t mtime_ns = 0;

        make_source(&section);
        archive = source_archive_open(cursor_make(section.data, section.len), NULL, NULL);
        ASSERT_TRUE(archive);
        file = source_archive_find(archive, "/src/a.c", &mtime_ns);
        ASSERT_TRUE(file);
        EXPECT_INT(mtime_ns, 12345);
        EXPECT_STR(source_archive_line(file, 1), "first");
        EXPECT_STR(source_archive_line(file, 7), "");
        EXPECT_STR(source_archive_line(file, UINT32_MAX), "last");
        EXPECT_TRUE(!source_archive_line(file, 0) && !source_archive_line(file, 2));
        file = source_archive_find(archive, "b.c", &mtime_ns);
        EXPECT_TRUE(file && mtime_ns == -1 && !source_archive_line(file, 1));
        EXPECT_TRUE(!source_archive_find(archive, "a.c", &mtime_ns));
        for (size_t size = 0; size < section.len; size++) {
                struct err err = {0};

                EXPECT_TRUE(!source_archive_open(cursor_make(section.data, size), NULL, &err));
                EXPECT_INT(err.code, ERR_FORMAT);
        }
}

/* Files without a path and a line, three bytes each. */
TEST(memory_of_source_is_bounded)
{
        if (!codec_available(CODEC_ZSTD))
                SKIP("zstd is not in this build");
        static const struct archive_section_kind source_kind = {"WPSR", SOURCE_ARCHIVE_VERSION};

        for (size_t n = 1 << 19; n <= 1 << 22; n <<= 3) {
                AUTO_RELEASE(buf) content = {0};
                AUTO_RELEASE(buf) section = {0};
                AUTO(source_archive) archive = NULL;
                struct err err = {0};

                buf_add_uleb(&content, n);
                buf_add_zeros(&content, 3 * n);
                ASSERT_TRUE(archive_section_write(&source_kind, &content, &section, NULL));
                archive = source_archive_open(cursor_make(section.data, section.len), NULL, &err);
                EXPECT_STR(err.text, n == 1 << 19 ? "" : "is damaged: a number in it is impossible");
        }
}

TAP_MAIN
