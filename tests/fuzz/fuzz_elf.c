/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as an ELF file: lists everything that can be listed, and looks up addresses. */
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "resolver.h"
#include "resolver_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
        MAX_UNPACKED_BYTES = 4 << 20, /* larger packed sections are skipped, for speed */
        MAX_LOOKUPS = 256,
};

/* So that reads are not optimised away. */
static volatile uint64_t sink;

static void read_all(struct cursor c)
{
        while (cursor_left(&c))
                sink += cursor_u8(&c);
}

static void read_sections(struct object *object)
{
        struct cursor bytes;

        for (size_t i = 0; i < object_n_sections(object); i++) {
                const struct object_section *section = object_get_section(object, i);
                uint64_t addr, file_off;

                sink += strlen(section->name);
                if ((section->flags & OBJECT_SECTION_PACKED) &&
                    section->file_size > MAX_UNPACKED_BYTES / 4096)
                        continue;
                if (i < MAX_LOOKUPS && object_read_section(object, section, &bytes, NULL))
                        read_all(bytes);
                if (object_to_addr(object, section->file_off, &addr) &&
                    object_to_file_off(object, addr, &file_off))
                        sink += file_off;
                if (object_read_addr(object, section->addr, section->size_bytes, &bytes))
                        sink += cursor_left(&bytes);
        }
        sink += object_find_section(object, ".debug_info") != NULL;
}

static void read_symbols(struct object *object, enum object_table table)
{
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(object, table, &symbols))
                return;
        while (object_symbols_next(&symbols, &symbol))
                sink += symbol.addr + object_symbols_name(&symbols, &symbol)[0];
}

static void read_lists(struct object *object)
{
        struct object_range *ranges;
        struct object_stub *stubs;
        struct object_relocation *relocations;
        size_t n = object_list_functions(object, &ranges);

        for (size_t i = 0; i < n; i++) {
                if (!ranges[i].size_bytes || ranges[i].start + ranges[i].size_bytes < ranges[i].start ||
                    (i && ranges[i].start <= ranges[i - 1].start))
                        abort();
        }
        free(ranges);
        n = object_list_stubs(object, &stubs);
        for (size_t i = 0; i < n; i++)
                sink += stubs[i].addr;
        free(stubs);
        n = object_list_relocations(object, &relocations);
        for (size_t i = 0; i < n; i++) {
                sink += strlen(relocations[i].name) +
                        (relocations[i].section ? relocations[i].section->addr : 0);
                if (i && relocations[i].addr < relocations[i - 1].addr)
                        abort();
        }
        free(relocations);
}

static void read_object(struct object *object, bool is_inner)
{
        AUTO(object) inner = NULL;
        const char *link;
        uint32_t crc;

        sink += object_get_facts(object)->entry;
        read_sections(object);
        read_symbols(object, OBJECT_SYMBOLS);
        read_symbols(object, OBJECT_DYNAMIC_SYMBOLS);
        read_lists(object);
        if (object_get_debuglink(object, &link, &crc))
                sink += strlen(link) + crc;
        sink += object_crc32(object);
        inner = is_inner ? NULL : object_open_debugdata(object, NULL);
        if (inner)
                read_object(inner, true);
}

static void look_up(struct resolver *resolver, resolver_id id, uint64_t file_off)
{
        struct symbol symbol = resolver_find(resolver, id, file_off);

        if (symbol.status == SYMBOL_NONE)
                return;
        if (symbol.addr < symbol.start || symbol.addr - symbol.start >= symbol.size)
                abort();
        if (symbol.status == SYMBOL_NAMED)
                sink += strlen(resolver_text(resolver, symbol.name));
}

static void resolve(const uint8_t *data, size_t size)
{
        static const char *const no_dirs[] = {NULL};
        /* Names are parsed by a parser that has its own fuzz target. */
        struct resolver_options options = {.debug_dirs = no_dirs};
        AUTO(resolver) resolver = resolver_new(&options);
        struct resolver_module module = {
                .kind = RESOLVER_FILE, .path = "/no/such/image", .image = data, .image_size = size};
        resolver_id id = resolver_add_module(resolver, &module);
        const struct resolver_facts *facts = resolver_get_facts(resolver, id);

        for (size_t i = 0; i < MAX_LOOKUPS; i++)
                look_up(resolver, id, i * size / MAX_LOOKUPS);
        if (facts->has_image)
                look_up(resolver, id, facts->image.entry - facts->image.load_addr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO(object) object = object_open_bytes(data, size, "input", NULL);

        if (object) {
                read_object(object, false);
                resolve(data, size);
        }
        return 0;
}
