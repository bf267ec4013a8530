/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens object files of all formats; functions common to all formats. */
#include "object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "mem.h"
#include "object_internal.h"
#include "text.h"

static struct object *open_format(const struct cursor *bytes, const char *name, struct err *err)
{
        struct object *object = NULL;

        if (elf_is(bytes))
                object = elf_new(bytes, err);
        else if (pe_is(bytes))
                object = pe_new(bytes, err);
        else if (!cursor_left(bytes))
                err_set(err, ERR_FORMAT, "is empty");
        else
                err_set(err, ERR_FORMAT, "is not an object file (neither ELF nor PE)");
        if (!object) {
                err_in(err, "%s", name);
                return NULL;
        }
        object->name = mem_strdup(name);
        budget_init_file(&object->own_budget, NULL, object->name);
        object->budget = &object->own_budget;
        return object;
}

struct object *object_open(const char *path, struct err *err)
{
        AUTO(os_map) map = os_map_open(path, err);
        AUTO(object) object = NULL;
        struct cursor bytes;

        if (!map)
                return NULL;
        bytes = cursor_make(map->bytes, map->size_bytes);
        object = open_format(&bytes, path, err);
        if (!os_map_check(map, path, err) || !object)
                return NULL;
        object->map = TAKE(map);
        return TAKE(object);
}

bool object_is_file(const char *path)
{
        AUTO(os_map) map = os_map_open(path, NULL);
        struct cursor bytes;

        if (!map)
                return false;
        bytes = cursor_make(map->bytes, map->size_bytes);
        return elf_is(&bytes) || pe_is(&bytes);
}

struct object *object_open_bytes(const void *bytes, size_t size, const char *name, struct err *err)
{
        struct cursor c = cursor_make(bytes, size);

        return open_format(&c, name, err);
}

struct object *object_open_owned(struct buf *owned, const char *name, struct budget *budget, struct err *err)
{
        struct object *object = object_open_bytes(owned->data, owned->len, name, err);

        if (!object) {
                budget_give(budget, owned->len);
                buf_release(owned);
                return NULL;
        }
        object->budget = budget;
        object->owned = *owned;
        *owned = (struct buf){0};
        return object;
}

void object_free(struct object *object)
{
        if (!object)
                return;
        object->ops->release(object);
        object_release_packed(object);
        free(object->sections);
        free(object->segments);
        os_map_free(object->map);
        budget_give(object->budget, object->owned.len);
        buf_release(&object->owned);
        budget_release(&object->own_budget);
        free(object->name);
        free(object);
}

bool object_check(const struct object *object, struct err *err)
{
        return !object->map || os_map_check(object->map, object->name, err);
}

bool object_get_file(const struct object *object, struct object_file *ret_file)
{
        const struct os_map *map = object->map;

        if (!map)
                return false;
        *ret_file = (struct object_file){map->dev,      map->inode,    map->size_bytes,
                                         map->mtime_ns, map->ctime_ns, map->writers};
        return true;
}

bool object_is_changed(const struct object *object)
{
        const struct os_map *map = object->map;
        struct os_stat now;

        return map && os_stat(object->name, &now) && now.inode == map->inode && now.dev == map->dev &&
               now.ctime_ns != map->ctime_ns;
}

void object_set_budget(struct object *object, struct budget *budget)
{
        assert(!object->n_unpacked && !object->owned.len);
        if (budget)
                object->budget = budget;
}

uint64_t object_file_bytes(const struct object *object)
{
        return (uint64_t)(object->bytes.end - object->bytes.start);
}

struct budget *object_budget(const struct object *object)
{
        return object->budget;
}

const char *object_name(const struct object *object)
{
        return object->name;
}

const struct object_facts *object_get_facts(const struct object *object)
{
        return &object->facts;
}

size_t object_string_table_size(const struct cursor *table)
{
        size_t size = cursor_left(table);

        while (size && table->at[size - 1])
                size--;
        return size;
}

/* --- Sections and segments --- */

size_t object_n_sections(const struct object *object)
{
        return object->n_sections;
}

const struct object_section *object_get_section(const struct object *object, size_t i)
{
        assert(i < object->n_sections);
        return &object->sections[i];
}

static bool section_is_called(const struct object_section *section, const char *name)
{
        if (!strcmp(section->name, name))
                return true;
        return text_starts(name, ".debug_") && text_starts(section->name, ".z") &&
               !strcmp(section->name + 2, name + 1);
}

const struct object_section *object_find_section(const struct object *object, const char *name)
{
        for (size_t i = 0; i < object->n_sections; i++) {
                if (object->sections[i].file_size && section_is_called(&object->sections[i], name))
                        return &object->sections[i];
        }
        return NULL;
}

bool object_read_section(struct object *object, const struct object_section *section,
                         struct cursor *ret_bytes, struct err *err)
{
        struct cursor bytes;

        assert(section >= object->sections && section < object->sections + object->n_sections);
        if (section->flags & OBJECT_SECTION_PACKED)
                return object_read_packed(object, section, ret_bytes, err);
        bytes = cursor_sub(&object->bytes, section->file_off, section->file_size);
        if (bytes.failed)
                return err_set(err, ERR_FORMAT, "%s: section %s lies outside the file", object->name,
                               section->name);
        *ret_bytes = bytes;
        return true;
}

struct cursor object_raw_section(const struct object *object, const struct object_section *section)
{
        return cursor_sub(&object->bytes, section->file_off, section->file_size);
}

void object_forget(const struct object *object, const uint8_t *bytes, size_t size)
{
        assert(!object->map ||
               (bytes >= object->map->bytes && bytes <= object->map->bytes + object->map->size_bytes));
        if (object->map)
                os_map_forget(object->map, (uint64_t)(bytes - object->map->bytes), size);
}

size_t object_n_segments(const struct object *object)
{
        return object->n_segments;
}

const struct object_segment *object_get_segment(const struct object *object, size_t i)
{
        assert(i < object->n_segments);
        return &object->segments[i];
}

/* --- Addresses --- */

/* Segments may overlap at page boundaries; the one with code is preferred. */
static const struct object_segment *segment_at_off(const struct object *object, uint64_t file_off)
{
        const struct object_segment *found = NULL;

        for (size_t i = 0; i < object->n_segments; i++) {
                const struct object_segment *segment = &object->segments[i];

                if (file_off < segment->file_off || file_off - segment->file_off >= segment->file_size)
                        continue;
                if (segment->flags & OBJECT_SEGMENT_CODE)
                        return segment;
                if (!found)
                        found = segment;
        }
        return found;
}

bool object_to_addr(const struct object *object, uint64_t file_off, uint64_t *ret_addr)
{
        const struct object_segment *segment = segment_at_off(object, file_off);

        if (segment) {
                *ret_addr = segment->addr + (file_off - segment->file_off);
                return true;
        }
        for (size_t i = 0; i < object->n_sections && !object->n_segments; i++) {
                const struct object_section *section = &object->sections[i];

                if ((section->flags & OBJECT_SECTION_LOADED) && file_off >= section->file_off &&
                    file_off - section->file_off < section->file_size) {
                        *ret_addr = section->addr + (file_off - section->file_off);
                        return true;
                }
        }
        return false;
}

bool object_to_file_off(const struct object *object, uint64_t addr, uint64_t *ret_file_off)
{
        for (size_t i = 0; i < object->n_segments; i++) {
                const struct object_segment *segment = &object->segments[i];

                if (addr >= segment->addr && addr - segment->addr < segment->file_size) {
                        *ret_file_off = segment->file_off + (addr - segment->addr);
                        return true;
                }
        }
        for (size_t i = 0; i < object->n_sections && !object->n_segments; i++) {
                const struct object_section *section = &object->sections[i];

                if ((section->flags & OBJECT_SECTION_LOADED) && addr >= section->addr &&
                    addr - section->addr < section->file_size) {
                        *ret_file_off = section->file_off + (addr - section->addr);
                        return true;
                }
        }
        return false;
}

bool object_read_addr(const struct object *object, uint64_t addr, uint64_t size, struct cursor *ret_bytes)
{
        uint64_t file_off;
        struct cursor bytes;

        if (!object_to_file_off(object, addr, &file_off))
                return false;
        bytes = cursor_sub(&object->bytes, file_off, size);
        if (bytes.failed)
                return false;
        *ret_bytes = bytes;
        return true;
}

/* --- Symbols --- */

bool object_symbols_begin(struct object *object, enum object_table table, struct object_symbols *ret_symbols)
{
        return object->ops->symbols_begin && object->ops->symbols_begin(object, table, ret_symbols);
}

bool object_symbols_next(struct object_symbols *symbols, struct object_symbol *ret_symbol)
{
        return symbols->object->ops->symbols_next(symbols, ret_symbol);
}

const char *object_symbols_name(const struct object_symbols *symbols, const struct object_symbol *symbol)
{
        return symbol->name_off < symbols->names_size ? symbols->names + symbol->name_off : "";
}

size_t object_list_functions(struct object *object, struct object_range **ret_ranges)
{
        *ret_ranges = NULL;
        return object->ops->list_functions ? object->ops->list_functions(object, ret_ranges) : 0;
}

size_t object_list_relocations(struct object *object, struct object_relocation **ret_relocations)
{
        *ret_relocations = NULL;
        return object->ops->list_relocations ? object->ops->list_relocations(object, ret_relocations) : 0;
}

size_t object_list_stubs(struct object *object, struct object_stub **ret_stubs)
{
        *ret_stubs = NULL;
        return object->ops->list_stubs ? object->ops->list_stubs(object, ret_stubs) : 0;
}

size_t object_n_unwind(const struct object *object)
{
        return object->ops->n_unwind ? object->ops->n_unwind(object) : 0;
}

bool object_get_unwind(const struct object *object, size_t i, struct object_unwind *ret_entry)
{
        return object->ops->get_unwind && object->ops->get_unwind(object, i, ret_entry);
}

bool object_find_unwind(const struct object *object, uint64_t addr, struct object_unwind *ret_entry)
{
        return object->ops->find_unwind && object->ops->find_unwind(object, addr, ret_entry);
}

bool object_find_function(const struct object *object, uint64_t addr, struct object_unwind *ret_entry)
{
        return object->ops->find_function && object->ops->find_function(object, addr, ret_entry);
}

bool object_read_unwind(const struct object *object, uint32_t rva, struct object_unwind *ret_entry)
{
        return object->ops->read_unwind && object->ops->read_unwind(object, rva, ret_entry);
}

bool object_get_pdb(const struct object *object, struct object_pdb *ret_pdb)
{
        return object->ops->get_pdb && object->ops->get_pdb(object, ret_pdb);
}

enum object_machine object_machine_at(const struct object *object, uint64_t addr)
{
        return object->ops->machine_at ? object->ops->machine_at(object, addr) : object->facts.machine;
}

enum object_machine object_code_at(const struct object *object, uint64_t addr)
{
        return object->ops->code_at ? object->ops->code_at(object, addr) : object->facts.machine;
}

bool object_is_hybrid(const struct object *object)
{
        return object->ops->is_hybrid && object->ops->is_hybrid(object);
}
