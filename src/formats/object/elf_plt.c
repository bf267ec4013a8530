/* SPDX-License-Identifier: BSD-3-Clause */
/* The stubs of the procedure linkage table (.plt, .plt.sec, .plt.got) and their targets.  A stub is
 * recognised by its code: the slot of the global offset table that it loads has a relocation, which has a
 * symbol.  This does not depend on the order and size of stubs; layouts: x86-64 psABI chapter 5.2 and
 * 11.1.3 (CET), AArch64 ELF ABI chapter 8. */
#include <stdlib.h>
#include <string.h>

#include "elf_format.h"
#include "elf_internal.h"
#include "mem.h"

enum {
        X86_64_GLOB_DAT = 6,
        X86_64_JUMP_SLOT = 7,
        X86_64_IRELATIVE = 37,
        ARM64_GLOB_DAT = 1025,
        ARM64_JUMP_SLOT = 1026,
        ARM64_IRELATIVE = 1032,
};

enum { RELA_BYTES = 24, SYMBOL_BYTES = 24 };

struct plt_slot {
        uint64_t addr;
        uint32_t symbol; /* index in .dynsym; 0: none */
        uint64_t target; /* if it has no symbol: the function that selects the target */
};

struct plt {
        const struct elf *elf;
        struct plt_slot *slots; /* in the order of the relocations, then sorted */
        size_t n_slots, cap_slots;
        struct plt_slot *by_number; /* in the order of .rela.plt, for `push NUMBER` */
        size_t n_by_number, cap_by_number;
        struct cursor symbols;
        struct object_stub *stubs;
        size_t n_stubs, cap_stubs;
};

static bool is_slot(uint16_t machine, uint32_t type)
{
        if (machine == ELF_MACHINE_X86_64)
                return type == X86_64_GLOB_DAT || type == X86_64_JUMP_SLOT || type == X86_64_IRELATIVE;
        return type == ARM64_GLOB_DAT || type == ARM64_JUMP_SLOT || type == ARM64_IRELATIVE;
}

/* Relative relocations come first in .rela.dyn (DT_RELACOUNT), tens of thousands in a library, and belong
 * to no slot of a stub. */
static uint64_t relative_bytes(const struct elf *elf, size_t section)
{
        size_t dynamic = elf_find_type(elf, ELF_SHT_DYNAMIC);
        struct cursor c = dynamic == SIZE_MAX ? cursor_make(NULL, 0) : elf_section_bytes(elf, dynamic);
        uint64_t table = 0, n = 0;

        while (!c.failed && cursor_left(&c)) {
                uint64_t tag = elf_word(elf, &c), value = elf_word(elf, &c);

                if (tag == ELF_DT_NULL)
                        break;
                if (tag == ELF_DT_RELA)
                        table = value;
                else if (tag == ELF_DT_RELACOUNT)
                        n = value;
        }
        return table == elf->base.sections[section].addr && n < UINT32_MAX ? n * RELA_BYTES : 0;
}

static void read_slots(struct plt *plt, size_t section, bool is_plt)
{
        struct cursor c = elf_section_bytes(plt->elf, section);

        if (!is_plt)
                cursor_skip(&c, relative_bytes(plt->elf, section));
        while (!c.failed && cursor_left(&c) >= RELA_BYTES && plt->n_slots < ELF_MAX_STUBS) {
                uint64_t addr = cursor_u64(&c);
                uint64_t info = cursor_u64(&c);
                uint64_t addend = cursor_u64(&c);
                struct plt_slot slot = {.addr = addr, .symbol = (uint32_t)(info >> 32)};

                if (!slot.symbol)
                        slot.target = addend;
                if (is_slot(plt->elf->machine, (uint32_t)info))
                        ARRAY_PUSH(plt->slots, plt->n_slots, plt->cap_slots, slot);
                if (is_plt)
                        ARRAY_PUSH(plt->by_number, plt->n_by_number, plt->cap_by_number, slot);
        }
}

static int compare_slots(const void *a, const void *b)
{
        const struct plt_slot *x = a, *y = b;

        return (x->addr > y->addr) - (x->addr < y->addr);
}

/* .rela.dyn is large and only needed for .plt.got. */
static void read_all_slots(struct plt *plt)
{
        const struct object *object = &plt->elf->base;
        bool has_got_stubs = object_find_section(object, ".plt.got");

        for (size_t i = 0; i < object->n_sections; i++) {
                bool is_plt = !strcmp(object->sections[i].name, ".rela.plt") ||
                              !strcmp(object->sections[i].name, ".rela.iplt");

                if (plt->elf->sections[i].type == ELF_SHT_RELA &&
                    (object->sections[i].flags & OBJECT_SECTION_LOADED) && (is_plt || has_got_stubs))
                        read_slots(plt, i, is_plt);
        }
        if (plt->n_slots)
                qsort(plt->slots, plt->n_slots, sizeof(*plt->slots), compare_slots);
}

static const struct plt_slot *find_slot(const struct plt *plt, uint64_t addr)
{
        struct plt_slot key = {.addr = addr};

        if (!plt->n_slots)
                return NULL;
        return bsearch(&key, plt->slots, plt->n_slots, sizeof(key), compare_slots);
}

static void add_stub(struct plt *plt, uint64_t addr, uint64_t size, const struct plt_slot *slot)
{
        struct object_stub stub = {.addr = addr, .size_bytes = size, .target = slot->target};
        struct cursor symbol = cursor_sub(&plt->symbols, (uint64_t)slot->symbol * SYMBOL_BYTES, SYMBOL_BYTES);

        if (slot->symbol)
                stub.name_off = cursor_u32(&symbol);
        if (plt->n_stubs < ELF_MAX_STUBS)
                ARRAY_PUSH(plt->stubs, plt->n_stubs, plt->cap_stubs, stub);
}

/* --- x86-64 --- */

/* `[endbr64] [bnd] jmp *slot(%rip)`; false if the code at `c` is different. */
static bool read_x86_jump(struct cursor c, uint64_t addr, uint64_t *ret_slot_addr)
{
        static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
        const uint8_t *start = c.at;
        size_t left = cursor_left(&c);

        if (left >= sizeof(endbr64) && !memcmp(c.at, endbr64, sizeof(endbr64)))
                cursor_skip(&c, sizeof(endbr64));
        if (cursor_left(&c) && *c.at == 0xf2)
                cursor_skip(&c, 1);
        if (cursor_u8(&c) != 0xff || cursor_u8(&c) != 0x25)
                return false;
        *ret_slot_addr = (uint64_t)(int64_t)(int32_t)cursor_u32(&c);
        *ret_slot_addr += addr + (uint64_t)(c.at - start);
        return !c.failed;
}

/* `endbr64; push $number; bnd jmp`: the lazy part of a stub in .plt.sec. */
static const struct plt_slot *read_x86_push(const struct plt *plt, struct cursor c)
{
        uint32_t number;

        cursor_skip(&c, 4);
        if (cursor_u8(&c) != 0x68)
                return NULL;
        number = cursor_u32(&c);
        return !c.failed && number < plt->n_by_number ? &plt->by_number[number] : NULL;
}

/* The stubs of static programs have 8 bytes, which their section does not say. */
static uint64_t x86_stub_bytes(const struct plt *plt, size_t section)
{
        struct cursor c = elf_section_bytes(plt->elf, section);
        uint64_t entry_size = plt->elf->sections[section].entry_size, slot_addr;
        bool is_jump = read_x86_jump(c, 0, &slot_addr);

        if (entry_size)
                return entry_size == 8 ? 8 : 16;
        cursor_skip(&c, 8);
        return is_jump && read_x86_jump(c, 0, &slot_addr) ? 8 : 16;
}

static void add_x86_stubs(struct plt *plt, size_t section)
{
        const struct object_section *is = &plt->elf->base.sections[section];
        struct cursor c = elf_section_bytes(plt->elf, section);
        uint64_t step = x86_stub_bytes(plt, section);

        for (uint64_t off = 0; !c.failed && off < cursor_left(&c); off += step) {
                uint64_t size = cursor_left(&c) - off < step ? cursor_left(&c) - off : step;
                struct cursor code = cursor_sub(&c, off, size);
                const struct plt_slot *slot;
                uint64_t slot_addr;

                if (read_x86_jump(code, is->addr + off, &slot_addr))
                        slot = find_slot(plt, slot_addr);
                else
                        slot = read_x86_push(plt, code);
                if (slot)
                        add_stub(plt, is->addr + off, size, slot);
        }
}

/* --- AArch64 --- */

#define ARM64_BTI_C 0xd503245fu

/* `adrp x16, page` followed by `ldr x17, [x16, #off]`. */
static bool read_arm64_load(uint32_t adrp, uint32_t ldr, uint64_t addr, uint64_t *ret_slot_addr)
{
        int64_t page;

        if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
                return false;
        page = (int64_t)((uint64_t)((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3)) << 43) >> 43;
        *ret_slot_addr = (addr & ~(uint64_t)0xfff) + (uint64_t)page * 4096 + (ldr >> 10 & 0xfff) * 8;
        return true;
}

static void add_arm64_stubs(struct plt *plt, size_t section)
{
        const struct object_section *is = &plt->elf->base.sections[section];
        struct cursor c = elf_section_bytes(plt->elf, section);
        uint64_t end = is->addr + cursor_left(&c);
        size_t first = plt->n_stubs;
        uint32_t before = 0, last = 0;

        /* Instructions are little-endian, also if the data is big-endian. */
        c.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
        for (uint64_t addr = is->addr; !c.failed && cursor_left(&c) >= 4; addr += 4) {
                uint32_t code = cursor_u32(&c);
                uint64_t slot_addr;
                const struct plt_slot *slot =
                        read_arm64_load(last, code, addr - 4, &slot_addr) ? find_slot(plt, slot_addr) : NULL;

                if (slot)
                        add_stub(plt, before == ARM64_BTI_C ? addr - 8 : addr - 4, 0, slot);
                before = last;
                last = code;
        }
        for (size_t i = first; i < plt->n_stubs; i++)
                plt->stubs[i].size_bytes =
                        (i + 1 < plt->n_stubs ? plt->stubs[i + 1].addr : end) - plt->stubs[i].addr;
}

/* --- All machines --- */

static bool has_stubs(const char *name)
{
        static const char *const names[] = {".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt"};

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                if (!strcmp(name, names[i]))
                        return true;
        }
        return false;
}

size_t elf_list_stubs(struct object *object, struct object_stub **ret_stubs)
{
        struct plt plt = {.elf = elf_of(object)};
        size_t dynsym = elf_find_type(plt.elf, ELF_SHT_DYNSYM);

        *ret_stubs = NULL;
        if (plt.elf->machine != ELF_MACHINE_X86_64 && plt.elf->machine != ELF_MACHINE_AARCH64)
                return 0;
        if (!plt.elf->is_64)
                return 0;
        plt.symbols = dynsym == SIZE_MAX ? cursor_make(NULL, 0) : elf_section_bytes(plt.elf, dynsym);
        plt.symbols.swap = object->bytes.swap;
        read_all_slots(&plt);
        for (size_t i = 0; i < object->n_sections && plt.n_slots; i++) {
                if (!has_stubs(object->sections[i].name))
                        continue;
                if (plt.elf->machine == ELF_MACHINE_X86_64)
                        add_x86_stubs(&plt, i);
                else
                        add_arm64_stubs(&plt, i);
        }
        free(plt.slots);
        free(plt.by_number);
        *ret_stubs = plt.stubs;
        return plt.n_stubs;
}
