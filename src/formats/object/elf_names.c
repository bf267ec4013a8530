/* SPDX-License-Identifier: BSD-3-Clause */
/* File header, one program header, section headers, names of sections, symbols, names of symbols.  The only
 * segment and the only section of code have no bytes in the file; their offsets are equal to their
 * addresses, so that converting addresses to file offsets and back does not change them. */
#include "elf_names.h"

#include <assert.h>
#include <string.h>

#include "elf_format.h"

enum {
        EHDR_BYTES = 64,
        PHDR_BYTES = 56,
        SHDR_BYTES = 64,
        SYM_BYTES = 24,
        PAGE_BYTES = 4096,
        ELF_SHT_STRTAB = 3,
        ELF_PF_R = 4,
};

enum section { SECTION_NULL, SECTION_TEXT, SECTION_SYMTAB, SECTION_STRTAB, SECTION_SHSTRTAB, N_SECTIONS };

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";

enum { NAME_TEXT = 1, NAME_SYMTAB = 7, NAME_STRTAB = 15, NAME_SHSTRTAB = 23 };

#if defined(__aarch64__)
enum { MACHINE = ELF_MACHINE_AARCH64 };
#else
enum { MACHINE = ELF_MACHINE_X86_64 };
#endif

static uint64_t end_of(const struct elf_names *names)
{
        const struct elf_name *last = names->n ? &names->items[names->n - 1] : NULL;
        uint64_t end = last ? last->addr + last->size_bytes : 0;

        return (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static void add_header(struct buf *out)
{
        const uint16_t one = 1;
        const uint8_t order = *(const uint8_t *)&one ? ELF_DATA_LITTLE : ELF_DATA_BIG;
        uint8_t ident[ELF_IDENT_BYTES] = {0x7f, 'E', 'L', 'F', ELF_CLASS_64, order, 1};

        buf_add(out, ident, sizeof(ident));
        buf_add_u16(out, ELF_TYPE_DYN);
        buf_add_u16(out, MACHINE);
        buf_add_u32(out, 1);
        buf_add_u64(out, 0); /* entry */
        buf_add_u64(out, EHDR_BYTES);
        buf_add_u64(out, EHDR_BYTES + PHDR_BYTES);
        buf_add_u32(out, 0); /* flags */
        buf_add_u16(out, EHDR_BYTES);
        buf_add_u16(out, PHDR_BYTES);
        buf_add_u16(out, 1);
        buf_add_u16(out, SHDR_BYTES);
        buf_add_u16(out, N_SECTIONS);
        buf_add_u16(out, SECTION_SHSTRTAB);
}

static void add_segment(const struct elf_names *names, struct buf *out)
{
        buf_add_u32(out, ELF_PT_LOAD);
        buf_add_u32(out, ELF_PF_R | ELF_PF_X);
        buf_add_u64(out, 0); /* offset, two addresses, bytes in the file */
        buf_add_u64(out, 0);
        buf_add_u64(out, 0);
        buf_add_u64(out, 0);
        buf_add_u64(out, end_of(names));
        buf_add_u64(out, PAGE_BYTES);
}

struct section_header {
        uint32_t name, type, link, info;
        uint64_t flags, addr, off, size, align, entry_size;
};

static void add_section(struct buf *out, const struct section_header *s)
{
        buf_add_u32(out, s->name);
        buf_add_u32(out, s->type);
        buf_add_u64(out, s->flags);
        buf_add_u64(out, s->addr);
        buf_add_u64(out, s->off);
        buf_add_u64(out, s->size);
        buf_add_u32(out, s->link);
        buf_add_u32(out, s->info);
        buf_add_u64(out, s->align);
        buf_add_u64(out, s->entry_size);
}

static void add_sections(const struct elf_names *names, struct buf *out)
{
        uint64_t names_off = EHDR_BYTES + PHDR_BYTES + N_SECTIONS * SHDR_BYTES;
        uint64_t symtab_off = (names_off + sizeof(section_names) + 7) / 8 * 8;
        uint64_t symtab_bytes = (names->n + 1) * SYM_BYTES;

        add_section(out, &(struct section_header){0});
        add_section(out, &(struct section_header){.name = NAME_TEXT,
                                                  .type = ELF_SHT_NOBITS,
                                                  .flags = ELF_SHF_ALLOC | ELF_SHF_EXECINSTR,
                                                  .size = end_of(names),
                                                  .align = 1});
        add_section(out, &(struct section_header){.name = NAME_SYMTAB,
                                                  .type = ELF_SHT_SYMTAB,
                                                  .off = symtab_off,
                                                  .size = symtab_bytes,
                                                  .link = SECTION_STRTAB,
                                                  /* number of local symbols: all */
                                                  .info = (uint32_t)names->n + 1,
                                                  .align = 8,
                                                  .entry_size = SYM_BYTES});
        add_section(out, &(struct section_header){.name = NAME_STRTAB,
                                                  .type = ELF_SHT_STRTAB,
                                                  .off = symtab_off + symtab_bytes,
                                                  .size = names->n_text_bytes + 1,
                                                  .align = 1});
        add_section(out, &(struct section_header){.name = NAME_SHSTRTAB,
                                                  .type = ELF_SHT_STRTAB,
                                                  .off = names_off,
                                                  .size = sizeof(section_names),
                                                  .align = 1});
        buf_add(out, section_names, sizeof(section_names));
        buf_add_zeros(out, (size_t)(symtab_off - names_off) - sizeof(section_names));
}

static void add_symbols(const struct elf_names *names, struct buf *out)
{
        buf_add_zeros(out, SYM_BYTES);
        for (size_t i = 0; i < names->n; i++) {
                buf_add_u32(out, (uint32_t)names->items[i].text_off + 1);
                buf_add_u8(out, ELF_STB_LOCAL << 4 | ELF_STT_FUNC);
                buf_add_u8(out, 0);
                buf_add_u16(out, SECTION_TEXT);
                buf_add_u64(out, names->items[i].addr);
                buf_add_u64(out, names->items[i].size_bytes);
        }
}

void elf_names_make(const struct elf_names *names, struct buf *out)
{
        assert(names->n_text_bytes < UINT32_MAX && names->n < UINT32_MAX);
        add_header(out);
        add_segment(names, out);
        add_sections(names, out);
        add_symbols(names, out);
        buf_add_u8(out, 0); /* the empty name */
        buf_add(out, names->texts, names->n_text_bytes);
}
