/* SPDX-License-Identifier: BSD-3-Clause */
/* Split debug information (DWARF 5, sections 3.1.2 and 7.3.5): finds the unit with the entries of a
 * skeleton in the program, in a .dwo file or a package of them.  GNU's form of version 4 has other names. */
#include <assert.h>
#include <stdlib.h>

#include "dwarf_form.h"
#include "dwarf_lookup.h"
#include "mem.h"

static const char *const dwo_names[DWARF_N_SECTIONS] = {
        [DWARF_INFO] = ".debug_info.dwo",         [DWARF_ABBREV] = ".debug_abbrev.dwo",
        [DWARF_STR] = ".debug_str.dwo",           [DWARF_STR_OFFSETS] = ".debug_str_offsets.dwo",
        [DWARF_RNGLISTS] = ".debug_rnglists.dwo",
};

static const char index_name[] = ".debug_cu_index";

const char *dwarf_split_section_name(size_t i)
{
        assert(i <= DWARF_N_SECTIONS);
        for (size_t k = 0; k < DWARF_N_SECTIONS; k++) {
                if (dwo_names[k] && !i--)
                        return dwo_names[k];
        }
        return i ? NULL : index_name;
}

/* Total size of the sections of `object`; 0 if its entries can't be read. */
static uint64_t read_parts(struct object *object, struct cursor *ret_sections)
{
        uint64_t total_bytes = 0;

        for (size_t i = 0; i < DWARF_N_SECTIONS; i++) {
                const struct object_section *section =
                        dwo_names[i] ? object_find_section(object, dwo_names[i]) : NULL;

                ret_sections[i] = (struct cursor){0};
                if (section && object_read_section(object, section, &ret_sections[i], NULL))
                        total_bytes += cursor_left(&ret_sections[i]);
        }
        if (!cursor_left(&ret_sections[DWARF_INFO]) || ret_sections[DWARF_INFO].swap)
                return 0;
        return total_bytes;
}

/* --- Units --- */

/* In version 5 the id is in the header, in GNU's form in the unit's own entry. */
static bool has_id(struct dwarf_unit *unit, uint64_t id)
{
        return unit->shape.version && dwarf_unit_prepare(unit, NULL) && unit->has_dwo_id &&
               unit->dwo_id == id;
}

static struct dwarf_unit *find_id(struct dwarf_file *file, uint64_t id)
{
        dwarf_units_scan(file, NULL);
        for (size_t i = 0; i < file->n_units; i++) {
                if (has_id(&file->units[i], id))
                        return &file->units[i];
        }
        return NULL;
}

static void file_free(struct dwarf_file *file)
{
        dwarf_file_release(file);
        free(file);
}

bool dwarf_has_split_unit(struct object *object, uint64_t id)
{
        struct dwarf_file *file = mem_new(1, sizeof(*file));
        struct budget_meter meter = {0};
        bool found;

        budget_meter_begin(&meter, read_parts(object, file->sections) * DWARF_MAX_PASSES);
        file->meter = &meter;
        found = find_id(file, id);
        file_free(file);
        return found;
}

/* --- Packages --- */

enum {
        MAX_COLUMNS = 16,
        COLUMN_INFO = 1,
        COLUMN_ABBREV = 3,
        COLUMN_STR_OFFSETS = 6,
        COLUMN_RNGLISTS = 8, /* value in version 5 */
};

static enum dwarf_section section_of(uint32_t column, uint16_t version)
{
        switch (column) {
        case COLUMN_INFO: return DWARF_INFO;
        case COLUMN_ABBREV: return DWARF_ABBREV;
        case COLUMN_STR_OFFSETS: return DWARF_STR_OFFSETS;
        case COLUMN_RNGLISTS: return version == 5 ? DWARF_RNGLISTS : DWARF_N_SECTIONS;
        default: return DWARF_N_SECTIONS;
        }
}

/* .debug_cu_index: a hash table from ids to row numbers, then rows of offsets, then rows of sizes. */
struct cu_index {
        struct cursor bytes;
        uint16_t version;
        uint32_t n_columns, n_units, n_slots;
        uint64_t ids_off, rows_off, columns_off;
};

static bool read_index(struct object *package, struct cu_index *ret_index)
{
        const struct object_section *section = object_find_section(package, index_name);
        struct cu_index index = {0};

        if (!section || !object_read_section(package, section, &index.bytes, NULL))
                return false;
        index.version = cursor_u16(&index.bytes);
        cursor_u16(&index.bytes);
        index.n_columns = cursor_u32(&index.bytes);
        index.n_units = cursor_u32(&index.bytes);
        index.n_slots = cursor_u32(&index.bytes);
        index.ids_off = cursor_pos(&index.bytes);
        index.rows_off = index.ids_off + 8 * (uint64_t)index.n_slots;
        index.columns_off = index.rows_off + 4 * (uint64_t)index.n_slots;
        *ret_index = index;
        return !index.bytes.failed && (index.version == 2 || index.version == 5) &&
               index.n_columns <= MAX_COLUMNS && index.n_slots && !(index.n_slots & (index.n_slots - 1));
}

static uint64_t number_at(const struct cu_index *index, uint64_t off, unsigned width)
{
        struct cursor c = index->bytes;

        cursor_seek(&c, off);
        return dwarf_read_sized(&c, width);
}

/* The row of a unit, counted from 1, or 0. */
static uint32_t find_row(const struct dwarf_file *file, const struct cu_index *index, uint64_t id)
{
        uint32_t mask = index->n_slots - 1, slot = (uint32_t)id & mask;
        uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;

        if (index->columns_off > (uint64_t)(index->bytes.end - index->bytes.start))
                return 0;
        for (uint32_t i = 0; i < index->n_slots; i++, slot = (slot + step) & mask) {
                uint32_t row = (uint32_t)number_at(index, index->rows_off + 4 * (uint64_t)slot, 4);

                if (!row || !dwarf_spend(file, 12, NULL))
                        return 0;
                if (number_at(index, index->ids_off + 8 * (uint64_t)slot, 8) == id)
                        return row <= index->n_units ? row : 0;
        }
        return 0;
}

/* Limits the sections of the package to the parts of one unit. */
static bool cut_parts(const struct cu_index *index, uint32_t row, struct cursor *sections)
{
        uint64_t row_bytes = 4 * (uint64_t)index->n_columns;
        uint64_t offs_off = index->columns_off + row_bytes * row;
        uint64_t sizes_off = offs_off + row_bytes * index->n_units;

        for (uint32_t i = 0; i < index->n_columns; i++) {
                uint32_t column = (uint32_t)number_at(index, index->columns_off + 4 * (uint64_t)i, 4);
                enum dwarf_section section = section_of(column, index->version);

                if (section == DWARF_N_SECTIONS)
                        continue;
                sections[section] =
                        cursor_sub(&sections[section], number_at(index, offs_off + 4 * (uint64_t)i, 4),
                                   number_at(index, sizes_off + 4 * (uint64_t)i, 4));
                if (sections[section].failed)
                        return false;
        }
        return true;
}

static bool open_in_package(const struct dwarf *dwarf, uint64_t id, struct cursor *sections,
                            uint64_t *ret_bytes)
{
        struct object *package = dwarf->split.package;
        struct cu_index index;
        uint32_t row;

        if (!package || !read_index(package, &index))
                return false;
        row = find_row(&dwarf->main, &index, id);
        *ret_bytes = 0;
        if (!row || !read_parts(package, sections) || !cut_parts(&index, row, sections))
                return false;
        for (size_t i = 0; i < DWARF_N_SECTIONS; i++)
                *ret_bytes += cursor_left(&sections[i]);
        return true;
}

/* --- From a skeleton to its unit --- */

static bool open_dwo(const struct dwarf_split *split, const struct dwarf_unit *skeleton,
                     struct cursor *sections, uint64_t *ret_bytes)
{
        struct dwarf_dwo dwo = {skeleton->folder, skeleton->dwo_name, skeleton->dwo_id};
        struct object *object = split->open_dwo ? split->open_dwo(split->ctx, &dwo) : NULL;

        *ret_bytes = object ? read_parts(object, sections) : 0;
        return *ret_bytes;
}

/* Copies data that only the skeleton has. */
static void take_over(struct dwarf_unit *unit, struct dwarf_unit *skeleton)
{
        unit->skeleton = skeleton;
        unit->addr_base = skeleton->addr_base;
        unit->ranges_base = skeleton->ranges_base;
        unit->low_addr = skeleton->low_addr;
        unit->folder = skeleton->folder;
}

static struct dwarf_unit *open_full(struct dwarf *dwarf, struct dwarf_unit *skeleton)
{
        struct dwarf_file *file = mem_new(1, sizeof(*file));
        struct dwarf_unit *unit;
        uint64_t n_bytes;

        if (!open_in_package(dwarf, skeleton->dwo_id, file->sections, &n_bytes) &&
            !open_dwo(&dwarf->split, skeleton, file->sections, &n_bytes)) {
                free(file);
                return NULL;
        }
        budget_allow_work(dwarf->memory, BUDGET_WORK_DEBUG, n_bytes);
        budget_meter_extend(&dwarf->meter, n_bytes * DWARF_MAX_PASSES);
        dwarf->total_bytes += n_bytes;
        file->meter = &dwarf->meter;
        unit = find_id(file, skeleton->dwo_id);
        if (!unit) {
                file_free(file);
                return NULL;
        }
        file->sections[DWARF_ADDR] = dwarf->main.sections[DWARF_ADDR];
        file->sections[DWARF_RANGES] = dwarf->main.sections[DWARF_RANGES];
        take_over(unit, skeleton);
        return unit;
}

struct dwarf_unit *dwarf_unit_full(struct dwarf *dwarf, struct dwarf_unit *unit)
{
        if (!unit->dwo_name || !unit->has_dwo_id)
                return unit;
        if (!unit->is_full_sought) {
                unit->is_full_sought = true;
                unit->full = open_full(dwarf, unit);
                if (!unit->full && !dwarf->n_missing++)
                        dwarf->first_missing = unit->dwo_name;
        }
        return unit->full ? unit->full : unit;
}

const struct dwarf_unit *dwarf_unit_with_lines(const struct dwarf_unit *unit)
{
        return unit->skeleton ? unit->skeleton : unit;
}

void dwarf_unit_close_full(struct dwarf_unit *unit)
{
        if (unit->full)
                file_free(unit->full->file);
}

void dwarf_set_split(struct dwarf *dwarf, const struct dwarf_split *split)
{
        dwarf->split = *split;
}
