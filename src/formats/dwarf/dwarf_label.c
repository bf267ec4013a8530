/* SPDX-License-Identifier: BSD-3-Clause */
/* The labels of a function, including those that only its abstract origin has, and all of its address
 * ranges. */
#include <stdlib.h>
#include <string.h>

#include "dwarf_lookup.h"
#include "mem.h"

/* --- The function at an address --- */

/* The outermost function. */
struct labelled_function {
        const struct dwarf_unit *unit;
        uint64_t off;
};

/* The functions are read once for each unit, because most of them are looked up one after the other. */
static void read_functions(struct dwarf *dwarf, uint32_t index, const struct dwarf_unit *unit)
{
        struct dwarf_functions *functions = &dwarf->functions;
        struct dwarf_intervals ranges = {0};
        struct err err = {0};

        if (functions->is_read && functions->of == index)
                return;
        functions->is_read = true;
        functions->of = index;
        functions->owner.n = 0;
        if (!dwarf_add_functions(unit, DWARF_NO_OWNER, &ranges, &err))
                dwarf_complain(&dwarf->complaints, unit, &err);
        dwarf_flatten(&ranges, &functions->owner);
        free(ranges.items);
}

static bool find_function(struct dwarf *dwarf, uint64_t addr, struct labelled_function *function)
{
        uint32_t index = dwarf_find_unit(dwarf, addr), off;
        struct dwarf_unit *unit;
        struct err err = {0};

        if (index == DWARF_NO_OWNER)
                return false;
        unit = &dwarf->main.units[index];
        if (!dwarf_unit_prepare(unit, &err)) {
                dwarf_complain(&dwarf->complaints, unit, &err);
                return false;
        }
        function->unit = dwarf_unit_full(dwarf, unit);
        read_functions(dwarf, index, function->unit);
        off = dwarf_segments_find(&dwarf->functions.owner, addr);
        function->off = function->unit->off + off;
        return off != DWARF_NO_OWNER;
}

static size_t list_extents(struct dwarf *dwarf, const struct labelled_function *function,
                           struct source_extent **ret_extents)
{
        const struct dwarf_unit *unit = function->unit;
        struct dwarf_intervals ranges = {0};
        struct err err = {0};
        size_t n = 0, cap = 0;

        if (!dwarf_add_entry_ranges(unit, function->off, 0, &ranges, &err))
                dwarf_complain(&dwarf->complaints, unit, &err);
        for (size_t i = 0; i < ranges.n; i++)
                ARRAY_PUSH(*ret_extents, n, cap,
                           (struct source_extent){ranges.items[i].start, ranges.items[i].end});
        source_extents_sort(*ret_extents, n);
        free(ranges.items);
        return n;
}

size_t dwarf_find_extents(struct dwarf *dwarf, uint64_t addr, struct source_extent **ret_extents)
{
        struct labelled_function function;
        size_t n = 0;

        *ret_extents = NULL;
        dwarf_refill(dwarf);
        if (find_function(dwarf, addr, &function))
                n = list_extents(dwarf, &function, ret_extents);
        dwarf_write_note(dwarf);
        return n;
}

/* --- Labels --- */

struct dwarf_labels {
        struct dwarf *dwarf;
        struct source_label *items;
        size_t n, cap;
        struct map origins;                /* abstract labels that have been listed */
        const struct dwarf_unit *lines_of; /* the unit whose files are in `lines` */
        struct dwarf_lines lines;
};

static void dwarf_labels_release(struct dwarf_labels *labels)
{
        free(labels->items);
        map_release(&labels->origins);
        dwarf_lines_release(&labels->lines);
}

/* True at the first call for this entry. */
static bool is_new(struct dwarf_labels *labels, const struct dwarf_unit *unit, uint64_t off)
{
        bool is_new;

        map_put(&labels->origins, off << 1 | (unit->file != &labels->dwarf->main), &is_new);
        return is_new;
}

static const char *find_path(struct dwarf_labels *labels, const struct dwarf_unit *unit, uint64_t file)
{
        struct dwarf_program ignored;
        struct err err = {0};

        unit = dwarf_unit_with_lines(unit);
        if (labels->lines_of != unit) {
                dwarf_lines_release(&labels->lines);
                labels->lines_of = unit;
                if (unit->has_lines && !dwarf_lines_header(unit, &labels->lines, &ignored, &err))
                        dwarf_complain(&labels->dwarf->complaints, unit, &err);
        }
        return dwarf_lines_path(&labels->lines, file, labels->dwarf);
}

/* Position in a chain of abstract origins, and what was read on the way. */
struct chain {
        const struct dwarf_unit *unit;
        uint64_t off;
        const struct dwarf_unit *file_of; /* the unit to which file number `file` refers; NULL: none yet */
        uint64_t file;
};

static void take_value(struct source_label *label, struct chain *chain, const struct dwarf_value *value,
                       const struct dwarf_unit *unit)
{
        switch (value->name) {
        case DW_AT_name:
                if (!label->name)
                        label->name = dwarf_value_text(unit, value);
                break;
        case DW_AT_low_pc:
                if (!label->has_addr)
                        label->has_addr = dwarf_value_addr(unit, value, &label->addr);
                break;
        case DW_AT_decl_line:
                if (!label->line && value->class == DWARF_CONSTANT && value->number <= UINT32_MAX)
                        label->line = (uint32_t)value->number;
                break;
        case DW_AT_decl_file:
                if (!chain->file_of && value->class == DWARF_CONSTANT) {
                        chain->file_of = unit;
                        chain->file = value->number;
                }
                break;
        case DW_AT_abstract_origin:
                chain->unit = dwarf_value_unit(unit, value);
                chain->off = value->number;
                break;
        default: break;
        }
}

static void add_label(struct dwarf_labels *labels, const struct dwarf_unit *unit, uint64_t off)
{
        struct chain chain = {.unit = unit, .off = off};
        struct source_label label = {0};

        if (!is_new(labels, unit, off))
                return;
        for (int i = 0; i < DWARF_MAX_CHAIN && chain.unit; i++) {
                const struct dwarf_unit *at = chain.unit;
                struct dwarf_entry entry;
                struct dwarf_value value;

                chain.unit = NULL;
                if (!dwarf_entry_open(at, chain.off, &entry))
                        break;
                if (i)
                        is_new(labels, at, chain.off);
                while (dwarf_entry_next(&entry, &value))
                        take_value(&label, &chain, &value, at);
        }
        if (!label.name)
                return;
        if (chain.file_of)
                label.path = find_path(labels, chain.file_of, chain.file);
        ARRAY_PUSH(labels->items, labels->n, labels->cap, label);
}

/* Functions inside the function have their own labels. */
static bool is_other_function(const struct dwarf_abbrev *abbrev)
{
        return abbrev->role == DWARF_ROLE_FUNCTION || abbrev->role == DWARF_ROLE_INLINED;
}

/* Lists the labels below the entry at `off`. */
static bool add_labels(struct dwarf_labels *labels, const struct dwarf_unit *unit, uint64_t off,
                       struct err *err)
{
        struct cursor c = cursor_sub(&unit->file->sections[DWARF_INFO], unit->off, unit->end - unit->off);
        size_t depth = 0, other_depth = 0; /* 0 if not inside another function */

        cursor_seek(&c, off - unit->off);
        do {
                uint64_t at = unit->off + cursor_pos(&c), code = dwarf_uleb(&c);
                const struct dwarf_abbrev *abbrev;

                if (!code) {
                        if (depth && depth-- == other_depth)
                                other_depth = 0;
                        continue;
                }
                abbrev = dwarf_abbrev_find(unit->abbrevs, code);
                if (!abbrev)
                        return err_set(err, ERR_FORMAT, "an entry of a function has no abbreviation");
                dwarf_skip_attrs(unit->abbrevs, abbrev, &unit->shape, &c);
                if (abbrev->tag == DW_TAG_label && !other_depth)
                        add_label(labels, unit, at);
                depth += abbrev->has_children;
                if (depth && abbrev->has_children && !other_depth && at != off && is_other_function(abbrev))
                        other_depth = depth;
                if (labels->n >= DWARF_MAX_LABELS)
                        return err_set(err, ERR_LIMIT, "a function has more than %d labels",
                                       DWARF_MAX_LABELS);
        } while (depth && cursor_left(&c) && !c.failed);
        if (c.failed)
                return err_set(err, ERR_FORMAT, "it ends inside an entry");
        return dwarf_spend(unit->file, cursor_pos(&c) - (off - unit->off), err);
}

/* The unit and offset of the entry that this one is an instance of, or NULL. */
static const struct dwarf_unit *find_origin(const struct dwarf_unit *unit, uint64_t *off)
{
        struct dwarf_entry entry;
        struct dwarf_value value;

        if (!dwarf_entry_open(unit, *off, &entry))
                return NULL;
        while (dwarf_entry_next(&entry, &value)) {
                if (value.name == DW_AT_abstract_origin) {
                        *off = value.number;
                        return dwarf_value_unit(unit, &value);
                }
        }
        return NULL;
}

static void add_function_labels(struct dwarf_labels *labels, const struct labelled_function *function)
{
        const struct dwarf_unit *unit = function->unit;
        uint64_t off = function->off;
        struct err err = {0};

        for (int i = 0; i < DWARF_MAX_CHAIN && unit; i++) {
                if (!add_labels(labels, unit, off, &err)) {
                        dwarf_complain(&labels->dwarf->complaints, unit, &err);
                        return;
                }
                unit = find_origin(unit, &off);
        }
}

size_t dwarf_find_labels(struct dwarf *dwarf, uint64_t addr, struct source_label **ret_labels)
{
        struct labelled_function function;
        AUTO_RELEASE(dwarf_labels) labels = {.dwarf = dwarf};

        *ret_labels = NULL;
        dwarf_refill(dwarf);
        if (find_function(dwarf, addr, &function))
                add_function_labels(&labels, &function);
        dwarf_write_note(dwarf);
        source_labels_sort(labels.items, labels.n);
        *ret_labels = TAKE(labels.items);
        return labels.n;
}
