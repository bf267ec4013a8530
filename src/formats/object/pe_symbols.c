/* SPDX-License-Identifier: BSD-3-Clause */
/* The names in a PE image: the COFF symbol table, which GNU's linker adds, and exported functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "pe_internal.h"

enum { TAKEN_BYTES = 64 * 1024 }; /* of memory at a time */

/* Many symbols may have the same long name, or its end. */
static bool take_memory(struct pe_symbols *symbols, size_t len)
{
        uint64_t needed = symbols->names.len + len + 1 + (symbols->n + 1) * sizeof(*symbols->items);

        if (needed <= symbols->taken_bytes)
                return true;
        needed += TAKEN_BYTES;
        if (!budget_take(symbols->budget, BUDGET_NAMES, needed - symbols->taken_bytes))
                return false;
        symbols->taken_bytes = needed;
        return true;
}

/* NULL if there is no room for it. */
static struct pe_symbol *add_symbol(struct pe_symbols *symbols, uint32_t rva, const char *name, size_t len)
{
        struct pe_symbol symbol = {.rva = rva, .name_off = (uint32_t)symbols->names.len};

        if (symbols->names.len + len >= PE_MAX_NAMES_BYTES || !take_memory(symbols, len))
                return NULL;
        buf_add(&symbols->names, name, len);
        buf_add(&symbols->names, "", 1);
        ARRAY_PUSH(symbols->items, symbols->n, symbols->cap, symbol);
        return &symbols->items[symbols->n - 1];
}

/* --- The COFF symbol table --- */

struct coff_symbol {
        const char *name; /* PE_SHORT_NAME_BYTES bytes, or an offset */
        uint32_t value;
        uint16_t section, type;
        uint8_t class, n_more; /* number of following entries that are not symbols */
};

static struct coff_symbol next_coff(struct cursor *c)
{
        struct coff_symbol symbol = {.name = cursor_bytes(c, PE_SHORT_NAME_BYTES)};

        symbol.value = cursor_u32(c);
        symbol.section = cursor_u16(c);
        symbol.type = cursor_u16(c);
        symbol.class = cursor_u8(c);
        symbol.n_more = cursor_u8(c);
        cursor_skip(c, (uint64_t)symbol.n_more * PE_SYMBOL_BYTES);
        return symbol;
}

/* Four zeros, then an offset in the table of strings, or the name itself. */
static bool find_name(const struct pe *pe, const char *raw, const char **ret_name, size_t *ret_len)
{
        struct cursor c = cursor_make(raw, PE_SHORT_NAME_BYTES);

        c.swap = pe->base.bytes.swap;
        if (cursor_u32(&c)) {
                *ret_name = raw;
                *ret_len = strnlen(raw, PE_SHORT_NAME_BYTES);
                return *ret_len;
        }
        *ret_name = cursor_str_at(&pe->strings, cursor_u32(&c));
        *ret_len = *ret_name ? strlen(*ret_name) : 0;
        return *ret_len;
}

static uint8_t kind_of(const struct coff_symbol *symbol, const struct object_section *section,
                       const char *name)
{
        if (symbol->type >> 4 == PE_TYPE_FUNCTION)
                return OBJECT_SYMBOL_FUNCTION;
        /* `.text` and similar names are symbols for sections. */
        if (symbol->class == PE_CLASS_STATIC && name[0] == '.')
                return OBJECT_SYMBOL_OTHER;
        return section->flags & OBJECT_SECTION_CODE ? OBJECT_SYMBOL_LABEL : OBJECT_SYMBOL_DATA;
}

/* False if there is no room for it. */
static bool add_coff(struct pe *pe, const struct coff_symbol *from)
{
        const struct object *object = &pe->base;
        const struct object_section *section;
        struct pe_symbol *symbol;
        const char *name;
        size_t len;

        /* 0 means undefined; negative numbers mean that it has no address. */
        if (!from->section || from->section > object->n_sections ||
            (from->class != PE_CLASS_EXTERNAL && from->class != PE_CLASS_STATIC &&
             from->class != PE_CLASS_LABEL) ||
            !find_name(pe, from->name, &name, &len))
                return true;
        section = &object->sections[from->section - 1];
        symbol = add_symbol(&pe->symbols, (uint32_t)(section->addr - object->facts.load_addr) + from->value,
                            name, len);
        if (!symbol)
                return false;
        symbol->section = section;
        symbol->kind = kind_of(from, section, name);
        symbol->binding = from->class == PE_CLASS_EXTERNAL ? OBJECT_GLOBAL : OBJECT_LOCAL;
        return true;
}

static void read_coff(struct pe *pe)
{
        const struct object *object = &pe->base;
        struct cursor c =
                cursor_sub(&object->bytes, pe->symbols_off, (uint64_t)pe->n_symbols * PE_SYMBOL_BYTES);

        while (cursor_left(&c)) {
                struct coff_symbol symbol = next_coff(&c);

                if (c.failed || !add_coff(pe, &symbol))
                        return;
        }
}

/* --- Exported functions --- */

struct exports {
        uint32_t first_number, n_functions, n_names;
        struct cursor functions, names, numbers; /* tables of functions, names and numbers */
};

static struct cursor table_at(const struct pe *pe, uint32_t rva, uint64_t size)
{
        struct cursor c = pe_at_rva(pe, rva);

        return cursor_sub(&c, 0, size);
}

static bool read_export_header(const struct pe *pe, struct exports *e)
{
        struct cursor c = pe_directory(pe, PE_DIR_EXPORT);
        uint32_t functions, names, numbers;

        cursor_skip(&c, 16);
        e->first_number = cursor_u32(&c);
        e->n_functions = cursor_u32(&c);
        e->n_names = cursor_u32(&c);
        functions = cursor_u32(&c);
        names = cursor_u32(&c);
        numbers = cursor_u32(&c);
        if (c.failed || e->n_functions > PE_MAX_EXPORTS || e->n_names > PE_MAX_EXPORTS)
                return false;
        e->functions = table_at(pe, functions, (uint64_t)e->n_functions * 4);
        e->names = table_at(pe, names, (uint64_t)e->n_names * 4);
        e->numbers = table_at(pe, numbers, (uint64_t)e->n_names * 2);
        return !e->functions.failed && !e->names.failed && !e->numbers.failed;
}

/* An address inside the directory is the name of a function in another image. */
static bool is_forwarded(const struct pe *pe, uint32_t rva)
{
        return rva - pe->dirs[PE_DIR_EXPORT].rva < pe->dirs[PE_DIR_EXPORT].size_bytes;
}

static bool add_export(struct pe *pe, uint32_t rva, const char *name, size_t len)
{
        const struct object_section *section = pe_section_at(pe, rva);
        struct pe_symbol *symbol;

        if (!rva || !section || is_forwarded(pe, rva))
                return true;
        symbol = add_symbol(&pe->exports, rva, name, len);
        if (!symbol)
                return false;
        symbol->section = section;
        symbol->kind = section->flags & OBJECT_SECTION_CODE ? OBJECT_SYMBOL_FUNCTION : OBJECT_SYMBOL_DATA;
        symbol->binding = OBJECT_GLOBAL;
        return true;
}

static bool add_named(struct pe *pe, struct exports *e, uint8_t *has_name)
{
        struct cursor at = pe_at_rva(pe, cursor_u32(&e->names));
        uint16_t number = cursor_u16(&e->numbers);
        struct cursor function = cursor_sub(&e->functions, (uint64_t)number * 4, 4);
        size_t max = cursor_left(&at) < PE_MAX_NAME_BYTES ? cursor_left(&at) : PE_MAX_NAME_BYTES;
        size_t len = max ? strnlen((const char *)at.at, max) : 0;

        if (at.failed || function.failed || !len)
                return true;
        has_name[number / 8] |= (uint8_t)(1 << number % 8);
        return add_export(pe, cursor_u32(&function), (const char *)at.at, len);
}

static void add_numbered(struct pe *pe, struct exports *e, const uint8_t *has_name)
{
        for (uint32_t i = 0; i < e->n_functions; i++) {
                uint32_t rva = cursor_u32(&e->functions);
                char name[32];
                int len;

                if (i <= UINT16_MAX && (has_name[i / 8] & 1 << i % 8))
                        continue;
                len = snprintf(name, sizeof(name), "Ordinal%u", e->first_number + i);
                if (!add_export(pe, rva, name, (size_t)len))
                        return;
        }
}

static void read_exports(struct pe *pe)
{
        uint8_t has_name[(UINT16_MAX + 1) / 8] = {0};
        struct exports e;

        if (!read_export_header(pe, &e))
                return;
        for (uint32_t i = 0; i < e.n_names; i++) {
                if (!add_named(pe, &e, has_name))
                        return;
        }
        add_numbered(pe, &e, has_name);
}

/* --- Interface --- */

bool pe_symbols_begin(struct object *object, enum object_table which, struct object_symbols *ret_symbols)
{
        struct pe *pe = pe_of(object);
        struct pe_symbols *table = which == OBJECT_SYMBOLS ? &pe->symbols : &pe->exports;

        if (!table->is_read)
                table->budget = object->budget;
        if (!table->is_read && which == OBJECT_SYMBOLS)
                read_coff(pe);
        else if (!table->is_read)
                read_exports(pe);
        table->is_read = true;
        if (!table->n)
                return false;
        *ret_symbols = (struct object_symbols){
                .object = object,
                .names = table->names.data,
                .names_size = table->names.len,
                .n_symbols = table->n,
                .is_dynamic = which == OBJECT_DYNAMIC_SYMBOLS,
        };
        return true;
}

bool pe_symbols_next(struct object_symbols *symbols, struct object_symbol *ret_symbol)
{
        const struct pe *pe = pe_of(symbols->object);
        const struct pe_symbols *table = symbols->is_dynamic ? &pe->exports : &pe->symbols;
        const struct pe_symbol *symbol;

        if (symbols->n_done == symbols->n_symbols)
                return false;
        symbol = &table->items[symbols->n_done++];
        *ret_symbol = (struct object_symbol){
                .addr = pe->base.facts.load_addr + symbol->rva,
                .name_off = symbol->name_off,
                .kind = symbol->kind,
                .binding = symbol->binding,
                .is_defined = true,
                .section = symbol->section,
        };
        return true;
}

void pe_symbols_release(struct pe_symbols *symbols)
{
        budget_give(symbols->budget, symbols->taken_bytes);
        free(symbols->items);
        buf_release(&symbols->names);
}
