/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses to frames: sorted by the unit that has them, so that each unit is decoded once and forgotten before the
 * next one. */
#include "dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf_internal.h"

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

/* --- Opening --- */

bool dwarf_spend(const struct dwarf_file *file, uint64_t n_bytes, struct err *err)
{
        if (n_bytes > *file->budget)
                return err_set(err, ERR_LIMIT, "its parts refer to each other too often");
        *file->budget -= n_bytes;
        return true;
}

void dwarf_refill(struct dwarf *dwarf)
{
        dwarf->budget = dwarf->total_bytes * DWARF_MAX_PASSES;
}

void dwarf_complain(struct dwarf_complaints *complaints, const struct dwarf_unit *unit, const struct err *err)
{
        if (complaints->n++)
                return;
        if (unit)
                buf_printf(&complaints->first, "unit 0x%llx: ", (unsigned long long)unit->off);
        buf_add_str(&complaints->first, err->text);
}

/* A section that can't be read is as if it were not there; the note says so. */
static void read_sections(struct dwarf *dwarf, struct dwarf_file *file, struct object *object)
{
        for (size_t i = 0; i < DWARF_N_SECTIONS; i++) {
                const struct object_section *section = object_find_section(object, section_names[i]);
                struct err err = {0};

                if (!section)
                        continue;
                if (object_read_section(object, section, &file->sections[i], &err))
                        dwarf->total_bytes += cursor_left(&file->sections[i]);
                else
                        dwarf_complain(&dwarf->complaints, NULL, &err);
        }
        file->budget = &dwarf->budget;
}

static bool is_readable(struct dwarf *dwarf, struct object *object, struct err *err)
{
        if (object_get_facts(object)->is_relocatable)
                return err_set(err, ERR_UNSUPPORTED,
                               "%s: is not linked, its debug information has no addresses yet",
                               object_name(object));
        read_sections(dwarf, &dwarf->main, object);
        if (!cursor_left(&dwarf->main.sections[DWARF_INFO])) {
                if (dwarf->complaints.n)
                        return err_set(err, ERR_FORMAT, "%s", buf_text(&dwarf->complaints.first));
                return err_set(err, ERR_MISSING, "%s: has no debug information", object_name(object));
        }
        if (dwarf->main.sections[DWARF_INFO].swap)
                return err_set(err, ERR_UNSUPPORTED,
                               "%s: debug information of the other byte order is not read",
                               object_name(object));
        return true;
}

static void scan(struct dwarf *dwarf, struct dwarf_file *file)
{
        struct err err = {0};

        if (!dwarf_units_scan(file, &err))
                dwarf_complain(&dwarf->complaints, NULL, &err);
}

struct dwarf *dwarf_open(struct object *object, struct object *alt, struct err *err)
{
        AUTO(dwarf) dwarf = mem_new(1, sizeof(*dwarf));

        if (!is_readable(dwarf, object, err))
                return NULL;
        dwarf->paths = strpool_new();
        if (alt) {
                read_sections(dwarf, &dwarf->alt, alt);
                dwarf->main.alt = &dwarf->alt;
                scan(dwarf, &dwarf->alt);
        }
        dwarf_refill(dwarf);
        scan(dwarf, &dwarf->main);
        dwarf_index_listed(&dwarf->main, &dwarf->listed, &dwarf->complaints);
        return TAKE(dwarf);
}

void dwarf_file_release(struct dwarf_file *file)
{
        for (size_t i = 0; i < file->n_units; i++)
                dwarf_unit_close_full(&file->units[i]);
        for (size_t i = 0; i < file->n_tables; i++)
                dwarf_abbrevs_free(file->tables[i]);
        free(file->tables);
        map_release(&file->table_ids);
        free(file->units);
}

void dwarf_free(struct dwarf *dwarf)
{
        if (!dwarf)
                return;
        dwarf_file_release(&dwarf->main);
        dwarf_file_release(&dwarf->alt);
        free(dwarf->listed.items);
        free(dwarf->scanned.items);
        strpool_free(dwarf->paths);
        buf_release(&dwarf->complaints.first);
        buf_release(&dwarf->note);
        free(dwarf);
}

const char *dwarf_note(const struct dwarf *dwarf)
{
        return buf_text(&dwarf->note);
}

/* --- Looking up --- */

struct wanted {
        uint32_t unit;
        size_t index;
};

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

static int compare_wanted(const void *a, const void *b)
{
        const struct wanted *x = a, *y = b;

        if (x->unit != y->unit)
                return x->unit < y->unit ? -1 : 1;
        return x->index < y->index ? -1 : x->index > y->index;
}

/* A unit while its addresses are looked up. */
struct decoded {
        struct dwarf *dwarf;
        const struct dwarf_unit *unit;
        struct dwarf_tree tree;
        struct dwarf_lines lines;
};

/* The innermost frame stands at the address's own row, the others where the one inside them was called. */
static void add_frames(struct decoded *decoded, uint64_t addr, struct dwarf_frames *out)
{
        struct strpool *paths = decoded->dwarf->paths;
        const struct dwarf_row *row = dwarf_lines_find(&decoded->lines, addr);
        uint32_t id = dwarf_segments_find(&decoded->tree.segments, addr);
        struct dwarf_frame frame = {0};

        if (row) {
                frame.path = dwarf_lines_path(&decoded->lines, row->file, paths);
                frame.line = row->line;
                frame.column = row->column;
        }
        if (row && id == DWARF_NO_OWNER)
                ARRAY_PUSH(out->frames, out->n_frames, out->cap_frames, frame);
        while (id != DWARF_NO_OWNER) {
                const struct dwarf_node *node = dwarf_tree_node(decoded->unit, &decoded->tree, id);

                frame.function = node->function;
                frame.start = node->start;
                id = node->parent;
                frame.is_inlined = id != DWARF_NO_OWNER;
                ARRAY_PUSH(out->frames, out->n_frames, out->cap_frames, frame);
                frame.path = dwarf_lines_path(&decoded->lines, node->call_file, paths);
                frame.line = node->call_line;
                frame.column = node->call_column;
        }
}

/* The addresses of one unit. */
static void find_in_unit(struct dwarf *dwarf, struct dwarf_unit *unit, const struct wanted *wanted, size_t n,
                         const uint64_t *addrs, struct dwarf_frames *out)
{
        struct decoded decoded = {.dwarf = dwarf, .unit = unit};
        struct err err = {0};

        if (dwarf_unit_prepare(unit, &err)) {
                decoded.unit = dwarf_unit_full(dwarf, unit);
                if (!dwarf_tree_build(decoded.unit, &decoded.tree, &err))
                        dwarf_complain(&dwarf->complaints, unit, &err);
                if (!dwarf_lines_read(unit, &decoded.lines, &err))
                        dwarf_complain(&dwarf->complaints, unit, &err);
        } else {
                dwarf_complain(&dwarf->complaints, unit, &err);
        }
        for (size_t i = 0; i < n; i++) {
                struct dwarf_span *span = &out->spans[wanted[i].index];

                span->first = out->n_frames;
                add_frames(&decoded, addrs[wanted[i].index], out);
                span->n = out->n_frames - span->first;
        }
        dwarf_tree_release(&decoded.tree);
        dwarf_lines_release(&decoded.lines);
}

void dwarf_write_note(struct dwarf *dwarf)
{
        const struct dwarf_complaints *complaints = &dwarf->complaints;

        buf_clear(&dwarf->note);
        buf_add_str(&dwarf->note, buf_text(&complaints->first));
        if (complaints->n > 1)
                buf_printf(&dwarf->note, ", and %zu more like it", complaints->n - 1);
        if (dwarf->n_missing)
                buf_printf(&dwarf->note, "%sunits without their .dwo file: %zu, the first one's is %s",
                           complaints->n ? "\n" : "", dwarf->n_missing, dwarf->first_missing);
}

void dwarf_find(struct dwarf *dwarf, const uint64_t *addrs, size_t n, struct dwarf_frames *ret_frames)
{
        struct wanted *wanted = mem_new(n, sizeof(*wanted));
        size_t n_wanted = 0, first = 0;

        *ret_frames = (struct dwarf_frames){.spans = mem_new(n, sizeof(*ret_frames->spans))};
        dwarf_refill(dwarf);
        for (size_t i = 0; i < n; i++) {
                uint32_t unit = dwarf_find_unit(dwarf, addrs[i]);

                if (unit != DWARF_NO_OWNER)
                        wanted[n_wanted++] = (struct wanted){unit, i};
        }
        if (n_wanted)
                qsort(wanted, n_wanted, sizeof(*wanted), compare_wanted);
        for (size_t end = 0; end < n_wanted; first = end) {
                while (end < n_wanted && wanted[end].unit == wanted[first].unit)
                        end++;
                find_in_unit(dwarf, &dwarf->main.units[wanted[first].unit], wanted + first, end - first,
                             addrs, ret_frames);
        }
        free(wanted);
        dwarf_write_note(dwarf);
}

void dwarf_frames_release(struct dwarf_frames *frames)
{
        free(frames->frames);
        free(frames->spans);
        *frames = (struct dwarf_frames){0};
}
