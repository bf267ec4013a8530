/* SPDX-License-Identifier: BSD-3-Clause */
/* The exception directory (.pdata) of a PE image: its entries, and the functions that they describe.
 * unwind/ reads the unwind information.
 *
 *   x64    start, end, address of the unwind information; if it is odd, of another entry
 *   ARM64  start, then by the lowest two bits: 0 the address of .xdata, whose first word has the length,
 *          1 packed (length / 4 in bits 2 to 12), 2 packed and without a prologue, 3 reserved
 *
 * All addresses are image-relative. */
#include <stdlib.h>

#include "mem.h"
#include "pe_internal.h"

enum {
        X64_ENTRY_BYTES = 12,
        ARM64_ENTRY_BYTES = 8,
        X64_CHAINED = 4, /* flag of the unwind information: continued in that of another entry */
};

/* 0: entries of this machine are not supported. */
static size_t entry_bytes(const struct object *object)
{
        switch (object->facts.machine) {
        case OBJECT_MACHINE_X86_64: return X64_ENTRY_BYTES;
        case OBJECT_MACHINE_ARM64: return ARM64_ENTRY_BYTES;
        default: return 0;
        }
}

static uint32_t arm64_length(uint32_t word, struct cursor info)
{
        switch (word & 3) {
        case 0: return (cursor_u32(&info) & 0x3ffff) * 4;
        case 1:
        case 2: return (word >> 2 & 0x7ff) * 4;
        default: return 0;
        }
}

static struct cursor no_info(void)
{
        struct cursor none = cursor_make(NULL, 0);

        none.failed = true;
        return none;
}

static bool read_entry(const struct object *object, struct cursor c, struct object_unwind *ret_entry)
{
        const struct pe *pe = (const struct pe *)object;
        bool is_arm64 = object->facts.machine == OBJECT_MACHINE_ARM64;
        uint32_t start = cursor_u32(&c), end = is_arm64 ? 0 : cursor_u32(&c), word = cursor_u32(&c);
        struct cursor info = word & 3 ? no_info() : pe_at_rva(pe, word);

        if (is_arm64)
                end = start + arm64_length(word, info);
        if (c.failed || !start || end <= start)
                return false;
        *ret_entry = (struct object_unwind){
                .start = object->facts.load_addr + start,
                .end = object->facts.load_addr + end,
                .word = word,
                .info = info,
        };
        return true;
}

/* --- The table --- */

size_t pe_n_unwind(const struct object *object)
{
        struct cursor table = pe_directory((const struct pe *)object, PE_DIR_EXCEPTION);
        size_t size = entry_bytes(object), n = size ? cursor_left(&table) / size : 0;

        return n < PE_MAX_FUNCTIONS ? n : PE_MAX_FUNCTIONS;
}

bool pe_get_unwind(const struct object *object, size_t i, struct object_unwind *ret_entry)
{
        struct cursor table = pe_directory((const struct pe *)object, PE_DIR_EXCEPTION);
        size_t size = entry_bytes(object);

        return read_entry(object, cursor_sub(&table, (uint64_t)i * size, size), ret_entry);
}

bool pe_find_unwind(const struct object *object, uint64_t addr, struct object_unwind *ret_entry)
{
        struct cursor table = pe_directory((const struct pe *)object, PE_DIR_EXCEPTION);
        size_t size = entry_bytes(object), first = 0, last = pe_n_unwind(object);
        uint64_t rva = addr - object->facts.load_addr;
        struct object_unwind entry;

        while (last - first > 1) {
                size_t middle = first + (last - first) / 2;
                struct cursor c = cursor_sub(&table, (uint64_t)middle * size, size);

                if (cursor_u32(&c) <= rva)
                        first = middle;
                else
                        last = middle;
        }
        if (first == last || !pe_get_unwind(object, first, &entry) || addr < entry.start || addr >= entry.end)
                return false;
        *ret_entry = entry;
        return true;
}

bool pe_read_unwind(const struct object *object, uint32_t rva, struct object_unwind *ret_entry)
{
        struct cursor at = pe_at_rva((const struct pe *)object, rva);

        return entry_bytes(object) && read_entry(object, cursor_sub(&at, 0, entry_bytes(object)), ret_entry);
}

/* --- Functions --- */

static bool is_continued(const struct object *object, const struct object_unwind *entry)
{
        struct cursor info = entry->info;

        if (object->facts.machine == OBJECT_MACHINE_ARM64)
                return (entry->word & 3) == 2;
        return (entry->word & 1) || (cursor_u8(&info) >> 3 & X64_CHAINED);
}

/* The entry that x64's unwind information continues; false if it is the first. */
static bool read_chained(const struct object *object, const struct object_unwind *entry,
                         struct object_unwind *ret_entry)
{
        enum { CODE_BYTES = 2, COUNT_OFF = 2, CODES_OFF = 4 };
        struct cursor info = entry->info;
        uint8_t flags, n_codes;

        if (entry->word & 1)
                return pe_read_unwind(object, entry->word & ~1u, ret_entry);
        flags = cursor_u8(&info) >> 3;
        if (!(flags & X64_CHAINED))
                return false;
        cursor_seek(&info, COUNT_OFF);
        n_codes = cursor_u8(&info);
        return read_entry(object,
                          cursor_sub(&info, CODES_OFF + (uint64_t)(n_codes + (n_codes & 1)) * CODE_BYTES,
                                     X64_ENTRY_BYTES),
                          ret_entry);
}

bool pe_find_function(const struct object *object, uint64_t addr, struct object_unwind *ret_entry)
{
        enum { MAX_CHAINED = 32 };
        struct object_unwind entry;

        if (!pe_find_unwind(object, addr, &entry))
                return false;
        for (unsigned i = 0; object->facts.machine == OBJECT_MACHINE_X86_64 && i < MAX_CHAINED; i++) {
                struct object_unwind next;

                if (!read_chained(object, &entry, &next))
                        break;
                entry = next;
        }
        *ret_entry = entry;
        return true;
}

static int compare_ranges(const void *a, const void *b)
{
        const struct object_range *x = a, *y = b;

        return x->start < y->start ? -1 : x->start > y->start;
}

/* Sorts ranges; if several have the same start, keeps the first one. */
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
        size_t n = 0, n_entries = pe_n_unwind(object);
        struct object_range *ranges;

        *ret_ranges = NULL;
        if (!n_entries)
                return 0;
        ranges = mem_new(n_entries, sizeof(*ranges));
        for (size_t i = 0; i < n_entries; i++) {
                struct object_unwind entry;

                if (!pe_get_unwind(object, i, &entry))
                        continue;
                if (is_continued(object, &entry) && n &&
                    ranges[n - 1].start + ranges[n - 1].size_bytes == entry.start)
                        ranges[n - 1].size_bytes += entry.end - entry.start;
                else
                        ranges[n++] = (struct object_range){.start = entry.start,
                                                            .size_bytes = entry.end - entry.start};
        }
        *ret_ranges = ranges;
        return sort_ranges(ranges, n);
}
