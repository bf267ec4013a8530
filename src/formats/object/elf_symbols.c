/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads ELF symbol tables, entry by entry; the caller decides which symbols are code. */
#include <string.h>

#include "elf_format.h"
#include "elf_internal.h"

enum { SYMBOL_BYTES_32 = 16, SYMBOL_BYTES_64 = 24 };

static size_t symbol_bytes(const struct elf *elf)
{
        return elf->is_64 ? SYMBOL_BYTES_64 : SYMBOL_BYTES_32;
}

/* The table of section numbers that do not fit into the symbols of table `symtab`. */
static struct cursor find_wide_sections(const struct elf *elf, size_t symtab)
{
        for (size_t i = 0; i < elf->base.n_sections; i++) {
                if (elf->sections[i].type == ELF_SHT_SYMTAB_SHNDX && elf->sections[i].link == symtab)
                        return elf_section_bytes(elf, i);
        }
        return cursor_make(NULL, 0);
}

bool elf_symbols_begin(struct object *object, enum object_table table, struct object_symbols *ret_symbols)
{
        const struct elf *elf = elf_of(object);
        size_t i = elf_find_type(elf, table == OBJECT_SYMBOLS ? ELF_SHT_SYMTAB : ELF_SHT_DYNSYM);
        struct object_symbols symbols = {.object = object};
        struct cursor names;

        if (i == SIZE_MAX || elf->sections[i].link >= object->n_sections ||
            elf->sections[i].entry_size != symbol_bytes(elf))
                return false;
        symbols.at = elf_section_bytes(elf, i);
        names = elf_section_bytes(elf, elf->sections[i].link);
        if (symbols.at.failed || names.failed)
                return false;
        symbols.n_symbols = cursor_left(&symbols.at) / symbol_bytes(elf);
        symbols.names = (const char *)names.start;
        symbols.names_size = object_string_table_size(&names);
        symbols.wide_sections = find_wide_sections(elf, i);
        *ret_symbols = symbols;
        return true;
}

static const uint8_t kinds[16] = {
        [ELF_STT_NOTYPE] = OBJECT_SYMBOL_LABEL,       [ELF_STT_OBJECT] = OBJECT_SYMBOL_DATA,
        [ELF_STT_FUNC] = OBJECT_SYMBOL_FUNCTION,      [ELF_STT_COMMON] = OBJECT_SYMBOL_DATA,
        [ELF_STT_GNU_IFUNC] = OBJECT_SYMBOL_FUNCTION, [ELF_STT_TLS] = OBJECT_SYMBOL_DATA,
};

static uint8_t binding_of(unsigned binding)
{
        return binding == ELF_STB_LOCAL  ? OBJECT_LOCAL
               : binding == ELF_STB_WEAK ? OBJECT_WEAK
                                         : OBJECT_GLOBAL;
}

static void place(const struct elf *elf, struct object_symbol *symbol, uint32_t index)
{
        symbol->is_defined = index != ELF_SHN_UNDEF;
        if (!symbol->is_defined || index >= elf->base.n_sections)
                return;
        symbol->section = &elf->base.sections[index];
        if (elf->type == ELF_TYPE_REL)
                symbol->addr += symbol->section->addr;
}

static bool is_hidden(uint8_t other)
{
        unsigned visibility = other & 3;

        return visibility == ELF_STV_INTERNAL || visibility == ELF_STV_HIDDEN;
}

/* The section number of symbol `number`, whose own field is too small. */
static uint32_t read_wide_section(const struct object_symbols *symbols, size_t number)
{
        struct cursor c = symbols->wide_sections;

        cursor_seek(&c, (uint64_t)number * 4);
        return cursor_u32(&c);
}

/* The layout of a 64-bit symbol in the file. */
struct symbol_fields {
        uint32_t name_off;
        uint8_t info, other;
        uint16_t index; /* index of its section */
        uint64_t addr, size_bytes;
};

_Static_assert(sizeof(struct symbol_fields) == SYMBOL_BYTES_64, "no padding");

/* Libraries have tens of thousands of symbols, so a symbol is read at once. */
static inline struct symbol_fields read_64(struct cursor *c)
{
        const uint8_t *at = cursor_take(c, SYMBOL_BYTES_64);
        struct symbol_fields fields = {0};

        if (at)
                memcpy(&fields, at, sizeof(fields));
        if (!c->swap)
                return fields;
        fields.name_off = __builtin_bswap32(fields.name_off);
        fields.index = __builtin_bswap16(fields.index);
        fields.addr = __builtin_bswap64(fields.addr);
        fields.size_bytes = __builtin_bswap64(fields.size_bytes);
        return fields;
}

static struct symbol_fields read_32(struct cursor *c)
{
        struct symbol_fields fields = {.name_off = cursor_u32(c)};

        fields.addr = cursor_u32(c);
        fields.size_bytes = cursor_u32(c);
        fields.info = cursor_u8(c);
        fields.other = cursor_u8(c);
        fields.index = cursor_u16(c);
        return fields;
}

bool elf_symbols_next(struct object_symbols *symbols, struct object_symbol *ret_symbol)
{
        const struct elf *elf = elf_of(symbols->object);
        struct symbol_fields fields;
        uint32_t index;

        if (symbols->n_done == symbols->n_symbols)
                return false;
        fields = elf->is_64 ? read_64(&symbols->at) : read_32(&symbols->at);
        *ret_symbol = (struct object_symbol){
                .name_off = fields.name_off,
                .addr = fields.addr,
                .size_bytes = fields.size_bytes,
                .kind = kinds[fields.info & 15],
                .binding = binding_of(fields.info >> 4),
                .is_hidden = is_hidden(fields.other),
        };
        index = fields.index;
        /* A reserved number is not a section, even if the file has that many. */
        if (index == ELF_SHN_XINDEX)
                index = read_wide_section(symbols, symbols->n_done);
        else if (index >= ELF_SHN_LORESERVE)
                index = UINT32_MAX;
        place(elf, ret_symbol, index);
        if (elf->machine == ELF_MACHINE_ARM && ret_symbol->kind == OBJECT_SYMBOL_FUNCTION)
                ret_symbol->addr &= ~(uint64_t)1; /* bit 0 means Thumb */
        symbols->n_done++;
        return true;
}
