/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the entry that covers an address: in the sorted table of .eh_frame_hdr, or, if that lacks the address
 * or is wrong, in an index of all entries that is built on first use. */
#include <stdlib.h>

#include "budget.h"
#include "mem.h"
#include "search.h"
#include "unwind_cfi_internal.h"

enum {
        HDR_VERSION = 1,
        ENTRIES_AT_ONCE = 1024, /* whose memory is taken from the budget together */
};

static uint64_t section_addr(const struct object *object, const char *name)
{
        const struct object_section *section = object_find_section(object, name);

        return section ? section->addr : 0;
}

static bool open_area(struct object *object, const char *name, struct cfi_area *ret)
{
        const struct object_section *section = object_find_section(object, name);

        if (!section || !object_read_section(object, section, &ret->bytes, NULL))
                return false;
        ret->object = object;
        ret->addr = section->addr;
        ret->text_addr = section_addr(object, ".text");
        ret->data_addr = section_addr(object, ".got");
        return true;
}

/* Size of a pair in the sorted table; 0 if the encoding has no fixed size or is not accepted. */
static unsigned pair_bytes(uint8_t encoding)
{
        if (encoding & CFI_PE_INDIRECT)
                return 0;
        switch (encoding & CFI_PE_FORMAT_MASK) {
        case CFI_PE_U32:
        case CFI_PE_S32: return 8;
        case 0x00:
        case 0x04:
        case 0x0c: return 16;
        default: return 0;
        }
}

static void open_hdr(struct object *object, struct cfi_table *table)
{
        uint8_t frame_encoding, count_encoding;
        struct cursor c;
        uint64_t n;

        if (!open_area(object, ".eh_frame_hdr", &table->hdr))
                return;
        table->hdr.data_addr = table->hdr.addr;
        c = table->hdr.bytes;
        if (cursor_u8(&c) != HDR_VERSION)
                return;
        frame_encoding = cursor_u8(&c);
        count_encoding = cursor_u8(&c);
        table->sorted_encoding = cursor_u8(&c);
        if (frame_encoding != CFI_PE_OMITTED)
                cfi_read_encoded(&table->hdr, &c, frame_encoding, 0);
        if (count_encoding == CFI_PE_OMITTED || !pair_bytes(table->sorted_encoding))
                return;
        n = cfi_read_encoded(&table->hdr, &c, count_encoding, 0);
        if (c.failed)
                return;
        if (n > cursor_left(&c) / pair_bytes(table->sorted_encoding))
                n = cursor_left(&c) / pair_bytes(table->sorted_encoding);
        table->n_sorted = n;
        table->sorted = c;
}

bool cfi_open_eh_frame(struct object *object, struct cfi_table *ret_table)
{
        struct cfi_table table = {0};

        if (!open_area(object, ".eh_frame", &table.area))
                return false;
        open_hdr(object, &table);
        *ret_table = table;
        return true;
}

bool cfi_open_debug_frame(struct object *object, struct cfi_table *ret_table)
{
        struct cfi_table table = {.is_debug = true};

        if (!open_area(object, ".debug_frame", &table.area))
                return false;
        *ret_table = table;
        return true;
}

/* --- The sorted table --- */

static bool read_pair(const struct cfi_table *table, uint64_t i, uint64_t *ret_start, uint64_t *ret_entry)
{
        struct cursor c = table->sorted;

        cursor_skip(&c, i * pair_bytes(table->sorted_encoding));
        *ret_start = cfi_read_encoded(&table->hdr, &c, table->sorted_encoding, 0);
        if (ret_entry)
                *ret_entry = cfi_read_encoded(&table->hdr, &c, table->sorted_encoding, 0);
        return !c.failed;
}

static bool is_whole(struct cfi_table *table)
{
        uint64_t before = 0, start;
        bool rises = true;

        if (table->sorted_is_whole)
                return table->sorted_is_whole == 2;
        for (uint64_t i = 0; i < table->n_sorted && rises; i++) {
                rises = read_pair(table, i, &start, NULL) && start > before;
                before = start;
        }
        table->sorted_is_whole = rises && cfi_count_fdes(table) == table->n_sorted ? 2 : 1;
        return table->sorted_is_whole == 2;
}

enum sorted_answer {
        SORTED_HAS,
        SORTED_LACKS, /* it has every entry, and none covers the address */
        SORTED_UNSURE,
        SORTED_MALFORMED, /* unsure, because the entry in the table can't be read */
};

static enum sorted_answer find_sorted(struct cfi_table *table, uint64_t addr, struct cfi_fde *ret_fde)
{
        uint64_t low = 0, high = table->n_sorted, start, entry, next;
        int is_fde;

        while (low < high) {
                uint64_t middle = low + (high - low) / 2;

                if (!read_pair(table, middle, &start, NULL))
                        return SORTED_UNSURE;
                if (start <= addr)
                        low = middle + 1;
                else
                        high = middle;
        }
        if (!low || !read_pair(table, low - 1, &start, &entry) || entry < table->area.addr)
                return SORTED_UNSURE;
        is_fde = cfi_read_fde(table, entry - table->area.addr, ret_fde, &next);
        if (is_fde != 1)
                return is_fde < 0 ? SORTED_MALFORMED : SORTED_UNSURE;
        if (ret_fde->span.start <= addr && addr < ret_fde->span.end)
                return SORTED_HAS;
        return ret_fde->span.start == start && is_whole(table) ? SORTED_LACKS : SORTED_UNSURE;
}

/* --- The index --- */

static int compare_spans(const void *a, const void *b)
{
        const struct cfi_span *x = a, *y = b;

        if (x->start != y->start)
                return x->start < y->start ? -1 : 1;
        if (x->end != y->end)
                return x->end < y->end ? -1 : 1;
        return (x->off > y->off) - (x->off < y->off);
}

/* If two entries start at the same address, keeps the one that ends last. */
static void drop_doubles(struct cfi_table *table)
{
        size_t n = 0;

        for (size_t i = 0; i < table->n_index; i++) {
                if (n && table->index[n - 1].start == table->index[i].start)
                        n--;
                table->index[n++] = table->index[i];
        }
        table->n_index = n;
}

/* Whether the sorted table has the same entries as the index, which then can be freed to save memory. Both
 * are sorted by address, so one pass is enough; false if the table is not sorted. */
static bool is_told_by_table(const struct cfi_table *table)
{
        uint64_t k = 0, start = 0, entry = 0, after;

        for (size_t i = 0; i < table->n_index; i++) {
                const struct cfi_span *span = &table->index[i];

                do {
                        uint64_t before = start;

                        if (k == table->n_sorted || !read_pair(table, k, &start, &entry) ||
                            (k && start <= before))
                                return false;
                        k++;
                } while (start < span->start);
                if (start != span->start || entry - table->area.addr != span->off)
                        return false;
                if (k < table->n_sorted && (!read_pair(table, k, &after, NULL) || after < span->end))
                        return false;
        }
        return true;
}

/* Whether the budget has memory for another entry of the index.  A moved function of a jitdump has an index
 * of its own. */
static bool has_room(struct cfi_table *table)
{
        uint64_t bytes = 2 * ENTRIES_AT_ONCE * sizeof(*table->index); /* the array grows by doubling */

        if (table->n_index % ENTRIES_AT_ONCE)
                return true;
        if (!budget_take(table->budget, BUDGET_STACKS, bytes))
                return false;
        table->taken_bytes += bytes;
        return true;
}

static void add_entry(struct cfi_table *table, const struct cfi_span *span)
{
        ARRAY_PUSH(table->index, table->n_index, table->cap_index, *span);
}

static void free_index(struct cfi_table *table)
{
        budget_give(table->budget, table->taken_bytes);
        table->taken_bytes = 0;
        free(table->index);
        table->index = NULL;
        table->n_index = table->cap_index = 0;
}

static void make_index(struct cfi_table *table)
{
        uint64_t off = 0, next;
        struct cfi_fde fde;

        table->has_index = true;
        while (off < cursor_left(&table->area.bytes) && table->n_index < CFI_MAX_ENTRIES && has_room(table)) {
                table->n_read++;
                if (cfi_read_fde(table, off, &fde, &next) == 1)
                        add_entry(table, &fde.span);
                /* A linked .eh_frame may contain a terminator in the middle, between the parts of different
                 * files. */
                off = next ? next : off + 4;
                if (!next && table->is_debug)
                        break;
                if (!next && off + 4 <= cursor_left(&table->area.bytes)) {
                        struct cursor c = table->area.bytes;

                        if (!cursor_seek(&c, off - 4) || cursor_u32(&c))
                                break;
                }
        }
        if (table->n_index)
                qsort(table->index, table->n_index, sizeof(*table->index), compare_spans);
        drop_doubles(table);
        if (table->n_sorted && is_told_by_table(table))
                free_index(table);
}

static bool find_indexed(struct cfi_table *table, uint64_t addr, struct cfi_fde *ret_fde)
{
        size_t low = 0, high;
        uint64_t next;

        if (!table->has_index)
                make_index(table);
        high = table->n_index;
        SEARCH_FIRST(low, high, middle, table->index[middle].start <= addr);
        if (!low || addr >= table->index[low - 1].end)
                return false;
        return cfi_read_fde(table, table->index[low - 1].off, ret_fde, &next) == 1;
}

enum cfi_step cfi_find_fde(struct cfi_table *table, uint64_t addr, struct cfi_fde *ret_fde)
{
        enum sorted_answer answer = table->n_sorted ? find_sorted(table, addr, ret_fde) : SORTED_UNSURE;

        if (answer == SORTED_HAS || (answer != SORTED_LACKS && find_indexed(table, addr, ret_fde)))
                return CFI_STEP_DONE;
        return answer == SORTED_MALFORMED ? CFI_STEP_BAD_ENTRY : CFI_STEP_NONE;
}
