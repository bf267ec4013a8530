/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists all files at first, and makes the table of a file's functions at its first lookup. */
#include "recorded_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "map.h"
#include "mem.h"
#include "recorded_internal.h"

struct symbols_file {
        struct recorded_file is;
        struct cursor names;
        recorded_next_name *next_name;
        struct buf texts;
        struct symtab *tab; /* NULL: not made yet */
};

struct recorded_symbols {
        struct arena arena;
        struct symbols_file **files;
        size_t n, cap;
        struct map by_path; /* hash of the path -> index + 1 */
};

/* The slot of a path: the slot with its file, or a free slot for it. */
static uint64_t *find_slot(struct recorded_symbols *symbols, const char *path, size_t len)
{
        uint64_t key = map_hash_bytes(path, len);

        for (;; key++) {
                uint64_t *slot = map_put(&symbols->by_path, key, NULL);
                const char *there = *slot ? symbols->files[*slot - 1]->is.path : NULL;

                if (!there || (!strncmp(there, path, len) && !there[len]))
                        return slot;
        }
}

/* If a file is listed twice, the first entry is used, as in simpleperf's own reader. */
static void add_file(struct recorded_symbols *symbols, const struct recorded_entry *entry)
{
        size_t len = strnlen(entry->file.path, entry->path_len);
        uint64_t *slot = find_slot(symbols, entry->file.path, len);
        struct symbols_file *file;

        if (*slot)
                return;
        file = arena_alloc(&symbols->arena, sizeof(*file));
        file->is = entry->file;
        file->is.path = arena_copy(&symbols->arena, entry->file.path, len);
        file->is.of = symbols;
        file->is.index = symbols->n;
        file->names = entry->names;
        file->next_name = entry->next_name;
        ARRAY_PUSH(symbols->files, symbols->n, symbols->cap, file);
        *slot = symbols->n;
}

static void add_section(struct recorded_symbols *symbols, struct cursor c, const char *name, uint64_t n_files,
                        bool (*next)(struct cursor *c, struct recorded_entry *ret), struct buf *note)
{
        struct recorded_entry entry;
        size_t at = cursor_pos(&c);

        for (uint64_t i = 0; i < n_files && next(&c, &entry); i++) {
                add_file(symbols, &entry);
                at = cursor_pos(&c);
        }
        if (c.failed)
                buf_printf(
                        note,
                        "the section %s is damaged at offset 0x%zx; its names from there on are left out\n",
                        name, at);
}

struct recorded_symbols *recorded_symbols_new(const struct recorded_sections *sections, struct buf *note)
{
        struct recorded_symbols *symbols = mem_new(1, sizeof(*symbols));
        struct cursor hiperf = sections->hiperf_symbols;

        if (!sections->simpleperf_file.failed)
                add_section(symbols, sections->simpleperf_file, "FILE of simpleperf", UINT64_MAX,
                            recorded_simpleperf_next, note);
        if (!sections->simpleperf_file2.failed)
                add_section(symbols, sections->simpleperf_file2, "FILE2 of simpleperf", UINT64_MAX,
                            recorded_simpleperf2_next, note);
        if (!hiperf.failed) {
                uint32_t n = cursor_u32(&hiperf);

                add_section(symbols, hiperf, "FILES_SYMBOL of hiperf", n, recorded_hiperf_next, note);
        }
        return symbols;
}

void recorded_symbols_free(struct recorded_symbols *symbols)
{
        if (!symbols)
                return;
        for (size_t i = 0; i < symbols->n; i++) {
                symtab_free(symbols->files[i]->tab);
                buf_release(&symbols->files[i]->texts);
        }
        free(symbols->files);
        map_release(&symbols->by_path);
        arena_release(&symbols->arena);
        free(symbols);
}

size_t recorded_symbols_n_files(const struct recorded_symbols *symbols)
{
        return symbols->n;
}

const struct recorded_file *recorded_symbols_get(const struct recorded_symbols *symbols, size_t index)
{
        return index < symbols->n ? &symbols->files[index]->is : NULL;
}

const struct recorded_file *recorded_symbols_find(const struct recorded_symbols *symbols, const char *path)
{
        size_t len = strlen(path);

        for (uint64_t key = map_hash_bytes(path, len);; key++) {
                const uint64_t *slot = map_find(&symbols->by_path, key);

                if (!slot)
                        return NULL;
                if (!strcmp(symbols->files[*slot - 1]->is.path, path))
                        return &symbols->files[*slot - 1]->is;
        }
}

/* Offsets of names have 32 bits. */
static bool has_room(const struct symbols_file *file, const struct recorded_name *name)
{
        return file->texts.len + name->len + 1 < UINT32_MAX;
}

static void make_table(struct symbols_file *file)
{
        struct cursor c = file->names;
        struct recorded_name name;
        uint8_t texts;

        file->tab = symtab_new();
        while (file->next_name(&c, &name) && has_room(file, &name)) {
                buf_add(&file->texts, name.text, strnlen(name.text, name.len));
                buf_add_char(&file->texts, 0);
        }
        if (file->texts.len) {
                uint32_t off = 0;

                texts = symtab_add_names(file->tab, file->texts.data, file->texts.len);
                c = file->names;
                while (off < file->texts.len && file->next_name(&c, &name)) {
                        symtab_add(file->tab, &(struct symtab_symbol){
                                                      .addr = name.addr,
                                                      .size_bytes = name.size_bytes,
                                                      .name_off = off,
                                                      .names = texts,
                                              });
                        off += (uint32_t)strnlen(name.text, name.len) + 1;
                }
        }
        symtab_finish(file->tab);
}

bool recorded_file_find(const struct recorded_file *is, uint64_t addr, struct symtab_hit *ret_hit)
{
        struct symbols_file *file = is->of->files[is->index];

        if (!file->tab)
                make_table(file);
        return symtab_find(file->tab, addr, ret_hit);
}
