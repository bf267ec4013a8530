/* SPDX-License-Identifier: BSD-3-Clause */
/* ELF headers: tables of sections and segments, and facts about the whole file.  32 and 64 bits, both byte
 * orders.  The other elf_ files handle section contents, symbols, notes and frames. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "elf_format.h"
#include "elf_internal.h"
#include "err.h"
#include "mem.h"
#include "text.h"

struct elf_header {
        uint64_t entry, segments_off, sections_off;
        uint16_t type, machine;
        uint16_t segment_bytes, section_bytes; /* size of one entry */
        uint32_t n_segments, n_sections, names_index;
};

bool elf_is(const struct cursor *bytes)
{
        struct cursor c = *bytes;
        const uint8_t *magic = cursor_bytes(&c, 4);

        return magic && !memcmp(magic, "\177ELF", 4);
}

static bool read_ident(struct elf *elf, struct err *err)
{
        struct cursor c = elf->base.bytes;
        const uint8_t *ident = cursor_bytes(&c, ELF_IDENT_BYTES);
        bool host_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

        if (!ident)
                return err_set(err, ERR_FORMAT, "ELF header is cut after %zu bytes",
                               cursor_left(&elf->base.bytes));
        if (ident[4] != ELF_CLASS_32 && ident[4] != ELF_CLASS_64)
                return err_set(err, ERR_FORMAT, "ELF header: class %u is not known", ident[4]);
        if (ident[5] != ELF_DATA_LITTLE && ident[5] != ELF_DATA_BIG)
                return err_set(err, ERR_FORMAT, "ELF header: byte order %u is not known", ident[5]);
        elf->is_64 = ident[4] == ELF_CLASS_64;
        elf->base.bytes.swap = (ident[5] == ELF_DATA_BIG) != host_is_big;
        return true;
}

static bool read_header(struct elf *elf, struct elf_header *h, struct err *err)
{
        struct cursor c = elf->base.bytes;

        cursor_skip(&c, ELF_IDENT_BYTES);
        h->type = cursor_u16(&c);
        h->machine = cursor_u16(&c);
        cursor_skip(&c, 4);
        h->entry = elf_word(elf, &c);
        h->segments_off = elf_word(elf, &c);
        h->sections_off = elf_word(elf, &c);
        cursor_skip(&c, 6);
        h->segment_bytes = cursor_u16(&c);
        h->n_segments = cursor_u16(&c);
        h->section_bytes = cursor_u16(&c);
        h->n_sections = cursor_u16(&c);
        h->names_index = cursor_u16(&c);
        if (c.failed)
                return err_set(err, ERR_FORMAT, "ELF header is cut after %zu bytes",
                               cursor_left(&elf->base.bytes));
        elf->type = h->type;
        elf->machine = h->machine;
        return true;
}

/* Section 0 has the numbers that do not fit into the header. */
static void read_large_counts(const struct elf *elf, struct elf_header *h)
{
        size_t word = elf->is_64 ? 8 : 4;
        struct cursor c = cursor_sub(&elf->base.bytes, h->sections_off, elf->is_64 ? 64 : 40);
        uint64_t n_sections;
        uint32_t link, info;

        cursor_skip(&c, 8 + 3 * word);
        n_sections = elf_word(elf, &c);
        link = cursor_u32(&c);
        info = cursor_u32(&c);
        if (c.failed)
                return;
        if (!h->n_sections)
                h->n_sections = n_sections > UINT32_MAX ? UINT32_MAX : (uint32_t)n_sections;
        if (h->names_index == ELF_SHN_XINDEX)
                h->names_index = link;
        if (h->n_segments == ELF_PN_XNUM)
                h->n_segments = info;
}

static bool table(const struct elf *elf, const char *what, uint64_t off, uint32_t n, uint32_t max,
                  uint16_t entry_bytes, uint16_t least_bytes, struct cursor *ret, struct err *err)
{
        *ret = cursor_sub(&elf->base.bytes, 0, 0);
        if (!n)
                return true;
        if (n > max)
                return err_set(err, ERR_LIMIT, "%s table has %u entries, the limit is %u", what, n, max);
        if (entry_bytes < least_bytes)
                return err_set(err, ERR_FORMAT, "%s table: entries of %u bytes, %u are needed", what,
                               entry_bytes, least_bytes);
        *ret = cursor_sub(&elf->base.bytes, off, (uint64_t)n * entry_bytes);
        if (ret->failed)
                return err_set(err, ERR_FORMAT, "%s table at 0x%llx lies outside the file", what,
                               (unsigned long long)off);
        return true;
}

static struct elf_segment read_segment(const struct elf *elf, struct cursor *c)
{
        struct elf_segment segment = {.type = cursor_u32(c)};
        uint32_t flags = elf->is_64 ? cursor_u32(c) : 0;

        segment.at.file_off = elf_word(elf, c);
        segment.at.addr = elf_word(elf, c);
        elf_word(elf, c);
        segment.at.file_size = elf_word(elf, c);
        segment.at.mem_size = elf_word(elf, c);
        if (!elf->is_64)
                flags = cursor_u32(c);
        if (flags & ELF_PF_X)
                segment.at.flags |= OBJECT_SEGMENT_CODE;
        return segment;
}

static bool read_segments(struct elf *elf, const struct elf_header *h, struct err *err)
{
        struct object *object = &elf->base;
        struct cursor all;

        if (!table(elf, "segment", h->segments_off, h->n_segments, ELF_MAX_SEGMENTS, h->segment_bytes,
                   elf->is_64 ? 56 : 32, &all, err))
                return false;
        elf->all_segments = mem_new(h->n_segments, sizeof(*elf->all_segments));
        object->segments = mem_new(h->n_segments, sizeof(*object->segments));
        for (uint32_t i = 0; i < h->n_segments; i++) {
                struct cursor c = cursor_sub(&all, (uint64_t)i * h->segment_bytes, h->segment_bytes);
                struct elf_segment segment = read_segment(elf, &c);

                elf->all_segments[elf->n_all_segments++] = segment;
                if (segment.type == ELF_PT_LOAD)
                        object->segments[object->n_segments++] = segment.at;
        }
        return true;
}

static void read_section(struct elf *elf, struct cursor *c, size_t i)
{
        struct object_section *section = &elf->base.sections[i];
        struct elf_section *extra = &elf->sections[i];
        uint64_t flags;

        cursor_skip(c, 4);
        extra->type = cursor_u32(c);
        flags = elf_word(elf, c);
        section->addr = elf_word(elf, c);
        section->file_off = elf_word(elf, c);
        section->size_bytes = elf_word(elf, c);
        extra->link = cursor_u32(c);
        extra->info = cursor_u32(c);
        elf_word(elf, c);
        extra->entry_size = elf_word(elf, c);
        section->file_size = extra->type == ELF_SHT_NOBITS ? 0 : section->size_bytes;
        if (elf->type == ELF_TYPE_REL)
                section->addr = section->file_off;
        if (flags & ELF_SHF_EXECINSTR)
                section->flags |= OBJECT_SECTION_CODE;
        if (flags & ELF_SHF_ALLOC)
                section->flags |= OBJECT_SECTION_LOADED;
        if (flags & ELF_SHF_COMPRESSED)
                section->flags |= OBJECT_SECTION_PACKED;
}

static void name_sections(struct elf *elf, const struct cursor *all, const struct elf_header *h)
{
        struct cursor names = cursor_sub(&elf->base.bytes, 0, 0);
        size_t names_size;

        if (h->names_index < elf->base.n_sections)
                names = elf_section_bytes(elf, h->names_index);
        names_size = names.failed ? 0 : object_string_table_size(&names);
        for (size_t i = 0; i < elf->base.n_sections; i++) {
                struct cursor c = cursor_sub(all, i * h->section_bytes, 4);
                struct object_section *section = &elf->base.sections[i];
                uint32_t off = cursor_u32(&c);

                section->name = off < names_size ? (const char *)names.start + off : "";
                if (text_starts(section->name, ".zdebug_"))
                        section->flags |= OBJECT_SECTION_PACKED;
        }
}

static bool read_sections(struct elf *elf, const struct elf_header *h, struct err *err)
{
        struct cursor all;

        if (!h->sections_off)
                return true;
        if (!table(elf, "section", h->sections_off, h->n_sections, ELF_MAX_SECTIONS, h->section_bytes,
                   elf->is_64 ? 64 : 40, &all, err))
                return false;
        elf->sections = mem_new(h->n_sections, sizeof(*elf->sections));
        elf->base.sections = mem_new(h->n_sections, sizeof(*elf->base.sections));
        elf->base.n_sections = h->n_sections;
        for (size_t i = 0; i < h->n_sections; i++) {
                struct cursor c = cursor_sub(&all, i * h->section_bytes, h->section_bytes);

                read_section(elf, &c, i);
        }
        name_sections(elf, &all, h);
        return true;
}

struct cursor elf_section_bytes(const struct elf *elf, size_t i)
{
        const struct object_section *section = &elf->base.sections[i];

        assert(i < elf->base.n_sections);
        return cursor_sub(&elf->base.bytes, section->file_off, section->file_size);
}

size_t elf_find_type(const struct elf *elf, uint32_t type)
{
        for (size_t i = 0; i < elf->base.n_sections; i++) {
                if (elf->sections[i].type == type && elf->base.sections[i].file_size)
                        return i;
        }
        return SIZE_MAX;
}

const struct elf_segment *elf_find_segment(const struct elf *elf, uint32_t type)
{
        for (size_t i = 0; i < elf->n_all_segments; i++) {
                if (elf->all_segments[i].type == type)
                        return &elf->all_segments[i];
        }
        return NULL;
}

/* A library may also have an interpreter, so that it can be run, such as libc.so.6; but it has a name
 * (DT_SONAME), which programs do not have. */
static bool is_program(const struct elf *elf)
{
        const struct elf_segment *dynamic = elf_find_segment(elf, ELF_PT_DYNAMIC);
        bool has_interpreter = elf_find_segment(elf, ELF_PT_INTERP);
        bool has_own_name = false;
        struct cursor c;

        if (elf->type != ELF_TYPE_DYN || !dynamic)
                return elf->type == ELF_TYPE_EXEC || (elf->type == ELF_TYPE_DYN && has_interpreter);
        c = cursor_sub(&elf->base.bytes, dynamic->at.file_off, dynamic->at.file_size);
        while (!c.failed && cursor_left(&c)) {
                uint64_t tag = elf_word(elf, &c);
                uint64_t value = elf_word(elf, &c);

                if (tag == ELF_DT_NULL)
                        break;
                if (tag == ELF_DT_FLAGS_1 && (value & ELF_DF_1_PIE))
                        return true;
                has_own_name |= tag == ELF_DT_SONAME;
        }
        return has_interpreter && !has_own_name;
}

static enum object_machine machine_of(uint16_t machine)
{
        switch (machine) {
        case ELF_MACHINE_386: return OBJECT_MACHINE_X86;
        case ELF_MACHINE_X86_64: return OBJECT_MACHINE_X86_64;
        case ELF_MACHINE_ARM: return OBJECT_MACHINE_ARM;
        case ELF_MACHINE_AARCH64: return OBJECT_MACHINE_ARM64;
        default: return OBJECT_MACHINE_OTHER;
        }
}

static void read_facts(struct elf *elf, const struct elf_header *h)
{
        struct object_facts *facts = &elf->base.facts;
        uint64_t lowest_off = UINT64_MAX;

        facts->machine = machine_of(elf->machine);
        facts->address_bytes = elf->is_64 ? 8 : 4;
        facts->is_relocatable = elf->type == ELF_TYPE_REL;
        facts->entry = h->entry;
        facts->is_executable = is_program(elf);
        for (size_t i = 0; i < elf->base.n_segments; i++) {
                const struct object_segment *segment = &elf->base.segments[i];

                if (segment->file_off >= lowest_off)
                        continue;
                lowest_off = segment->file_off;
                facts->load_addr = segment->addr - segment->file_off;
        }
        elf_read_build_id(elf);
}

static void elf_release(struct object *object)
{
        struct elf *elf = elf_of(object);

        free(elf->sections);
        free(elf->all_segments);
}

static const struct object_ops elf_ops = {
        .release = elf_release,
        .get_unpacked_size = elf_get_unpacked_size,
        .unpack_section = elf_unpack_section,
        .symbols_begin = elf_symbols_begin,
        .symbols_next = elf_symbols_next,
        .list_functions = elf_list_functions,
        .list_stubs = elf_list_stubs,
        .list_relocations = elf_list_relocations,
};

struct object *elf_new(const struct cursor *bytes, struct err *err)
{
        struct elf *elf = mem_new(1, sizeof(*elf));
        AUTO(object) object = &elf->base;
        struct elf_header h;

        object->ops = &elf_ops;
        object->bytes = *bytes;
        if (!read_ident(elf, err) || !read_header(elf, &h, err))
                return NULL;
        read_large_counts(elf, &h);
        if (!read_segments(elf, &h, err) || !read_sections(elf, &h, err))
                return NULL;
        read_facts(elf, &h);
        return TAKE(object);
}
