/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_answers into a folder: whole sections, contents of sections, and a store with
 * every kind. */
#include <stdio.h>
#include <stdlib.h>

#include "answers_content.h"
#include "answers_store.h"
#include "archive_section.h"
#include "archived_module.h"
#include "os.h"
#include "source_archive.h"

static const char *folder, *data_folder;

static void save(const char *name, const void *bytes, size_t size)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO(os_file) file = NULL;

        buf_printf(&path, "%s/%s", folder, name);
        file = os_file_create(buf_text(&path), NULL);
        if (!file || !os_file_write(file, bytes, size, NULL))
                exit(1);
}

static void save_both(const char *name, const char *magic, uint32_t version, const struct buf *section)
{
        struct archive_section_kind kind = {.version = version};
        AUTO_RELEASE(buf) unpacked = {0};
        AUTO_RELEASE(buf) whole = {0};
        struct cursor content;

        memcpy(kind.magic, magic, 4);
        if (!archive_section_read(&kind, cursor_make(section->data, section->len), NULL, &unpacked, &content,
                                  NULL))
                exit(1);
        buf_printf(&whole, "%s.section", name);
        save(name, content.at, cursor_left(&content));
        save(buf_text(&whole), section->data, section->len);
}

static void save_module(const char *name, const char *file, uint64_t from, uint64_t to)
{
        const struct archive_identity identity = identity_of(file);
        AUTO(resolver) resolver = raw_resolver();
        AUTO(symbol_archive_writer) writer = symbol_archive_writer_new(resolver);
        AUTO_RELEASE(buf) section = {0};
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, "%s/%s", data_folder, file);
        pack_module(writer, resolver, buf_text(&path), &identity, from, to);
        if (!symbol_archive_write(writer, &(struct archive_origin){true, 300}, &section, NULL))
                exit(1);
        save_both(name, "WPSY", SYMBOL_ARCHIVE_VERSION, &section);
}

static void save_kept(const char *name, const char *file, uint64_t from, uint64_t to)
{
        const struct archive_identity identity = identity_of(file);
        AUTO(resolver) resolver = raw_resolver();
        AUTO(symbol_archive_writer) writer = symbol_archive_writer_new(resolver);
        AUTO_RELEASE(buf) section = {0};
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, "%s/%s", data_folder, file);
        pack_kept(writer, resolver, buf_text(&path), &identity, from, to);
        if (!symbol_archive_write(writer, &(struct archive_origin){0}, &section, NULL))
                exit(1);
        save_both(name, "WPSY", SYMBOL_ARCHIVE_VERSION, &section);
}

static void save_source(void)
{
        AUTO(source_archive_writer) writer = source_archive_writer_new();
        AUTO_RELEASE(buf) section = {0};

        source_archive_begin(writer, "/src/a.c", 1234567890);
        source_archive_add_line(writer, 3, "int main(void)");
        source_archive_add_line(writer, 4, "{");
        source_archive_begin(writer, "b.c", 0);
        source_archive_add_line(writer, UINT32_MAX, "}");
        if (!source_archive_write(writer, &section, NULL))
                exit(1);
        save_both("source", "WPSR", SOURCE_ARCHIVE_VERSION, &section);
}

/* A store as in a file of the cache. */
static void save_store(void)
{
        static const struct answer_extent extents[] = {{0x10, 4}, {0x20, UINT64_MAX - 0x20}};
        AUTO(answers) answers = answers_new();
        struct module_answers *m = answers_add_module(answers);
        const struct answer_insn insns[] = {
                {{0x90}, answers_add_text(answers, "nop"), 1},
                {{0x1234567890abcdef, ~0ull >> 8}, answers_add_text(answers, "ret"), 15}};
        const struct answer_label label = {0x10, answers_add_text(answers, "again"), 0, UINT32_MAX, 1};
        AUTO_RELEASE(buf) out = {0};

        answers_add_range(m, ANSWER_INSNS, 0x10, 0x10, answers_add_list(m, ANSWER_INSNS, insns, 2));
        answers_add_range(m, ANSWER_INSNS, UINT64_MAX, UINT64_MAX,
                          answers_add_list(m, ANSWER_INSNS, NULL, 0));
        answers_add_range(m, ANSWER_EXTENTS, 0x10, 0x20, answers_add_list(m, ANSWER_EXTENTS, extents, 2));
        answers_add_range(m, ANSWER_LABELS, 0x10, 0x20, answers_add_list(m, ANSWER_LABELS, &label, 1));
        answers_write(answers, false, &out);
        save("store", out.data, out.len);
}

/* Behind the name, as fuzz_answers has it. */
static void save_seen(void)
{
        static const struct answers_seen_list list = {
                .items = {{.file = {.dev = 1, .inode = 2, .size_bytes = 3}}, {.content = {{1, 2, 3}}}},
                .n = 2,
        };
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) out = {0};

        answers_seen_write(&name, &list, &out);
        save("files", out.data + ARCHIVE_SECTION_HEAD_BYTES, out.len - ARCHIVE_SECTION_HEAD_BYTES);
}

int main(int argc, char **argv)
{
        if (argc != 3)
                return 1;
        folder = argv[1];
        data_folder = argv[2];
        save_module("nothing", "dwarf/gcc5.so", 0x10, 0x18);
        save_module("inlines", "dwarf/gcc5.so", 0x200, 0x270);
        save_module("cxx", "dwarf/cxx.so", 0x200, 0x260);
        save_module("labels", "dwarf/labels2.so", 0x200, 0x240);
        save_module("stubs", "elf/caller.exe", 0x1000, 0x1060);
        save_kept("kept", "elf/names.so", 0x1000, 0x1100);
        save_source();
        save_store();
        save_seen();
        return 0;
}
