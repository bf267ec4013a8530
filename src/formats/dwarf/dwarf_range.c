/* SPDX-License-Identifier: BSD-3-Clause */
/* Address ranges as described by entries (DWARF 5, section 2.17), and as sorted segments without overlaps,
 * so that one binary search finds the innermost owner. */
#include <stdlib.h>

#include "dwarf_form.h"
#include "mem.h"
#include "search.h"

void dwarf_code_take(struct dwarf_code *code, const struct dwarf_value *value)
{
        switch (value->name) {
        case DW_AT_low_pc: code->low = *value; break;
        case DW_AT_high_pc: code->high = *value; break;
        case DW_AT_ranges: code->ranges = *value; break;
        default: break;
        }
}

/* Linkers give dropped code the address 0 or -1, or -2 if -1 has another meaning. */
bool dwarf_is_dropped(uint64_t addr, uint8_t address_bytes)
{
        uint64_t last = address_bytes == 4 ? UINT32_MAX : UINT64_MAX;

        return addr == 0 || addr >= last - 1;
}

bool dwarf_add_range(const struct dwarf_unit *unit, uint64_t start, uint64_t end, uint32_t owner,
                     struct dwarf_intervals *out, struct err *err)
{
        if (start >= end || dwarf_is_dropped(start, unit->shape.address_bytes))
                return true;
        if (out->n >= DWARF_MAX_INTERVALS)
                return err_set(err, ERR_LIMIT, "it has more than %d address ranges", DWARF_MAX_INTERVALS);
        ARRAY_PUSH(out->items, out->n, out->cap, (struct dwarf_interval){start, end, owner});
        return true;
}

/* --- Lists --- */

/* Pairs of addresses, up to version 4. */
static bool add_pairs(const struct dwarf_unit *unit, uint64_t off, uint32_t owner,
                      struct dwarf_intervals *out, struct err *err)
{
        struct cursor c = unit->file->sections[DWARF_RANGES];
        uint8_t width = unit->shape.address_bytes;
        uint64_t base = unit->low_addr, last = width == 4 ? UINT32_MAX : UINT64_MAX;

        if (!cursor_seek(&c, off))
                return err_set(err, ERR_FORMAT, "a list of ranges lies outside .debug_ranges");
        for (;;) {
                uint64_t start = dwarf_read_sized(&c, width), end = dwarf_read_sized(&c, width);

                if (c.failed)
                        return err_set(err, ERR_FORMAT, ".debug_ranges ends inside a list");
                if (!start && !end)
                        return true;
                if (!dwarf_spend(unit->file, 2u * width, err))
                        return false;
                if (start == last)
                        base = end;
                else if (start < end && !dwarf_add_range(unit, base + start, base + end, owner, out, err))
                        return false;
        }
}

static uint64_t read_addrx(const struct dwarf_unit *unit, struct cursor *c)
{
        struct dwarf_value value = {.class = DWARF_ADDRESS_INDEX, .number = dwarf_uleb(c)};
        uint64_t addr = 0;

        if (!dwarf_value_addr(unit, &value, &addr))
                cursor_fail(c);
        return addr;
}

/* Up to three bytes, the usual size of offsets in a unit. */
static inline __attribute__((always_inline)) uint64_t read_offset(struct cursor *c)
{
        const uint8_t *p = c->at;

        if (cursor_left(c) < 3 || c->failed)
                return dwarf_uleb(c);
        if (p[0] < 0x80) {
                c->at += 1;
                return p[0];
        }
        if (p[1] < 0x80) {
                c->at += 2;
                return (p[0] & 0x7fu) | (uint64_t)p[1] << 7;
        }
        if (p[2] < 0x80) {
                c->at += 3;
                return (p[0] & 0x7fu) | (uint64_t)(p[1] & 0x7fu) << 7 | (uint64_t)p[2] << 14;
        }
        return dwarf_uleb(c);
}

/* Reads an entry of .debug_rnglists; an entry that only sets the base returns an empty range. */
static inline __attribute__((always_inline)) void read_list_entry(const struct dwarf_unit *unit, uint8_t kind,
                                                                  struct cursor *c, uint64_t *base,
                                                                  uint64_t *ret_start, uint64_t *ret_end)
{
        uint8_t width = unit->shape.address_bytes;
        uint64_t start = 0, end = 0;

        switch (kind) {
        case DW_RLE_base_addressx: *base = read_addrx(unit, c); break;
        case DW_RLE_base_address: *base = dwarf_read_sized(c, width); break;
        case DW_RLE_startx_endx:
                start = read_addrx(unit, c);
                end = read_addrx(unit, c);
                break;
        case DW_RLE_startx_length:
                start = read_addrx(unit, c);
                end = start + dwarf_uleb(c);
                break;
        case DW_RLE_offset_pair:
                start = read_offset(c) + *base;
                end = read_offset(c) + *base;
                if (*base && dwarf_is_dropped(*base, width))
                        end = start;
                break;
        case DW_RLE_start_end:
                start = dwarf_read_sized(c, width);
                end = dwarf_read_sized(c, width);
                break;
        case DW_RLE_start_length:
                start = dwarf_read_sized(c, width);
                end = start + dwarf_uleb(c);
                break;
        default: cursor_fail(c); break;
        }
        *ret_start = start;
        *ret_end = end;
}

/* Reads entries of the usual kind, up to the first other one, while seven bytes are left: the kind and two
 * offsets of up to three bytes, which read_offset reads without checking for the end. */
static bool add_offset_pairs(const struct dwarf_unit *unit, uint64_t base, uint32_t owner, struct cursor *c,
                             struct dwarf_intervals *out, struct err *err)
{
        const uint8_t *first = c->at;

        while (cursor_left(c) >= 7 && *c->at == DW_RLE_offset_pair) {
                uint64_t start, end;

                c->at++;
                start = base + read_offset(c);
                end = base + read_offset(c);
                if (!dwarf_add_range(unit, start, end, owner, out, err))
                        return false;
        }
        return dwarf_spend(unit->file, (uint64_t)(c->at - first), err);
}

/* Version 5. */
static bool add_list(const struct dwarf_unit *unit, uint64_t off, uint32_t owner, struct dwarf_intervals *out,
                     struct err *err)
{
        struct cursor c = unit->file->sections[DWARF_RNGLISTS];
        uint64_t base = unit->low_addr;

        if (!cursor_seek(&c, off))
                return err_set(err, ERR_FORMAT, "a list of ranges lies outside .debug_rnglists");
        for (;;) {
                const uint8_t *at;
                uint64_t start, end;
                uint8_t kind;

                if (!dwarf_is_dropped(base, unit->shape.address_bytes) &&
                    !add_offset_pairs(unit, base, owner, &c, out, err))
                        return false;
                at = c.at;
                kind = cursor_u8(&c);
                if (kind == DW_RLE_end_of_list && !c.failed)
                        return true;
                read_list_entry(unit, kind, &c, &base, &start, &end);
                if (c.failed)
                        return err_set(err, ERR_FORMAT, "a list in .debug_rnglists is damaged");
                if (!dwarf_spend(unit->file, (uint64_t)(c.at - at), err) ||
                    !dwarf_add_range(unit, start, end, owner, out, err))
                        return false;
        }
}

static bool add_indexed_list(const struct dwarf_unit *unit, uint64_t index, uint32_t owner,
                             struct dwarf_intervals *out, struct err *err)
{
        struct cursor c = unit->file->sections[DWARF_RNGLISTS];
        uint8_t width = unit->shape.offset_bytes;
        uint64_t off;

        if (index > UINT32_MAX || unit->rnglists_base > UINT64_MAX / 2 ||
            !cursor_seek(&c, unit->rnglists_base + index * width))
                return err_set(err, ERR_FORMAT, "range list %llu lies outside .debug_rnglists",
                               (unsigned long long)index);
        off = dwarf_read_sized(&c, width);
        if (c.failed || off > UINT64_MAX / 2)
                return err_set(err, ERR_FORMAT, "the offsets of .debug_rnglists are cut");
        return add_list(unit, unit->rnglists_base + off, owner, out, err);
}

bool dwarf_add_ranges(const struct dwarf_unit *unit, const struct dwarf_code *code, uint32_t owner,
                      struct dwarf_intervals *out, struct err *err)
{
        uint64_t low, high;

        if (code->high.class != DWARF_NONE && dwarf_value_addr(unit, &code->low, &low)) {
                if (code->high.class == DWARF_CONSTANT)
                        high = low + code->high.number;
                else if (!dwarf_value_addr(unit, &code->high, &high))
                        return true;
                return dwarf_add_range(unit, low, high, owner, out, err);
        }
        if (code->ranges.class == DWARF_LIST_INDEX)
                return add_indexed_list(unit, code->ranges.number, owner, out, err);
        if (code->ranges.class != DWARF_OFFSET && code->ranges.class != DWARF_CONSTANT)
                return true;
        if (unit->shape.version >= 5)
                return add_list(unit, code->ranges.number, owner, out, err);
        if (unit->skeleton && code->ranges.number <= UINT64_MAX - unit->ranges_base)
                return add_pairs(unit, unit->ranges_base + code->ranges.number, owner, out, err);
        return add_pairs(unit, code->ranges.number, owner, out, err);
}

/* --- Segments --- */

static int compare_intervals(const void *a, const void *b)
{
        const struct dwarf_interval *x = a, *y = b;

        if (x->start != y->start)
                return x->start < y->start ? -1 : 1;
        return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static void sort(struct dwarf_intervals *intervals)
{
        for (size_t i = 1; i < intervals->n; i++) {
                if (compare_intervals(&intervals->items[i - 1], &intervals->items[i]) > 0) {
                        qsort(intervals->items, intervals->n, sizeof(*intervals->items), compare_intervals);
                        return;
                }
        }
}

static void put(struct dwarf_segments *out, uint64_t start, uint32_t owner)
{
        if (out->n && out->items[out->n - 1].start == start) {
                out->items[out->n - 1].owner = owner;
                return;
        }
        ARRAY_PUSH(out->items, out->n, out->cap, (struct dwarf_segment){start, owner});
}

/* Closes intervals that end at or before `addr`.  Returns the number of open ones. */
static size_t close_until(const struct dwarf_interval **open, size_t n_open, uint64_t addr,
                          struct dwarf_segments *out)
{
        while (n_open && open[n_open - 1]->end <= addr) {
                uint64_t end = open[--n_open]->end;

                while (n_open && open[n_open - 1]->end <= end)
                        n_open--;
                put(out, end, n_open ? open[n_open - 1]->owner : DWARF_NO_OWNER);
        }
        return n_open;
}

void dwarf_flatten(struct dwarf_intervals *intervals, struct dwarf_segments *out)
{
        const struct dwarf_interval **open = mem_new(intervals->n, sizeof(*open));
        size_t n_open = 0;

        sort(intervals);
        for (size_t i = 0; i < intervals->n; i++) {
                const struct dwarf_interval *interval = &intervals->items[i];

                n_open = close_until(open, n_open, interval->start, out);
                put(out, interval->start, interval->owner);
                open[n_open++] = interval;
        }
        close_until(open, n_open, UINT64_MAX, out);
        free(open);
}

uint32_t dwarf_segments_find(const struct dwarf_segments *segments, uint64_t addr)
{
        size_t low = 0, high = segments->n;

        SEARCH_FIRST(low, high, mid, segments->items[mid].start <= addr);
        return low ? segments->items[low - 1].owner : DWARF_NO_OWNER;
}
