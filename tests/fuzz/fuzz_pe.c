/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a PE image: lists everything that can be listed, and reads all unwind information. */
#include <string.h>

#include "unwind_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_ENTRIES = 4096, MAX_SECTIONS = 256 };

static volatile uint64_t sink;

static void read_sections(struct object *object)
{
        for (size_t i = 0; i < object_n_sections(object) && i < MAX_SECTIONS; i++) {
                const struct object_section *section = object_get_section(object, i);
                struct cursor bytes;
                uint64_t addr, file_off;

                sink += strlen(section->name);
                if (object_read_section(object, section, &bytes, NULL)) {
                        while (cursor_left(&bytes))
                                sink += cursor_u8(&bytes);
                }
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
        while (object_symbols_next(&symbols, &symbol)) {
                const char *name = object_symbols_name(&symbols, &symbol);

                if (symbol.name_off >= symbols.names_size)
                        abort();
                sink += symbol.addr + strlen(name) + (symbol.section ? symbol.section->addr : 0);
        }
}

static void read_functions(struct object *object)
{
        struct object_range *ranges;
        size_t n = object_list_functions(object, &ranges);

        for (size_t i = 0; i < n; i++) {
                if (!ranges[i].size_bytes || ranges[i].start + ranges[i].size_bytes < ranges[i].start ||
                    (i && ranges[i].start <= ranges[i - 1].start))
                        abort();
        }
        free(ranges);
}

static void read_unwind(const struct object *object)
{
        for (size_t i = 0; i < object_n_unwind(object) && i < MAX_ENTRIES; i++) {
                struct object_unwind entry;
                struct unwind_xdata xdata;

                if (!object_get_unwind(object, i, &entry))
                        continue;
                if (entry.end <= entry.start)
                        abort();
                if (unwind_xdata_read(object, &entry, &xdata, NULL))
                        unwind_walk(object, &xdata);
                if (object_find_unwind(object, entry.end - 1, &entry) && entry.end <= entry.start)
                        abort();
        }
}

static void read_pdb(const struct object *object)
{
        struct object_pdb pdb;

        if (object_get_pdb(object, &pdb))
                sink += strlen(pdb.path) + pdb.guid[0] + pdb.age;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct err err = {0};
        AUTO(object) object = NULL;

        /* Other formats have their own targets. */
        if (size < 2 || memcmp(data, "MZ", 2))
                return 0;
        object = object_open_bytes(data, size, "input", &err);
        if (!object) {
                if (!err.code || strncmp(err.text, "input: ", 7) != 0)
                        abort();
                return 0;
        }
        sink += object_get_facts(object)->entry;
        read_sections(object);
        read_symbols(object, OBJECT_SYMBOLS);
        read_symbols(object, OBJECT_DYNAMIC_SYMBOLS);
        read_functions(object);
        read_pdb(object);
        read_unwind(object);
        return 0;
}
