/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens debug information, finds the unit of an address, and records damage. */
#include "dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf_lookup.h"
#include "mem.h"
#include "os.h"

/* Large debug information uses large pages: page faults for each 4 KiB took a tenth of the time. */
enum { LARGE_BYTES = 8 << 20, LARGE_HEAP_BYTES = 8 << 20 };

static const char *const section_names[DWARF_N_SECTIONS] = {
        [DWARF_INFO] = ".debug_info",
        [DWARF_ABBREV] = ".debug_abbrev",
        [DWARF_ARANGES] = ".debug_aranges",
        [DWARF_LINE] = ".debug_line",
        [DWARF_STR] = ".debug_str",
        [DWARF_LINE_STR] = ".debug_line_str",
        [DWARF_STR_OFFSETS] = ".debug_str_offsets",
        [DWARF_ADDR] = ".debug_addr",
        [DWARF_RANGES] = ".debug_ranges",
        [DWARF_RNGLISTS] = ".debug_rnglists",
};

const char *dwarf_section_name(size_t i)
{
        return i < DWARF_N_SECTIONS ? section_names[i] : dwarf_split_section_name(i - DWARF_N_SECTIONS);
}

/* --- Opening --- */

bool dwarf_spend(const struct dwarf_file *file, uint64_t n_bytes, struct err *err)
{
        return budget_meter_spend(file->meter, n_bytes) ||
               err_set(err, ERR_LIMIT, "its entries refer to each other too often, or were read too often");
}

void dwarf_refill(struct dwarf *dwarf)
{
        budget_meter_begin(&dwarf->meter, dwarf->total_bytes * DWARF_MAX_PASSES);
}

void dwarf_complain(struct dwarf_complaints *complaints, const struct dwarf_unit *unit, const struct err *err)
{
        struct dwarf_unit *known = unit ? dwarf_unit_from(unit->file, unit->off) : NULL;

        if (known) {
                if (known->is_damaged)
                        return;
                known->is_damaged = true;
        }
        if (complaints->n++)
                return;
        if (unit)
                buf_printf(&complaints->first, "unit 0x%llx: ", (unsigned long long)unit->off);
        buf_add_str(&complaints->first, err->text);
}

/* A section that can't be read counts as missing, and the note says so. */
static void read_sections(struct dwarf *dwarf, struct dwarf_file *file, struct object *object)
{
        const struct object_section *sections[DWARF_N_SECTIONS];

        for (size_t i = 0; i < DWARF_N_SECTIONS; i++)
                sections[i] = object_find_section(object, section_names[i]);
        object_unpack_sections(object, sections, DWARF_N_SECTIONS);
        for (size_t i = 0; i < DWARF_N_SECTIONS; i++) {
                struct err err = {0};

                if (!sections[i])
                        continue;
                if (object_read_section(object, sections[i], &file->sections[i], &err))
                        dwarf->total_bytes += cursor_left(&file->sections[i]);
                else
                        dwarf_complain(&dwarf->complaints, NULL, &err);
        }
        file->meter = &dwarf->meter;
}

static bool is_readable(struct dwarf *dwarf, struct object *object, struct err *err)
{
        if (object_get_facts(object)->is_relocatable)
                return err_set(err, ERR_UNSUPPORTED,
                               "%s: is not linked, so its debug information has no addresses",
                               object_name(object));
        read_sections(dwarf, &dwarf->main, object);
        if (!cursor_left(&dwarf->main.sections[DWARF_INFO])) {
                if (dwarf->complaints.n)
                        return err_set(err, ERR_FORMAT, "%s", buf_text(&dwarf->complaints.first));
                return err_set(err, ERR_MISSING, "%s: has no debug information", object_name(object));
        }
        if (dwarf->main.sections[DWARF_INFO].swap)
                return err_set(err, ERR_UNSUPPORTED,
                               "%s: wperf does not read debug information of the other byte order",
                               object_name(object));
        return true;
}

static void scan(struct dwarf *dwarf, struct dwarf_file *file)
{
        struct err err = {0};

        if (!dwarf_units_scan(file, &err))
                dwarf_complain(&dwarf->complaints, NULL, &err);
}

/* Skeletons in GNU's form of version 4 are recognised only by their entries. */
static bool has_skeletons(const struct dwarf_file *file)
{
        if (!cursor_left(&file->sections[DWARF_ADDR]))
                return false;
        for (size_t i = 0; i < file->n_units; i++) {
                if (file->units[i].has_dwo_id || file->units[i].shape.version == 4)
                        return true;
        }
        return false;
}

struct dwarf *dwarf_open(struct object *object, struct object *alt, struct err *err)
{
        AUTO(dwarf) dwarf = mem_new(1, sizeof(*dwarf));

        if (!is_readable(dwarf, object, err))
                return NULL;
        if (dwarf->total_bytes >= LARGE_BYTES)
                os_expect_heap(LARGE_HEAP_BYTES);
        dwarf->memory = dwarf->meter.budget = object_budget(object);
        budget_allow_work(dwarf->memory, BUDGET_WORK_DEBUG,
                          object_file_bytes(object) + (alt ? object_file_bytes(alt) : 0));
        dwarf->paths = strpool_new();
        if (alt) {
                read_sections(dwarf, &dwarf->alt, alt);
                dwarf->main.alt = &dwarf->alt;
                scan(dwarf, &dwarf->alt);
        }
        dwarf_refill(dwarf);
        scan(dwarf, &dwarf->main);
        dwarf->has_skeletons = has_skeletons(&dwarf->main);
        dwarf_index_listed(&dwarf->main, &dwarf->listed, &dwarf->complaints);
        return TAKE(dwarf);
}

static void copy_file(struct dwarf_file *to, const struct dwarf_file *from, struct budget_meter *meter)
{
        memcpy(to->sections, from->sections, sizeof(to->sections));
        to->n_units = to->cap_units = from->n_units;
        to->units = mem_new(from->n_units, sizeof(*to->units));
        for (size_t i = 0; i < from->n_units; i++) {
                to->units[i] = from->units[i];
                to->units[i].file = to;
                to->units[i].full = NULL;
        }
        to->meter = meter;
}

struct dwarf *dwarf_get_second(struct dwarf *dwarf)
{
        struct dwarf *second = dwarf->second;

        if (second)
                return second;
        second = dwarf->second = mem_new(1, sizeof(*second));
        second->total_bytes = dwarf->total_bytes;
        second->memory = second->meter.budget = dwarf->memory;
        second->paths = strpool_new();
        copy_file(&second->main, &dwarf->main, &second->meter);
        if (dwarf->main.alt) {
                copy_file(&second->alt, &dwarf->alt, &second->meter);
                second->main.alt = &second->alt;
        }
        return second;
}

void dwarf_file_release(struct dwarf_file *file)
{
        for (size_t i = 0; i < file->n_units; i++)
                dwarf_unit_close_full(&file->units[i]);
        for (size_t i = 0; i < file->n_tables; i++)
                dwarf_abbrevs_free(file->tables[i]);
        dwarf_abbrevs_free(file->draft);
        free(file->tables);
        map_release(&file->table_ids);
        map_release(&file->origin_names);
        free(file->units);
}

void dwarf_free(struct dwarf *dwarf)
{
        if (!dwarf)
                return;
        dwarf_free(dwarf->second);
        dwarf_file_release(&dwarf->main);
        dwarf_file_release(&dwarf->alt);
        free(dwarf->listed.items);
        free(dwarf->scanned.items);
        free(dwarf->functions.owner.items);
        strpool_free(dwarf->paths);
        map_release(&dwarf->md5s);
        buf_release(&dwarf->complaints.first);
        buf_release(&dwarf->note);
        free(dwarf);
}

const uint8_t *dwarf_source_md5(const struct dwarf *dwarf, const char *path)
{
        for (; dwarf; dwarf = dwarf->second) {
                const uint64_t *md5;
                str_id id;

                if (!strpool_find_len(dwarf->paths, path, strlen(path), &id))
                        continue;
                md5 = map_find(&dwarf->md5s, id);
                if (md5)
                        return (const uint8_t *)(uintptr_t)*md5;
        }
        return NULL;
}

const char *dwarf_note(const struct dwarf *dwarf)
{
        return buf_text(&dwarf->note);
}

/* --- Lookups --- */

uint32_t dwarf_find_unit(struct dwarf *dwarf, uint64_t addr)
{
        uint32_t unit = dwarf_segments_find(&dwarf->listed, addr);

        if (unit != DWARF_NO_OWNER)
                return unit;
        if (!dwarf->is_scanned) {
                dwarf->is_scanned = true;
                dwarf_index_scanned(dwarf);
        }
        return dwarf_segments_find(&dwarf->scanned, addr);
}

void dwarf_write_note(struct dwarf *dwarf)
{
        const struct dwarf_complaints *complaints = &dwarf->complaints;

        budget_meter_end(&dwarf->meter);
        buf_clear(&dwarf->note);
        buf_add_str(&dwarf->note, buf_text(&complaints->first));
        if (complaints->n > 1)
                buf_printf(&dwarf->note, "; and %zu more errors", complaints->n - 1);
        if (dwarf->n_missing)
                buf_printf(&dwarf->note, "%s%zu .dwo file%s not found, the first is %s",
                           complaints->n ? "\n" : "", dwarf->n_missing,
                           dwarf->n_missing == 1 ? " was" : "s were", dwarf->first_missing);
}
