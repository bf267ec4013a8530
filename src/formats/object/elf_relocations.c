/* SPDX-License-Identifier: BSD-3-Clause */
/* The relocations of code and data that is loaded: of a relocatable object (all of them), and of a linked
 * one (for the dynamic linker).  Types: x86-64 psABI, table 4.9; AArch64 ELF ABI, chapter 5.7. */
#include <stdlib.h>

#include "elf_format.h"
#include "elf_internal.h"
#include "mem.h"

enum { RELA_BYTES = 24, SYMBOL_BYTES = 24 };

struct relocation_table {
        const struct elf *elf;
        struct cursor symbols, names;
        struct cursor entries;
};

static enum object_relocation_kind x86_64_kind(uint32_t type)
{
        switch (type) {
        case 1:                                     /* 64 */
        case 6:                                     /* GLOB_DAT */
        case 7:                                     /* JUMP_SLOT */
        case 8:                                     /* RELATIVE */
        case 10:                                    /* 32 */
        case 11:                                    /* 32S */
        case 37: return OBJECT_RELOCATION_ABSOLUTE; /* IRELATIVE */
        case 2:                                     /* PC32 */
        case 4:                                     /* PLT32 */
        case 24: return OBJECT_RELOCATION_RELATIVE; /* PC64 */
        case 9:                                     /* GOTPCREL */
        case 41:                                    /* GOTPCRELX */
        case 42: return OBJECT_RELOCATION_GOT;      /* REX_GOTPCRELX */
        default: return OBJECT_RELOCATION_OTHER;
        }
}

static enum object_relocation_kind arm64_kind(uint32_t type)
{
        switch (type) {
        case 257: /* ABS64 */
        case 258: /* ABS32 */
        case 1025:
        case 1026:
        case 1027:
        case 1032: return OBJECT_RELOCATION_ABSOLUTE; /* GLOB_DAT, JUMP_SLOT, RELATIVE, IRELATIVE */
        case 260:                                     /* PREL64 */
        case 261: return OBJECT_RELOCATION_RELATIVE;  /* PREL32 */
        case 311:                                     /* ADR_GOT_PAGE */
        case 312: return OBJECT_RELOCATION_GOT;       /* LD64_GOT_LO12_NC */
        case 273:                                     /* LD_PREL_LO19 */
        case 274:                                     /* ADR_PREL_LO21 */
        case 275:                                     /* ADR_PREL_PG_HI21 */
        case 276:
        case 277: /* ADD_ABS_LO12_NC */
        case 278: /* LDST8_ABS_LO12_NC */
        case 279: /* TSTBR14 */
        case 280: /* CONDBR19 */
        case 282: /* JUMP26 */
        case 283: /* CALL26 */
        case 284: /* LDST16_ABS_LO12_NC */
        case 285:
        case 286:
        case 299: return OBJECT_RELOCATION_INSTRUCTION;
        default: return OBJECT_RELOCATION_OTHER;
        }
}

/* Sets name, section and target from the symbol. */
static void read_symbol(const struct relocation_table *table, uint32_t number, struct object_relocation *ret)
{
        const struct elf *elf = table->elf;
        struct cursor c = cursor_sub(&table->symbols, (uint64_t)number * SYMBOL_BYTES, SYMBOL_BYTES);
        const char *name = cursor_str_at(&table->names, cursor_u32(&c));
        uint64_t value;
        uint16_t section;

        cursor_skip(&c, 2);
        section = cursor_u16(&c);
        value = cursor_u64(&c);
        if (c.failed)
                return;
        ret->name = name ? name : "";
        ret->is_defined = section != ELF_SHN_UNDEF;
        if (section < elf->base.n_sections && ret->is_defined) {
                ret->section = &elf->base.sections[section];
                if (elf->type == ELF_TYPE_REL)
                        value += ret->section->addr;
        }
        ret->target += value;
}

/* False: the list is full. */
static bool add(const struct relocation_table *table, uint64_t base, uint64_t size, struct cursor *entries,
                struct object_relocation **items, size_t *n, size_t *cap)
{
        uint64_t addr = cursor_u64(entries), info = cursor_u64(entries), addend = cursor_u64(entries);
        uint32_t type = (uint32_t)info, number = (uint32_t)(info >> 32);
        struct object_relocation relocation = {.name = "", .target = addend, .addend = addend};

        if (addr >= size)
                return true;
        relocation.addr = base + addr;
        relocation.kind =
                (uint8_t)(table->elf->machine == ELF_MACHINE_X86_64 ? x86_64_kind(type) : arm64_kind(type));
        relocation.is_defined = !number;
        if (number)
                read_symbol(table, number, &relocation);
        if (*n == ELF_MAX_RELOCATIONS)
                return false;
        ARRAY_PUSH(*items, *n, *cap, relocation);
        return true;
}

/* The section whose bytes are changed: in a linked object any, because offsets are addresses. */
static bool find_range(const struct elf *elf, size_t section, uint64_t *ret_base, uint64_t *ret_size)
{
        uint32_t info = elf->sections[section].info;

        *ret_base = 0;
        *ret_size = UINT64_MAX;
        if (elf->type != ELF_TYPE_REL)
                return elf->base.sections[section].flags & OBJECT_SECTION_LOADED;
        if (info >= elf->base.n_sections || !(elf->base.sections[info].flags & OBJECT_SECTION_LOADED) ||
            !elf->base.sections[info].file_size)
                return false;
        *ret_base = elf->base.sections[info].addr;
        *ret_size = elf->base.sections[info].size_bytes;
        return *ret_base <= UINT64_MAX - *ret_size;
}

static bool open_table(const struct elf *elf, size_t section, struct relocation_table *ret)
{
        uint32_t link = elf->sections[section].link;
        uint32_t names = link < elf->base.n_sections ? elf->sections[link].link : UINT32_MAX;

        *ret = (struct relocation_table){.elf = elf, .entries = elf_section_bytes(elf, section)};
        ret->symbols = cursor_make(NULL, 0);
        ret->names = cursor_make(NULL, 0);
        if (names < elf->base.n_sections) {
                ret->symbols = elf_section_bytes(elf, link);
                ret->names = elf_section_bytes(elf, names);
        }
        ret->symbols.swap = elf->base.bytes.swap;
        return !ret->entries.failed;
}

static int compare_relocations(const void *a, const void *b)
{
        const struct object_relocation *x = a, *y = b;

        return (x->addr > y->addr) - (x->addr < y->addr);
}

size_t elf_list_relocations(struct object *object, struct object_relocation **ret_relocations)
{
        const struct elf *elf = elf_of(object);
        struct object_relocation *items = NULL;
        size_t n = 0, cap = 0;

        *ret_relocations = NULL;
        if (!elf->is_64 || (elf->machine != ELF_MACHINE_X86_64 && elf->machine != ELF_MACHINE_AARCH64))
                return 0;
        for (size_t i = 0; i < object->n_sections; i++) {
                struct relocation_table table;
                uint64_t base, size;

                if (elf->sections[i].type != ELF_SHT_RELA || !find_range(elf, i, &base, &size) ||
                    !open_table(elf, i, &table))
                        continue;
                while (cursor_left(&table.entries) >= RELA_BYTES &&
                       add(&table, base, size, &table.entries, &items, &n, &cap))
                        ;
        }
        if (n)
                qsort(items, n, sizeof(*items), compare_relocations);
        *ret_relocations = items;
        return n;
}
