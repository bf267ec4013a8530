/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutates debug information in ELF files by its structure: entries of units, abbreviations, units of the
 * other sections.  A section that has grown moves to the end of the file; only 64-bit files in this
 * machine's byte order are supported. */
#include <elf.h>
#include <string.h>

#include "dwarf_internal.h"
#include "mutate.h"

enum { MAX_SECTIONS = 64, MAX_ATTRS = 256 };
enum { STORE_UNITS, STORE_ENTRIES, STORE_ABBREVS, STORE_OTHER };

struct elf {
        Elf64_Ehdr head;
        Elf64_Shdr sections[MAX_SECTIONS];
        const uint8_t *data;
        size_t size, n;
        const char *names;
        size_t names_bytes;
};

static bool read_elf(const uint8_t *data, size_t size, struct elf *elf)
{
        if (size < sizeof(elf->head) || memcmp(data, ELFMAG, SELFMAG) || data[EI_CLASS] != ELFCLASS64 ||
            data[EI_DATA] != ELFDATA2LSB)
                return false;
        memcpy(&elf->head, data, sizeof(elf->head));
        elf->n = elf->head.e_shnum;
        if (!elf->n || elf->n > MAX_SECTIONS || elf->head.e_shentsize != sizeof(Elf64_Shdr) ||
            elf->head.e_shoff > size || size - elf->head.e_shoff < elf->n * sizeof(Elf64_Shdr) ||
            elf->head.e_shstrndx >= elf->n)
                return false;
        memcpy(elf->sections, data + elf->head.e_shoff, elf->n * sizeof(Elf64_Shdr));
        for (size_t i = 0; i < elf->n; i++) {
                const Elf64_Shdr *s = &elf->sections[i];

                if (s->sh_type != SHT_NOBITS && (s->sh_offset > size || s->sh_size > size - s->sh_offset))
                        return false;
        }
        elf->data = data;
        elf->size = size;
        elf->names = (const char *)data + elf->sections[elf->head.e_shstrndx].sh_offset;
        elf->names_bytes = elf->sections[elf->head.e_shstrndx].sh_size;
        return elf->sections[elf->head.e_shstrndx].sh_type != SHT_NOBITS;
}

static bool has_name(const struct elf *elf, size_t i, const char *name)
{
        size_t at = elf->sections[i].sh_name, len = strlen(name);

        return at < elf->names_bytes && len <= elf->names_bytes - at && !memcmp(elf->names + at, name, len);
}

static struct cursor find_section(const struct elf *elf, const char *name)
{
        for (size_t i = 0; i < elf->n; i++) {
                if (has_name(elf, i, name) && elf->sections[i].sh_type != SHT_NOBITS)
                        return cursor_make(elf->data + elf->sections[i].sh_offset, elf->sections[i].sh_size);
        }
        return cursor_make(NULL, 0);
}

/* --- Pieces --- */

static size_t measure_unit(const struct mutate_framing *framing, const uint8_t *at, size_t left)
{
        uint32_t size;

        if (left < 4)
                return 0;
        memcpy(&size, at, sizeof(size));
        return 4 + (size_t)size;
}

static void resize_unit(const struct mutate_framing *framing, uint8_t *at, size_t size)
{
        uint32_t value = (uint32_t)(size - 4);

        if (size >= 4)
                memcpy(at, &value, sizeof(value));
}

/* Skips an abbreviation's attributes; returns their number and stores the first MAX_ATTRS. */
static size_t read_attrs(struct cursor *c, struct dwarf_attr *attrs)
{
        size_t n = 0;
        struct dwarf_attr attr;

        while (dwarf_attr_next(c, &attr) && n < MAX_ATTRS)
                attrs[n++] = attr;
        return n;
}

static size_t measure_abbrev(const struct mutate_framing *framing, const uint8_t *at, size_t left)
{
        static struct dwarf_attr attrs[MAX_ATTRS];
        struct cursor c = cursor_make(at, left);

        if (!cursor_uleb(&c))
                return 1;
        cursor_uleb(&c);
        cursor_u8(&c);
        read_attrs(&c, attrs);
        return c.failed ? 0 : cursor_pos(&c);
}

/* The entries of a unit: their abbreviations and encoding. */
struct entries {
        struct cursor abbrevs;
        struct dwarf_shape shape;
};

static bool find_attrs(struct cursor c, uint64_t code, struct dwarf_attr *attrs, size_t *ret_n)
{
        uint64_t found;

        while ((found = cursor_uleb(&c)) && !c.failed) {
                cursor_uleb(&c);
                cursor_u8(&c);
                *ret_n = read_attrs(&c, attrs);
                if (found == code)
                        return !c.failed;
        }
        return false;
}

static size_t measure_entry(const struct mutate_framing *framing, const uint8_t *at, size_t left)
{
        static struct dwarf_attr attrs[MAX_ATTRS];
        const struct entries *entries = framing->ctx;
        struct cursor c = cursor_make(at, left);
        uint64_t code = cursor_uleb(&c);
        struct dwarf_value value;
        size_t n;

        if (!code)
                return 1;
        if (!find_attrs(entries->abbrevs, code, attrs, &n))
                return 0;
        for (size_t i = 0; i < n && !c.failed; i++)
                dwarf_read_form(&c, (uint16_t)attrs[i].form, attrs[i].constant, &entries->shape, 0, &value);
        return c.failed ? 0 : cursor_pos(&c);
}

/* --- Changes --- */

/* The size of a unit's header in .debug_info, and its shape; 0: not supported. */
static size_t read_unit_header(const struct buf *unit, struct cursor abbrevs, struct entries *ret)
{
        struct cursor c = cursor_make(unit->data, unit->len);
        unsigned type = DW_UT_compile;
        uint64_t abbrev_off;

        dwarf_read_length(&c, &ret->shape.offset_bytes);
        ret->shape.version = (uint8_t)cursor_u16(&c);
        if (ret->shape.version >= 5) {
                type = cursor_u8(&c);
                ret->shape.address_bytes = cursor_u8(&c);
        }
        abbrev_off = dwarf_read_sized(&c, ret->shape.offset_bytes);
        if (ret->shape.version < 5)
                ret->shape.address_bytes = cursor_u8(&c);
        if (type == DW_UT_skeleton || type == DW_UT_split_compile)
                cursor_skip(&c, 8);
        else if (type != DW_UT_compile && type != DW_UT_partial)
                return 0;
        ret->abbrevs = abbrevs;
        cursor_seek(&ret->abbrevs, abbrev_off);
        return c.failed || ret->abbrevs.failed ? 0 : cursor_pos(&c);
}

/* Changes the entries of one unit. */
static bool change_entries(struct buf *info, struct cursor abbrevs, size_t max_bytes,
                           struct mutate_random *random)
{
        struct entries entries = {0};
        struct mutate_framing framing = {.measure = measure_entry, .ctx = &entries, .store = STORE_ENTRIES};
        struct buf unit = {0}, body = {0}, out = {0};
        size_t off = 0, size = 0, head;

        for (size_t next = 0; next < info->len && (!size || !mutate_one_in(random, 3)); next += size) {
                off = next;
                size = measure_unit(NULL, (uint8_t *)info->data + off, info->len - off);
                if (!size || size > info->len - off)
                        size = info->len - off;
        }
        buf_add(&unit, info->data + off, size);
        head = read_unit_header(&unit, abbrevs, &entries);
        if (head && head < unit.len) {
                buf_add(&body, unit.data + head, unit.len - head);
                mutate_pieces(&body, &framing, max_bytes, random);
                buf_truncate(&unit, head);
                buf_add(&unit, body.data, body.len);
                resize_unit(NULL, (uint8_t *)unit.data, unit.len);
                buf_add(&out, info->data, off);
                buf_add(&out, unit.data, unit.len);
                buf_add(&out, info->data + off + size, info->len - off - size);
                buf_clear(info);
                buf_add(info, out.data, out.len);
        }
        buf_release(&unit);
        buf_release(&body);
        buf_release(&out);
        return head;
}

static void change_section(const struct elf *elf, size_t i, struct buf *bytes, size_t max_bytes,
                           struct mutate_random *random)
{
        struct mutate_framing units = {measure_unit, resize_unit, .head_bytes = 4, .store = STORE_UNITS};
        struct mutate_framing abbrevs = {measure_abbrev, .store = STORE_ABBREVS};

        if (has_name(elf, i, ".debug_info") && !mutate_one_in(random, 6) &&
            change_entries(bytes, find_section(elf, ".debug_abbrev"), max_bytes, random))
                return;
        if (has_name(elf, i, ".debug_abbrev"))
                mutate_pieces(bytes, &abbrevs, max_bytes, random);
        else if (has_name(elf, i, ".debug_str") || has_name(elf, i, ".debug_ranges"))
                mutate_plain(bytes, max_bytes);
        else
                mutate_pieces(bytes, &units, max_bytes, random);
}

/* The file with other bytes in section `i`. */
static void write_elf(const struct elf *elf, size_t i, const struct buf *bytes, struct buf *out)
{
        Elf64_Shdr section = elf->sections[i];
        size_t at = section.sh_offset;

        buf_add(out, elf->data, elf->size);
        if (bytes->len > section.sh_size) {
                at = out->len;
                buf_add_zeros(out, bytes->len);
        }
        if (bytes->len)
                memcpy(out->data + at, bytes->data, bytes->len);
        section.sh_offset = at;
        section.sh_size = bytes->len;
        memcpy(out->data + elf->head.e_shoff + i * sizeof(section), &section, sizeof(section));
}

static bool change_elf(uint8_t *data, size_t *size, size_t max_size, struct mutate_random *random)
{
        struct elf elf = {0};
        struct buf bytes = {0}, out = {0};
        size_t i = 0;
        bool found = false;

        if (!read_elf(data, *size, &elf))
                return false;
        for (size_t tries = 0; tries < 4 * MAX_SECTIONS && !found; tries++) {
                i = mutate_below(random, elf.n);
                found = has_name(&elf, i, ".debug_") && !(elf.sections[i].sh_flags & SHF_COMPRESSED) &&
                        elf.sections[i].sh_type != SHT_NOBITS && elf.sections[i].sh_size;
        }
        if (!found)
                return false;
        buf_add(&bytes, data + elf.sections[i].sh_offset, elf.sections[i].sh_size);
        change_section(&elf, i, &bytes, max_size, random);
        write_elf(&elf, i, &bytes, &out);
        found = out.len <= max_size;
        if (found)
                *size = mutate_finish(&out, data, max_size);
        buf_release(&bytes);
        buf_release(&out);
        return found;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
        struct mutate_random random = mutate_random_make(seed);

        if (mutate_one_in(&random, 4) || !change_elf(data, &size, max_size, &random))
                return LLVMFuzzerMutate(data, size, max_size);
        return size;
}
