/* SPDX-License-Identifier: BSD-3-Clause */
/* ELF symbol tables, entry by entry; which of them name code is the reader's decision. */
#include <string.h>

#include "elf_format.h"
#include "elf_internal.h"

enum { SYMBOL_BYTES_32 = 16, SYMBOL_BYTES_64 = 24 };

static size_t symbol_bytes(const struct elf *elf)
{
        return elf->is_64 ? SYMBOL_BYTES_64 : SYMBOL_BYTES_32;
}

/* The table of section numbers that do not fit into a symbol, which belongs to symbol table `symtab`. */
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
        symbols.names_size = string_table_size(&names);
        symbols.wide_sections = find_wide_sections(elf, i);
        *ret_symbols = symbols;
        return true;
}

static uint8_t kind_of(unsigned type)
{
        switch (type) {
        case ELF_STT_FUNC:
        case ELF_STT_GNU_IFUNC: return OBJECT_SYMBOL_FUNCTION;
        case ELF_STT_NOTYPE: return OBJECT_SYMBOL_LABEL;
        case ELF_STT_OBJECT:
        case ELF_STT_COMMON:
        case ELF_STT_TLS: return OBJECT_SYMBOL_DATA;
        default: return OBJECT_SYMBOL_OTHER;
        }
}

static uint8_t binding_of(unsigned binding)
{
        switch (binding) {
        case ELF_STB_LOCAL: return OBJECT_LOCAL;
        case ELF_STB_WEAK: return OBJECT_WEAK;
        default: return OBJECT_GLOBAL;
        }
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

static void set_info(struct object_symbol *symbol, uint8_t info, uint8_t other)
{
        unsigned visibility = other & 3;

        symbol->kind = kind_of(info & 15);
        symbol->binding = binding_of(info >> 4);
        symbol->is_hidden = visibility == ELF_STV_INTERNAL || visibility == ELF_STV_HIDDEN;
}

bool elf_symbols_next(struct object_symbols *symbols, struct object_symbol *ret_symbol)
{
        const struct elf *elf = elf_of(symbols->object);
        struct cursor *c = &symbols->at;
        struct object_symbol symbol = {0};
        uint32_t index, wide_index;
        uint8_t info, other;

        if (symbols->n_done == symbols->n_symbols)
                return false;
        symbols->n_done++;
        symbol.name_off = cursor_u32(c);
        if (!elf->is_64) {
                symbol.addr = cursor_u32(c);
                symbol.size_bytes = cursor_u32(c);
        }
        info = cursor_u8(c);
        other = cursor_u8(c);
        index = cursor_u16(c);
        if (elf->is_64) {
                symbol.addr = cursor_u64(c);
                symbol.size_bytes = cursor_u64(c);
        }
        wide_index = cursor_u32(&symbols->wide_sections);
        set_info(&symbol, info, other);
        /* A reserved number is no section even where the file has that many. */
        if (index == ELF_SHN_XINDEX)
                index = wide_index;
        else if (index >= ELF_SHN_LORESERVE)
                index = UINT32_MAX;
        place(elf, &symbol, index);
        if (elf->machine == ELF_MACHINE_ARM && symbol.kind == OBJECT_SYMBOL_FUNCTION)
                symbol.addr &= ~(uint64_t)1; /* bit 0 says Thumb */
        *ret_symbol = symbol;
        return true;
}
