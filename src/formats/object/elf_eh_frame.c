/* SPDX-License-Identifier: BSD-3-Clause */
/* Function ranges from .eh_frame: only the start and size of each entry; the unwinder reads the rules.
 * Format: Linux Standard Base Core 5.0, chapter 10.6.
 *
 *   .eh_frame      entries: u32 length (0xffffffff: u64 follows; 0: the end), u32 id, content
 *                  id 0: a CIE, whose augmentation 'R' gives the encoding of addresses in its FDEs
 *                  else: an FDE, id is the distance back to its CIE; content begins with start and size
 *   .eh_frame_hdr  u8 version 1, three encodings, address of .eh_frame, count, a table of (start, FDE) */
#include <stdlib.h>
#include <string.h>

#include "elf_format.h"
#include "elf_internal.h"
#include "mem.h"

/* DW_EH_PE_*: the low four bits are the format, the next three the base of the value. */
enum {
        FORMAT_ABSOLUTE = 0x00,
        FORMAT_ULEB = 0x01,
        FORMAT_U16 = 0x02,
        FORMAT_U32 = 0x03,
        FORMAT_U64 = 0x04,
        FORMAT_SLEB = 0x09,
        FORMAT_S16 = 0x0a,
        FORMAT_S32 = 0x0b,
        FORMAT_S64 = 0x0c,
        FORMAT_MASK = 0x0f,
        RELATIVE_PC = 0x10,
        RELATIVE_DATA = 0x30,
        RELATIVE_MASK = 0x70,
        INDIRECT = 0x80,
        OMITTED = 0xff,
};

/* Rules: DWARF 5, 6.4.2. */
enum { DEF_CFA = 0x0c, DEF_CFA_REGISTER = 0x0d, DEF_CFA_OFFSET = 0x0e, OFFSET_OF_REGISTER = 2 };

/* A CIE is read again for each FDE that has another one than the FDE before. */
enum { MAX_RULES = 64, MAX_LETTERS = 8 };

/* Bytes and the address of the first one. */
struct area {
        struct cursor bytes;
        uint64_t addr;
        /* "relative to data" then means relative to its start; in other sections it needs a running
         * process */
        bool is_hdr;
};

struct frames {
        const struct elf *elf;
        struct area frame, hdr;
        /* The last CIE that was read, because most FDEs have the same one. */
        size_t cie_pos;
        uint8_t cie_encoding;
        bool cie_has_data;        /* FDEs have augmentation data */
        bool cie_has_frame;       /* the rules are not those at the start of a function */
        bool has_cie_pos, is_cie; /* whether one was read, and was valid */
        struct object_range *ranges;
        size_t n_ranges, cap_ranges;
};

static uint64_t read_format(const struct elf *elf, struct cursor *c, uint8_t format)
{
        switch (format) {
        case FORMAT_ABSOLUTE: return elf_word(elf, c);
        case FORMAT_ULEB: return cursor_uleb(c);
        case FORMAT_U16: return cursor_u16(c);
        case FORMAT_U32: return cursor_u32(c);
        case FORMAT_SLEB: return (uint64_t)cursor_sleb(c);
        case FORMAT_S16: return (uint64_t)(int16_t)cursor_u16(c);
        case FORMAT_S32: return (uint64_t)(int32_t)cursor_u32(c);
        case FORMAT_U64:
        case FORMAT_S64: return cursor_u64(c);
        default: c->failed = true; return 0;
        }
}

/* An encoded address in `area`.  Fails if it depends on memory of a running process. */
static uint64_t read_encoded(const struct elf *elf, const struct area *area, struct cursor *c,
                             uint8_t encoding)
{
        uint64_t here = area->addr + (uint64_t)(c->at - area->bytes.start);
        uint64_t value = read_format(elf, c, encoding & FORMAT_MASK);

        switch (encoding & RELATIVE_MASK) {
        case 0: break;
        case RELATIVE_PC: value += here; break;
        case RELATIVE_DATA:
                value += area->addr;
                c->failed |= !area->is_hdr;
                break;
        default: c->failed = true;
        }
        c->failed |= (encoding & INDIRECT) != 0;
        return elf->is_64 ? value : (uint32_t)value;
}

/* The content of the entry at `c`, from the id on; moves `c` past the entry.  False at the end. */
static bool next_entry(struct cursor *c, struct cursor *ret_content)
{
        uint64_t length = cursor_u32(c);

        if (length == UINT32_MAX)
                length = cursor_u64(c);
        if (!length || c->failed || length > cursor_left(c))
                return false;
        /* Starts at the section, so that positions count from there. */
        *ret_content = *c;
        ret_content->end = c->at + length;
        return cursor_skip(c, length);
}

static bool read_augmentation(const struct frames *f, struct cursor *c, const char *letters,
                              uint8_t *ret_encoding)
{
        for (; *letters; letters++) {
                uint8_t encoding;

                switch (*letters) {
                case 'R': *ret_encoding = cursor_u8(c); return !c->failed;
                case 'L': cursor_u8(c); break;
                case 'P':
                        encoding = cursor_u8(c);
                        if (encoding != OMITTED)
                                read_format(f->elf, c, encoding & FORMAT_MASK);
                        break;
                case 'S':
                case 'B':
                case 'G': break;
                default: return false;
                }
        }
        return !c->failed;
}

/* The number of rules at `c` that define the frame, before the first of another kind, up to 2. Compilers
 * write some 20 rules. */
static unsigned count_frame_rules(struct cursor c)
{
        unsigned n = 0;

        for (unsigned i = 0; i < MAX_RULES && n < 2; i++) {
                uint8_t rule = cursor_u8(&c);

                if (rule == DEF_CFA || rule == DEF_CFA_REGISTER || rule == DEF_CFA_OFFSET)
                        n++;
                else if (rule >> 6 != OFFSET_OF_REGISTER)
                        return n;
                cursor_uleb(&c);
                if (rule == DEF_CFA)
                        cursor_uleb(&c);
                if (c.failed)
                        return n;
        }
        return n;
}

/* Moves `c` past augmentation data. */
static void skip_data(struct cursor *c)
{
        cursor_skip(c, cursor_uleb(c));
}

static bool read_cie(struct frames *f, size_t pos)
{
        struct cursor c = f->frame.bytes;
        struct cursor entry, rules;
        const char *letters;
        uint8_t version;

        f->cie_encoding = FORMAT_ABSOLUTE;
        if (!cursor_seek(&c, pos) || !next_entry(&c, &entry) || cursor_u32(&entry) != 0)
                return false;
        version = cursor_u8(&entry);
        letters = cursor_str(&entry, NULL);
        if (!letters || strnlen(letters, MAX_LETTERS + 1) > MAX_LETTERS ||
            (version != 1 && version != 3 && version != 4))
                return false;
        if (version == 4)
                cursor_skip(&entry, 2);
        cursor_uleb(&entry);
        cursor_sleb(&entry);
        if (version == 1)
                cursor_u8(&entry);
        else
                cursor_uleb(&entry);
        f->cie_has_data = letters[0] == 'z';
        rules = entry;
        if (f->cie_has_data)
                skip_data(&rules);
        f->cie_has_frame = count_frame_rules(rules) > 1;
        if (!f->cie_has_data)
                return !letters[0] && !entry.failed;
        cursor_uleb(&entry);
        return read_augmentation(f, &entry, letters + 1, &f->cie_encoding);
}

static bool find_encoding(struct frames *f, size_t cie_pos, uint8_t *ret_encoding)
{
        if (!f->has_cie_pos || f->cie_pos != cie_pos) {
                f->is_cie = read_cie(f, cie_pos);
                f->cie_pos = cie_pos;
                f->has_cie_pos = true;
        }
        *ret_encoding = f->cie_encoding;
        return f->is_cie;
}

/* Whether the rules of an FDE and its CIE define another frame than that at the start of a function. */
static bool begins_with_frame(const struct frames *f, struct cursor entry)
{
        if (f->cie_has_data)
                skip_data(&entry);
        return f->cie_has_frame || count_frame_rules(entry);
}

/* Adds the range of an entry, if it is a valid FDE. */
static void add_entry(struct frames *f, struct cursor entry)
{
        size_t id_pos = cursor_pos(&entry);
        uint32_t back = cursor_u32(&entry);
        struct object_range range;
        uint8_t encoding;

        if (!back || back > id_pos || !find_encoding(f, id_pos - back, &encoding))
                return;
        range.start = read_encoded(f->elf, &f->frame, &entry, encoding);
        range.size_bytes = read_format(f->elf, &entry, encoding & FORMAT_MASK);
        /* Ranges of code that the linker dropped begin at 0. */
        if (entry.failed || !range.start || !range.size_bytes || f->n_ranges >= ELF_MAX_FRAMES ||
            range.size_bytes > UINT64_MAX - range.start)
                return;
        range.has_frame = begins_with_frame(f, entry);
        ARRAY_PUSH(f->ranges, f->n_ranges, f->cap_ranges, range);
}

static void walk_frames(struct frames *f)
{
        struct cursor c = f->frame.bytes;
        struct cursor entry;

        while (cursor_left(&c) && next_entry(&c, &entry))
                add_entry(f, entry);
}

/* Reads the header's own fields; then `c` is at the table.  False if the table can't be used. */
static bool read_hdr(const struct frames *f, struct cursor *c, uint64_t *ret_frame_addr, uint64_t *ret_n,
                     uint8_t *ret_encoding)
{
        uint8_t version = cursor_u8(c);
        uint8_t frame_encoding = cursor_u8(c);
        uint8_t count_encoding = cursor_u8(c);

        *ret_encoding = cursor_u8(c);
        if (c->failed || version != 1 || frame_encoding == OMITTED)
                return false;
        *ret_frame_addr = read_encoded(f->elf, &f->hdr, c, frame_encoding);
        if (c->failed)
                return false;
        *ret_n = 0;
        if (count_encoding != OMITTED && *ret_encoding != OMITTED)
                *ret_n = read_encoded(f->elf, &f->hdr, c, count_encoding);
        return !c->failed;
}

/* If there are no sections, the header has the start of .eh_frame, which ends with its segment. */
static bool find_frame_by_hdr(struct frames *f)
{
        struct cursor c = f->hdr.bytes;
        const struct object *object = &f->elf->base;
        uint64_t n;
        uint8_t encoding;

        if (f->frame.bytes.start)
                return true;
        if (!read_hdr(f, &c, &f->frame.addr, &n, &encoding))
                return false;
        for (size_t i = 0; i < object->n_segments; i++) {
                const struct object_segment *segment = &object->segments[i];
                uint64_t skip = f->frame.addr - segment->addr;

                if (f->frame.addr >= segment->addr && skip < segment->file_size)
                        return object_read_addr(object, f->frame.addr, segment->file_size - skip,
                                                &f->frame.bytes);
        }
        return false;
}

/* Uses the sorted table of .eh_frame_hdr.  False if it is not usable. */
static bool follow_table(struct frames *f)
{
        struct cursor c = f->hdr.bytes;
        uint64_t frame_addr, n;
        uint8_t encoding;

        if (!f->hdr.bytes.start || !read_hdr(f, &c, &frame_addr, &n, &encoding) || !n ||
            frame_addr != f->frame.addr)
                return false;
        for (uint64_t i = 0; i < n; i++) {
                struct cursor at = f->frame.bytes;
                struct cursor entry;
                uint64_t fde_addr;

                read_encoded(f->elf, &f->hdr, &c, encoding);
                fde_addr = read_encoded(f->elf, &f->hdr, &c, encoding);
                if (c.failed || !cursor_seek(&at, fde_addr - frame_addr) || !next_entry(&at, &entry)) {
                        f->n_ranges = 0;
                        return false;
                }
                add_entry(f, entry);
        }
        return true;
}

static bool find_area(struct elf *elf, const char *name, uint32_t segment_type, struct area *ret)
{
        const struct object_section *section = object_find_section(&elf->base, name);
        const struct elf_segment *segment;

        if (section && object_read_section(&elf->base, section, &ret->bytes, NULL)) {
                ret->addr = section->addr;
                return true;
        }
        segment = segment_type ? elf_find_segment(elf, segment_type) : NULL;
        if (!segment)
                return false;
        ret->bytes = cursor_sub(&elf->base.bytes, segment->at.file_off, segment->at.file_size);
        ret->addr = segment->at.addr;
        return !ret->bytes.failed;
}

static int compare_ranges(const void *a, const void *b)
{
        const struct object_range *x = a, *y = b;

        if (x->start != y->start)
                return x->start < y->start ? -1 : 1;
        return (x->size_bytes < y->size_bytes) - (x->size_bytes > y->size_bytes);
}

static void sort_ranges(struct frames *f)
{
        size_t n = 0;

        for (size_t i = 1; i < f->n_ranges; i++) {
                if (compare_ranges(&f->ranges[i - 1], &f->ranges[i]) <= 0)
                        continue;
                qsort(f->ranges, f->n_ranges, sizeof(*f->ranges), compare_ranges);
                break;
        }
        for (size_t i = 0; i < f->n_ranges; i++) {
                if (!n || f->ranges[n - 1].start != f->ranges[i].start)
                        f->ranges[n++] = f->ranges[i];
        }
        f->n_ranges = n;
}

size_t elf_list_functions(struct object *object, struct object_range **ret_ranges)
{
        struct frames f = {.elf = elf_of(object), .hdr.is_hdr = true};

        *ret_ranges = NULL;
        /* Before linking, every start is still 0. */
        if (object->facts.is_relocatable)
                return 0;
        find_area(elf_of(object), ".eh_frame_hdr", ELF_PT_GNU_EH_FRAME, &f.hdr);
        if (!find_area(elf_of(object), ".eh_frame", 0, &f.frame) && !find_frame_by_hdr(&f))
                return 0;
        if (!follow_table(&f))
                walk_frames(&f);
        sort_ranges(&f);
        *ret_ranges = f.ranges;
        return f.n_ranges;
}
