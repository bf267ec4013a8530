/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the unit of an address: in .debug_aranges (DWARF 5, section 6.1.2), and for units that are not in
 * it by their own entries. */
#include <stdlib.h>

#include "dwarf_form.h"
#include "dwarf_lookup.h"
#include "mem.h"

/* --- .debug_aranges --- */

static bool read_tuples(struct dwarf_unit *unit, struct cursor *c, unsigned width,
                        struct dwarf_intervals *out, struct err *err)
{
        uint32_t owner = (uint32_t)(unit - unit->file->units);

        while (cursor_left(c) >= 2 * width) {
                uint64_t start = dwarf_read_sized(c, width), size = dwarf_read_sized(c, width);

                if (!size || size > UINT64_MAX - start || dwarf_is_dropped(start, (uint8_t)width))
                        continue;
                if (out->n >= DWARF_MAX_INTERVALS)
                        return err_set(err, ERR_LIMIT, ".debug_aranges has more than %d ranges",
                                       DWARF_MAX_INTERVALS);
                unit->is_listed = true;
                ARRAY_PUSH(out->items, out->n, out->cap, (struct dwarf_interval){start, start + size, owner});
        }
        return true;
}

/* Reads the ranges of one unit, and moves the cursor past them. */
static bool read_set(struct dwarf_file *file, struct cursor *c, struct dwarf_intervals *out, struct err *err)
{
        size_t start = cursor_pos(c);
        uint8_t offset_bytes, width;
        uint64_t length = dwarf_read_length(c, &offset_bytes), info_off;
        struct cursor set = cursor_sub(c, start, length + (cursor_pos(c) - start));
        struct dwarf_unit *unit;
        uint16_t version;

        cursor_seek(&set, cursor_pos(c) - start);
        if (!cursor_skip(c, length) || set.failed)
                return err_set(err, ERR_FORMAT, ".debug_aranges is cut");
        version = cursor_u16(&set);
        info_off = dwarf_read_sized(&set, offset_bytes);
        width = cursor_u8(&set);
        cursor_u8(&set); /* size of a segment selector */
        unit = dwarf_unit_from(file, info_off);
        if (version != 2 || (width != 4 && width != 8) || !unit || !unit->has_code)
                return true;
        cursor_seek(&set, (cursor_pos(&set) + 2u * width - 1) / (2u * width) * (2u * width));
        return read_tuples(unit, &set, width, out, err);
}

void dwarf_index_listed(struct dwarf_file *file, struct dwarf_segments *out,
                        struct dwarf_complaints *complaints)
{
        struct cursor c = file->sections[DWARF_ARANGES];
        struct dwarf_intervals intervals = {0};
        struct err err = {0};

        while (cursor_left(&c)) {
                if (!read_set(file, &c, &intervals, &err)) {
                        dwarf_complain(complaints, NULL, &err);
                        break;
                }
        }
        dwarf_flatten(&intervals, out);
        free(intervals.items);
}

/* --- Entries of units --- */

static bool scan_unit(struct dwarf *dwarf, struct dwarf_unit *unit, struct dwarf_intervals *out,
                      struct err *err)
{
        uint32_t owner = (uint32_t)(unit - unit->file->units);
        size_t n_before = out->n;

        if (!dwarf_unit_prepare(unit, err))
                return false;
        if (!unit->has_code)
                return true;
        if (!dwarf_add_entry_ranges(unit, unit->first_entry, owner, out, err))
                return false;
        return out->n > n_before || dwarf_add_functions(dwarf_unit_full(dwarf, unit), owner, out, err);
}

void dwarf_index_scanned(struct dwarf *dwarf)
{
        struct dwarf_intervals intervals = {0};

        for (size_t i = 0; i < dwarf->main.n_units; i++) {
                struct dwarf_unit *unit = &dwarf->main.units[i];
                struct err err = {0};

                if (unit->has_code && !unit->is_listed && !scan_unit(dwarf, unit, &intervals, &err))
                        dwarf_complain(&dwarf->complaints, unit, &err);
        }
        dwarf_flatten(&intervals, &dwarf->scanned);
        free(intervals.items);
}
