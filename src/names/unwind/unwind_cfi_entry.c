/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of .eh_frame and .debug_frame.
 *
 *   u32     length of what follows (0xffffffff: u64 follows; 0 in .eh_frame: the end)
 *   id      .eh_frame: u32, 0 a CIE, else an FDE and the distance back to its CIE
 *           .debug_frame: u32 or u64, all ones a CIE, else an FDE and the offset of its CIE
 *   CIE     u8 version, augmentation, with version 4 u8 address and u8 segment selector size, code
 *           alignment, data alignment, return address column, augmentation data, instructions
 *   FDE     start, size, augmentation data, instructions
 */
#include "unwind_cfi_internal.h"

enum {
        FORMAT_ABSOLUTE = 0x00,
        FORMAT_ULEB = 0x01,
        FORMAT_U16 = 0x02,
        FORMAT_U64 = 0x04,
        FORMAT_SLEB = 0x09,
        FORMAT_S16 = 0x0a,
        FORMAT_S64 = 0x0c,
        RELATIVE_PC = 0x10,
        RELATIVE_TEXT = 0x20,
        RELATIVE_FUNCTION = 0x40,
        RELATIVE_ALIGNED = 0x50,
        RELATIVE_MASK = 0x70,
        WORD_BYTES = 8,
        MAX_LETTERS = 16, /* of an augmentation; "zPLRSBG" has all that exist */
};

static uint64_t read_format(struct cursor *c, uint8_t format)
{
        switch (format) {
        case FORMAT_ABSOLUTE:
        case FORMAT_U64:
        case FORMAT_S64: return cursor_u64(c);
        case FORMAT_ULEB: return cursor_uleb(c);
        case FORMAT_U16: return cursor_u16(c);
        case CFI_PE_U32: return cursor_u32(c);
        case FORMAT_SLEB: return (uint64_t)cursor_sleb(c);
        case FORMAT_S16: return (uint64_t)(int16_t)cursor_u16(c);
        case CFI_PE_S32: return (uint64_t)(int32_t)cursor_u32(c);
        default: c->failed = true; return 0;
        }
}

/* Reads a pointer from the file; the loader may have changed it in memory. */
static uint64_t follow(const struct cfi_area *area, struct cursor *c, uint64_t addr)
{
        struct cursor at;

        if (!area->object || !object_read_addr(area->object, addr, WORD_BYTES, &at)) {
                c->failed = true;
                return 0;
        }
        return cursor_u64(&at);
}

uint64_t cfi_read_encoded(const struct cfi_area *area, struct cursor *c, uint8_t encoding, uint64_t function)
{
        uint64_t here = area->addr + (uint64_t)(c->at - area->bytes.start);
        uint64_t base = 0, value;

        switch (encoding & RELATIVE_MASK) {
        case FORMAT_ABSOLUTE: break;
        case RELATIVE_PC: base = here; break;
        case RELATIVE_TEXT: base = area->text_addr; break;
        case CFI_PE_DATA: base = area->data_addr; break;
        case RELATIVE_FUNCTION: base = function; break;
        case RELATIVE_ALIGNED: cursor_skip(c, -here % WORD_BYTES); break;
        default: c->failed = true;
        }
        value = read_format(c, encoding & CFI_PE_FORMAT_MASK);
        if (c->failed)
                return 0;
        /* An absent pointer is 0 in every encoding. */
        if (!value)
                return 0;
        value += base;
        return encoding & CFI_PE_INDIRECT ? follow(area, c, value) : value;
}

struct cfi_entry {
        struct cursor content; /* after the id */
        bool is_cie;
        uint64_t cie_off;
        uint64_t next;
};

/* False if the entry is damaged, or at the end of the table. */
static bool read_entry(const struct cfi_table *table, uint64_t off, struct cfi_entry *ret)
{
        struct cursor c = table->area.bytes;
        uint64_t length, id_pos, id;
        bool is_64;

        if (!cursor_seek(&c, off))
                return false;
        length = cursor_u32(&c);
        is_64 = length == UINT32_MAX;
        if (is_64)
                length = cursor_u64(&c);
        if (!length || c.failed || length > cursor_left(&c))
                return false;
        id_pos = cursor_pos(&c);
        c.end = c.at + length;
        ret->next = id_pos + length;
        if (table->is_debug) {
                id = is_64 ? cursor_u64(&c) : cursor_u32(&c);
                ret->is_cie = id == (is_64 ? UINT64_MAX : UINT32_MAX);
                ret->cie_off = id;
        } else {
                id = cursor_u32(&c);
                ret->is_cie = !id;
                ret->cie_off = id_pos - id;
        }
        ret->content = c;
        return !c.failed;
}

/* Unknown letters end the loop; their data can be skipped because the size is known. */
static void read_augmentation(const struct cfi_area *area, struct cursor *c, const char *letters,
                              struct cfi_cie *cie)
{
        for (; *letters; letters++) {
                uint8_t encoding;

                switch (*letters) {
                case 'R': cie->encoding = cursor_u8(c); break;
                case 'L': cursor_u8(c); break;
                case 'P':
                        encoding = cursor_u8(c);
                        if (encoding == CFI_PE_OMITTED)
                                break;
                        /* The pointer is not used, and its target may not be in the file. */
                        cfi_read_encoded(area, c, encoding & ~CFI_PE_INDIRECT, 0);
                        break;
                case 'S': cie->is_signal = true; break;
                case 'B': cie->is_key_b = true; break;
                case 'G': break; /* memory tags; do not affect unwinding */
                default: return;
                }
        }
}

static bool read_version_4(struct cursor *c, struct cfi_cie *cie)
{
        cie->addr_bytes = cursor_u8(c);
        return !cursor_u8(c) && (cie->addr_bytes == 4 || cie->addr_bytes == 8);
}

static bool read_augmentations(const struct cfi_table *table, struct cursor *c, const char *letters,
                               struct cfi_cie *cie)
{
        struct cursor data = *c;
        uint64_t size;

        if (*letters != 'z') {
                /* Without 'z', only letters without data can be skipped. */
                for (; *letters; letters++) {
                        if (*letters != 'S' && *letters != 'B')
                                return false;
                        cie->is_signal |= *letters == 'S';
                        cie->is_key_b |= *letters == 'B';
                }
                return true;
        }
        cie->has_sizes = true;
        size = cursor_uleb(&data);
        if (data.failed || size > cursor_left(&data))
                return false;
        data.end = data.at + size;
        c->at = data.end;
        read_augmentation(&table->area, &data, letters + 1, cie);
        return !data.failed;
}

static bool read_cie(const struct cfi_table *table, uint64_t off, struct cfi_cie *ret)
{
        struct cfi_cie cie = {.pos = off, .addr_bytes = WORD_BYTES};
        const char *letters;
        struct cfi_entry entry;
        struct cursor *c = &entry.content;
        size_t n_letters;
        uint8_t version;

        if (!read_entry(table, off, &entry) || !entry.is_cie)
                return false;
        version = cursor_u8(c);
        letters = cursor_str(c, &n_letters);
        if (!letters || n_letters > MAX_LETTERS || (version != 1 && version != 3 && version != 4))
                return false;
        /* GCC 2: an address follows. */
        if (letters[0] == 'e' && letters[1] == 'h') {
                cursor_skip(c, WORD_BYTES);
                letters += 2;
        }
        if (version == 4 && !read_version_4(c, &cie))
                return false;
        cie.code_align = cursor_uleb(c);
        cie.data_align = cursor_sleb(c);
        cie.return_reg = version == 1 ? cursor_u8(c) : cursor_uleb(c);
        if (!read_augmentations(table, c, letters, &cie) || c->failed || cie.return_reg >= UNWIND_N_REGS)
                return false;
        cie.instructions = *c;
        *ret = cie;
        return true;
}

static bool find_cie(struct cfi_table *table, uint64_t off)
{
        if (table->has_cie && table->cie.pos == off)
                return true;
        if (!read_cie(table, off, &table->cie)) {
                table->has_cie = false;
                return false;
        }
        table->has_cie = true;
        return true;
}

static void read_span(const struct cfi_table *table, struct cursor *c, struct cfi_span *span)
{
        uint64_t size;

        if (table->is_debug && table->cie.addr_bytes == 4) {
                span->start = cursor_u32(c);
                size = cursor_u32(c);
        } else {
                span->start = cfi_read_encoded(&table->area, c, table->cie.encoding, 0);
                size = read_format(c, table->cie.encoding & CFI_PE_FORMAT_MASK);
        }
        span->end = size > UINT64_MAX - span->start ? span->start : span->start + size;
}

int cfi_read_fde(struct cfi_table *table, uint64_t off, struct cfi_fde *ret_fde, uint64_t *ret_next)
{
        struct cfi_fde fde = {.span.off = off};
        struct cfi_entry entry;
        struct cursor *c = &entry.content;

        *ret_next = 0;
        if (!read_entry(table, off, &entry))
                return -1;
        *ret_next = entry.next;
        if (entry.is_cie)
                return 0;
        if (!find_cie(table, entry.cie_off))
                return -1;
        read_span(table, c, &fde.span);
        if (table->cie.has_sizes)
                cursor_skip(c, cursor_uleb(c));
        if (c->failed)
                return -1;
        /* Functions that the linker dropped start at 0. */
        if (!fde.span.start || fde.span.end <= fde.span.start)
                return 0;
        fde.cie = table->cie;
        fde.instructions = *c;
        *ret_fde = fde;
        return 1;
}

uint64_t cfi_count_fdes(const struct cfi_table *table)
{
        uint64_t off = 0, size = cursor_left(&table->area.bytes), n = 0;
        struct cfi_entry entry;

        while (size - off > sizeof(uint32_t)) {
                if (!read_entry(table, off, &entry))
                        return 0;
                n += !entry.is_cie;
                off = entry.next;
        }
        return n;
}
