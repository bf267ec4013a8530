/* SPDX-License-Identifier: BSD-3-Clause */
/* Units: their headers (DWARF 5, section 7.5.1), their own entries, and what their values refer to. */
#include <string.h>

#include "dwarf_form.h"
#include "mem.h"
#include "search.h"

/* --- Headers --- */

/* Version 5: DW_UT_*, and fields that depend on it.  A .dwo file has no attributes for the beginnings of
 * its tables; they are after their headers. */
static bool read_unit_type(struct dwarf_unit *unit, struct cursor *c)
{
        uint8_t type = cursor_u8(c);

        unit->shape.address_bytes = cursor_u8(c);
        unit->abbrev_off = dwarf_read_sized(c, unit->shape.offset_bytes);
        unit->has_dwo_id = type == DW_UT_skeleton || type == DW_UT_split_compile;
        if (unit->has_dwo_id)
                unit->dwo_id = cursor_u64(c);
        else if (type == DW_UT_type || type == DW_UT_split_type)
                cursor_skip(c, 8 + (uint64_t)unit->shape.offset_bytes);
        if (type == DW_UT_split_compile) {
                unit->str_offsets_base = unit->shape.offset_bytes == 8 ? 16 : 8;
                unit->rnglists_base = unit->shape.offset_bytes == 8 ? 20 : 12;
        }
        return type == DW_UT_compile || type == DW_UT_skeleton || type == DW_UT_split_compile;
}

/* Reads the header at the cursor, and moves the cursor past the unit.  A unit of an unknown version is
 * skipped: ret_unit->shape.version is 0 then. */
static bool read_header(struct cursor *c, struct dwarf_unit *ret_unit, struct err *err)
{
        struct dwarf_unit unit = {.off = cursor_pos(c)};
        uint64_t length = dwarf_read_length(c, &unit.shape.offset_bytes);
        uint16_t version;
        struct cursor body;

        if (c->failed || length > cursor_left(c))
                return err_set(err, ERR_FORMAT, "unit 0x%llx is longer than .debug_info",
                               (unsigned long long)unit.off);
        body = cursor_sub(c, cursor_pos(c), length);
        unit.end = cursor_pos(c) + length;
        version = cursor_u16(&body);
        unit.shape.version = version >= 2 && version <= 5 ? (uint8_t)version : 0;
        if (version == 5) {
                unit.has_code = read_unit_type(&unit, &body);
        } else {
                unit.abbrev_off = dwarf_read_sized(&body, unit.shape.offset_bytes);
                unit.shape.address_bytes = cursor_u8(&body);
                unit.has_code = true;
        }
        if (body.failed || (unit.shape.address_bytes != 4 && unit.shape.address_bytes != 8) ||
            unit.end - unit.off > UINT32_MAX)
                unit.shape.version = 0;
        unit.first_entry = cursor_pos(c) + cursor_pos(&body);
        cursor_skip(c, length);
        *ret_unit = unit;
        return true;
}

bool dwarf_units_scan(struct dwarf_file *file, struct err *err)
{
        struct cursor c = file->sections[DWARF_INFO];

        while (cursor_left(&c)) {
                struct dwarf_unit unit;

                if (file->n_units >= DWARF_MAX_UNITS)
                        return err_set(err, ERR_LIMIT, ".debug_info has more than %d units", DWARF_MAX_UNITS);
                if (!read_header(&c, &unit, err))
                        return false;
                unit.file = file;
                if (!unit.shape.version)
                        unit.has_code = false;
                ARRAY_PUSH(file->units, file->n_units, file->cap_units, unit);
        }
        return true;
}

/* The last unit that begins at or before `off`, or NULL. */
static struct dwarf_unit *find_unit(const struct dwarf_file *file, uint64_t off)
{
        size_t low = 0, high = file->n_units;

        SEARCH_FIRST(low, high, mid, file->units[mid].off <= off);
        return low ? &file->units[low - 1] : NULL;
}

struct dwarf_unit *dwarf_unit_at(const struct dwarf_file *file, uint64_t off)
{
        struct dwarf_unit *unit = find_unit(file, off);

        return unit && off >= unit->first_entry && off < unit->end ? unit : NULL;
}

struct dwarf_unit *dwarf_unit_from(const struct dwarf_file *file, uint64_t off)
{
        struct dwarf_unit *unit = find_unit(file, off);

        return unit && off == unit->off ? unit : NULL;
}

/* --- Values in tables --- */

/* Entry `index` of a table of `width` bytes each at `base` of a section. */
static bool read_indexed(const struct dwarf_unit *unit, enum dwarf_section section, uint64_t base,
                         uint64_t index, uint8_t width, uint64_t *ret_value)
{
        struct cursor c = unit->file->sections[section];

        if (index > UINT32_MAX || base > UINT64_MAX / 2 || !cursor_seek(&c, base + index * width))
                return false;
        *ret_value = dwarf_read_sized(&c, width);
        return !c.failed;
}

/* The text at `off` of a table. */
static const char *text_at(const struct dwarf_file *file, enum dwarf_section section, uint64_t off)
{
        const struct cursor *table = &file->sections[section];
        uint64_t size = (uint64_t)(table->end - table->start);
        struct cursor c;
        size_t len;
        const char *text;

        if (off >= size)
                return NULL;
        c = cursor_sub(table, off, size - off < DWARF_MAX_TEXT_BYTES ? size - off : DWARF_MAX_TEXT_BYTES);
        text = cursor_str(&c, &len);
        return text && dwarf_spend(file, len, NULL) ? text : NULL;
}

const char *dwarf_value_text(const struct dwarf_unit *unit, const struct dwarf_value *value)
{
        const struct dwarf_file *file = unit->file;
        uint64_t off;

        switch ((enum dwarf_class)value->class) {
        case DWARF_TEXT: return value->text;
        case DWARF_STR_OFFSET: return text_at(file, DWARF_STR, value->number);
        case DWARF_LINE_STR_OFFSET: return text_at(file, DWARF_LINE_STR, value->number);
        case DWARF_ALT_STR_OFFSET: return file->alt ? text_at(file->alt, DWARF_STR, value->number) : NULL;
        case DWARF_STR_INDEX:
                if (!read_indexed(unit, DWARF_STR_OFFSETS, unit->str_offsets_base, value->number,
                                  unit->shape.offset_bytes, &off))
                        return NULL;
                return text_at(file, DWARF_STR, off);
        default: return NULL;
        }
}

bool dwarf_value_addr(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret_addr)
{
        if (value->class == DWARF_ADDRESS_INDEX)
                return read_indexed(unit, DWARF_ADDR, unit->addr_base, value->number,
                                    unit->shape.address_bytes, ret_addr);
        *ret_addr = value->number;
        return value->class == DWARF_ADDRESS;
}

/* --- Entries --- */

struct dwarf_entry dwarf_entry_at(const struct dwarf_unit *unit, const struct dwarf_abbrev *abbrev,
                                  const struct cursor *c)
{
        struct dwarf_entry entry = {unit, abbrev, unit->file->sections[DWARF_ABBREV], *c};

        entry.attrs.at = abbrev->attrs;
        return entry;
}

bool dwarf_entry_open(const struct dwarf_unit *unit, uint64_t off, struct dwarf_entry *ret_entry)
{
        const struct cursor *info = &unit->file->sections[DWARF_INFO];
        const struct dwarf_abbrev *abbrev;
        struct cursor c;
        uint64_t code;

        if (off < unit->first_entry || off >= unit->end)
                return false;
        c = cursor_sub(info, unit->off, unit->end - unit->off);
        cursor_seek(&c, off - unit->off);
        code = dwarf_uleb(&c);
        abbrev = code && !c.failed ? dwarf_abbrev_find(unit->abbrevs, code) : NULL;
        if (!abbrev)
                return false;
        *ret_entry = dwarf_entry_at(unit, abbrev, &c);
        return true;
}

/* Reads the most frequent forms. */
static inline bool read_fixed(struct dwarf_entry *entry, uint16_t form, struct dwarf_value *ret_value)
{
        const struct dwarf_layout *layout = dwarf_layout_get(form);
        struct cursor *c = &entry->c;

        if (layout->kind != DWARF_LAYOUT_FIXED || cursor_left(c) < sizeof(uint64_t))
                return false;
        switch (dwarf_layout_bytes(layout, &entry->unit->shape)) {
        case 1: ret_value->number = cursor_u8(c); break;
        case 2: ret_value->number = cursor_u16(c); break;
        case 4: ret_value->number = cursor_u32(c); break;
        case 8: ret_value->number = cursor_u64(c); break;
        default: return false;
        }
        ret_value->number += layout->in_unit ? entry->unit->off : 0;
        ret_value->class = layout->class;
        ret_value->text = NULL;
        return true;
}

bool dwarf_entry_next(struct dwarf_entry *entry, struct dwarf_value *ret_value)
{
        struct dwarf_attr attr;

        if (!dwarf_attr_next(&entry->attrs, &attr))
                return false;
        ret_value->name = attr.name <= UINT16_MAX ? (uint16_t)attr.name : 0;
        if (!read_fixed(entry, (uint16_t)attr.form, ret_value))
                dwarf_read_form(&entry->c, (uint16_t)attr.form, attr.constant, &entry->unit->shape,
                                entry->unit->off, ret_value);
        return !entry->c.failed;
}

/* --- The unit's own entry --- */

struct unit_values {
        struct dwarf_value low, folder, dwo_name;
};

static bool is_c(uint64_t language)
{
        return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
               language == DW_LANG_C11 || language == DW_LANG_C17 || language == DW_LANG_Mips_Assembler;
}

static void take_unit_value(struct dwarf_unit *unit, const struct dwarf_value *value,
                            struct unit_values *values)
{
        bool is_number = value->class == DWARF_OFFSET || value->class == DWARF_CONSTANT;

        switch (value->name) {
        case DW_AT_low_pc: values->low = *value; break;
        case DW_AT_comp_dir: values->folder = *value; break;
        case DW_AT_language: unit->is_c = is_c(value->number); break;
        case DW_AT_stmt_list:
                unit->has_lines = is_number;
                unit->line_off = value->number;
                break;
        case DW_AT_str_offsets_base: unit->str_offsets_base = value->number; break;
        case DW_AT_addr_base:
        case DW_AT_GNU_addr_base: unit->addr_base = value->number; break;
        case DW_AT_GNU_ranges_base: unit->ranges_base = value->number; break;
        case DW_AT_dwo_name:
        case DW_AT_GNU_dwo_name: values->dwo_name = *value; break;
        case DW_AT_GNU_dwo_id:
                unit->has_dwo_id = true;
                unit->dwo_id = value->number;
                break;
        case DW_AT_rnglists_base: unit->rnglists_base = value->number; break;
        default: break;
        }
}

bool dwarf_unit_prepare(struct dwarf_unit *unit, struct err *err)
{
        struct unit_values values = {0};
        struct dwarf_entry entry;
        struct dwarf_value value;

        if (unit->is_prepared)
                return true;
        if (!unit->shape.version)
                return err_set(err, ERR_UNSUPPORTED, "its version is not supported");
        unit->abbrevs = dwarf_abbrevs_get(unit->file, unit->abbrev_off, unit->shape, err);
        if (!unit->abbrevs)
                return false;
        if (!dwarf_entry_open(unit, unit->first_entry, &entry))
                return err_set(err, ERR_FORMAT, "its first entry has no abbreviation");
        while (dwarf_entry_next(&entry, &value))
                take_unit_value(unit, &value, &values);
        if (entry.c.failed)
                return err_set(err, ERR_FORMAT, "its first entry is damaged");
        if (entry.abbrev->tag != DW_TAG_compile_unit && entry.abbrev->tag != DW_TAG_skeleton_unit)
                unit->has_code = false;
        dwarf_value_addr(unit, &values.low, &unit->low_addr);
        unit->folder = dwarf_value_text(unit, &values.folder);
        unit->dwo_name = dwarf_value_text(unit, &values.dwo_name);
        unit->is_prepared = true;
        return true;
}

const struct dwarf_unit *dwarf_value_unit(const struct dwarf_unit *unit, const struct dwarf_value *value)
{
        const struct dwarf_file *file = value->class == DWARF_ALT_REFERENCE ? unit->file->alt : unit->file;
        struct dwarf_unit *target;

        if (!file || (value->class != DWARF_REFERENCE && value->class != DWARF_ALT_REFERENCE))
                return NULL;
        target = dwarf_unit_at(file, value->number);
        return target && dwarf_unit_prepare(target, NULL) ? target : NULL;
}
