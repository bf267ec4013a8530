/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that a PE image's exception directory (.pdata) lists, as ranges.  What unwinding them takes is
 * unwind/'s matter. */
#include <stdlib.h>

#include "arena.h"
#include "pe_internal.h"

enum {
        X64_ENTRY_BYTES = 12,
        ARM64_ENTRY_BYTES = 8,
        X64_CHAINED = 4, /* flag of the unwind information: it goes on in that of another entry */
};

struct piece {
        uint32_t start, size_bytes;
        bool is_continued; /* it belongs to the function before it */
};

static bool read_x64(const struct pe *pe, struct cursor *c, struct piece *ret)
{
        uint32_t start = cursor_u32(c), end = cursor_u32(c), info = cursor_u32(c);
        struct cursor at = pe_at_rva(pe, info & ~3u);
        uint8_t version_and_flags = cursor_u8(&at);

        *ret = (struct piece){.start = start, .size_bytes = end - start};
        /* An odd address is that of another entry of the table. */
        ret->is_continued = (info & 1) || (version_and_flags >> 3 & X64_CHAINED);
        return start && end > start;
}

static bool read_arm64(const struct pe *pe, struct cursor *c, struct piece *ret)
{
        uint32_t start = cursor_u32(c), word = cursor_u32(c);
        struct cursor at;

        *ret = (struct piece){.start = start};
        switch (word & 3) {
        case 0: /* the length stands in the first word of .xdata */
                at = pe_at_rva(pe, word);
                ret->size_bytes = (cursor_u32(&at) & 0x3ffff) * 4;
                break;
        case 1: ret->size_bytes = (word >> 2 & 0x7ff) * 4; break;
        case 2: /* packed, without a prologue */
                ret->size_bytes = (word >> 2 & 0x7ff) * 4;
                ret->is_continued = true;
                break;
        }
        return start && ret->size_bytes;
}

static int compare_ranges(const void *a, const void *b)
{
        const struct object_range *x = a, *y = b;

        return x->start < y->start ? -1 : x->start > y->start;
}

/* Sorted, one a start; of two the first one. */
static size_t sort_ranges(struct object_range *ranges, size_t n)
{
        size_t n_kept = 0;

        if (n)
                qsort(ranges, n, sizeof(*ranges), compare_ranges);
        for (size_t i = 0; i < n; i++) {
                if (!n_kept || ranges[n_kept - 1].start != ranges[i].start)
                        ranges[n_kept++] = ranges[i];
        }
        return n_kept;
}

size_t pe_list_functions(struct object *object, struct object_range **ret_ranges)
{
        const struct pe *pe = pe_of(object);
        struct cursor c = pe_directory(pe, PE_DIR_EXCEPTION);
        bool is_arm64 = object->facts.machine == OBJECT_MACHINE_ARM64;
        size_t n = 0, n_entries = cursor_left(&c) / (is_arm64 ? ARM64_ENTRY_BYTES : X64_ENTRY_BYTES);
        struct object_range *ranges;

        *ret_ranges = NULL;
        if (!is_arm64 && object->facts.machine != OBJECT_MACHINE_X86_64)
                return 0;
        if (n_entries > PE_MAX_FUNCTIONS)
                n_entries = PE_MAX_FUNCTIONS;
        ranges = mem_new(n_entries, sizeof(*ranges));
        for (size_t i = 0; i < n_entries; i++) {
                struct piece piece;
                uint64_t addr;

                if (!(is_arm64 ? read_arm64 : read_x64)(pe, &c, &piece))
                        continue;
                addr = object->facts.load_addr + piece.start;
                if (piece.is_continued && n && ranges[n - 1].start + ranges[n - 1].size_bytes == addr)
                        ranges[n - 1].size_bytes += piece.size_bytes;
                else
                        ranges[n++] = (struct object_range){addr, piece.size_bytes};
        }
        *ret_ranges = ranges;
        return sort_ranges(ranges, n);
}
