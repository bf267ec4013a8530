/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up frames of addresses, sorted by unit, so that each unit is decoded once and forgotten before the
 * next one.  If there are many units, two threads each decode a part of them. */
#include <stdlib.h>
#include <string.h>

#include "dwarf_lookup.h"
#include "mem.h"
#include "os.h"

enum {
        N_PARTS = 2,
        USUAL_FRAMES = 3,         /* estimated number for each address */
        MIN_PART_BYTES = 1 << 20, /* of entries; for less, a thread is not worth it */
};

struct dwarf_wanted {
        uint32_t unit;
        size_t index;
};

/* Sorts by unit, and in each unit by address.  Usually the order of the addresses is the order of the units
 * in the file. */
static void sort_wanted(struct dwarf_wanted **wanted, size_t n, size_t n_units)
{
        struct dwarf_wanted *from = *wanted, *sorted;
        size_t *at, i = 1;

        while (i < n && from[i].unit >= from[i - 1].unit)
                i++;
        if (i >= n)
                return;
        at = mem_new(n_units + 1, sizeof(*at));
        sorted = mem_new(n, sizeof(*sorted));
        for (i = 0; i < n; i++)
                at[from[i].unit + 1]++;
        for (i = 1; i <= n_units; i++)
                at[i] += at[i - 1];
        for (i = 0; i < n; i++)
                sorted[at[from[i].unit]++] = from[i];
        free(at);
        free(from);
        *wanted = sorted;
}

/* A unit whose addresses are being looked up. */
struct dwarf_decoded {
        struct dwarf *dwarf;
        const struct dwarf_unit *unit;
        struct dwarf_places places;
        struct dwarf_tree tree;
        struct dwarf_lines lines;
};

/* The innermost frame has the line of the address; each other frame has the line of the call to the frame
 * inside it. */
static bool add_frames(struct dwarf_decoded *decoded, const struct dwarf_place *place,
                       struct source_frames *out)
{
        struct dwarf *dwarf = decoded->dwarf;
        struct source_frame frame = {0};
        uint32_t id = place->node;

        if (place->has_row) {
                frame.path = dwarf_lines_path(&decoded->lines, place->row.file, dwarf);
                frame.line = place->row.line;
                frame.column = place->row.column;
        }
        if (place->has_row && id == DWARF_NO_OWNER && !source_frames_add(out, &frame))
                return false;
        while (id != DWARF_NO_OWNER) {
                const struct dwarf_node *node = dwarf_tree_node(decoded->unit, &decoded->tree, id);

                frame.function = node->function;
                frame.start = node->start;
                id = node->parent;
                frame.is_inlined = id != DWARF_NO_OWNER;
                if (!source_frames_add(out, &frame))
                        return false;
                frame.path = dwarf_lines_path(&decoded->lines, node->call_file, dwarf);
                frame.line = node->call_line;
                frame.column = node->call_column;
        }
        return true;
}

static void decode(struct dwarf_decoded *decoded, struct dwarf_unit *unit)
{
        struct dwarf *dwarf = decoded->dwarf;
        struct err err = {0};

        if (!dwarf_unit_prepare(unit, &err)) {
                dwarf_complain(&dwarf->complaints, unit, &err);
                return;
        }
        decoded->unit = dwarf_unit_full(dwarf, unit);
        if (!dwarf_tree_find(decoded->unit, &decoded->tree, &decoded->places, &err))
                dwarf_complain(&dwarf->complaints, unit, &err);
        if (!dwarf_lines_find(unit, &decoded->lines, &decoded->places, &err))
                dwarf_complain(&dwarf->complaints, unit, &err);
}

/* A reader and the addresses that it looks up, in whole units. */
struct dwarf_part {
        struct dwarf *dwarf;
        const uint64_t *addrs;
        const struct dwarf_wanted *wanted;
        size_t n_wanted;
        struct source_frames frames; /* spans are those of the whole lookup */
};

/* Looks up the addresses of one unit. */
static void find_in_unit(struct dwarf_part *part, const struct dwarf_wanted *wanted, size_t n)
{
        struct dwarf_decoded decoded = {.dwarf = part->dwarf,
                                        .places = {mem_new(n, sizeof(struct dwarf_place)), n}};
        struct source_frames *out = &part->frames;

        for (size_t i = 0; i < n; i++)
                decoded.places.items[i] =
                        (struct dwarf_place){.addr = part->addrs[wanted[i].index], .node = DWARF_NO_OWNER};
        decode(&decoded, &part->dwarf->main.units[wanted->unit]);
        for (size_t i = 0; i < n; i++) {
                struct source_span *span = &out->spans[wanted[i].index];

                span->first = out->n_frames;
                if (!add_frames(&decoded, &decoded.places.items[i], out))
                        out->n_frames = span->first;
                span->n = out->n_frames - span->first;
        }
        free(decoded.places.items);
        dwarf_tree_release(&decoded.tree);
        dwarf_lines_release(&decoded.lines);
}

/* Number of addresses from `first` on that are in its unit. */
static size_t count_in_unit(const struct dwarf_wanted *wanted, size_t n_wanted, size_t first)
{
        size_t end = first;

        while (end < n_wanted && wanted[end].unit == wanted[first].unit)
                end++;
        return end - first;
}

static void find_part(void *ctx, unsigned i)
{
        struct dwarf_part *part = (struct dwarf_part *)ctx + i;
        struct source_frames *out = &part->frames;

        source_frames_reserve(out, part->n_wanted * USUAL_FRAMES);
        for (size_t first = 0, n; first < part->n_wanted; first += n) {
                n = count_in_unit(part->wanted, part->n_wanted, first);
                find_in_unit(part, part->wanted + first, n);
        }
}

/* --- Two parts --- */

/* Start of the second part: before the unit with which half of all entries are read.  n_wanted if one part
 * is enough, or if .dwo files are needed.  Does not depend on the number of threads, so that results do
 * not, either. */
static size_t choose_second(const struct dwarf *dwarf, const struct dwarf_wanted *wanted, size_t n_wanted)
{
        const struct dwarf_unit *units = dwarf->main.units;
        uint64_t total_bytes = 0, n_bytes = 0;
        size_t first, n;

        for (first = 0; first < n_wanted; first += n) {
                n = count_in_unit(wanted, n_wanted, first);
                total_bytes += units[wanted[first].unit].end - units[wanted[first].unit].off;
        }
        if (dwarf->has_skeletons || total_bytes < (uint64_t)N_PARTS * MIN_PART_BYTES)
                return n_wanted;
        for (first = 0; first < n_wanted && n_bytes < total_bytes / 2; first += n) {
                n = count_in_unit(wanted, n_wanted, first);
                n_bytes += units[wanted[first].unit].end - units[wanted[first].unit].off;
        }
        return first;
}

static void add_part(struct dwarf *dwarf, const struct dwarf_part *part, struct source_frames *out)
{
        struct dwarf_complaints *complaints = &part->dwarf->complaints;
        size_t n_before = out->n_frames;

        if (part->frames.n_frames && !source_frames_reserve(out, part->frames.n_frames)) {
                for (size_t i = 0; i < part->n_wanted; i++)
                        out->spans[part->wanted[i].index].n = 0;
        } else if (part->frames.n_frames) {
                memcpy(out->frames + n_before, part->frames.frames,
                       part->frames.n_frames * sizeof(*out->frames));
                out->n_frames += part->frames.n_frames;
        }
        for (size_t i = 0; i < part->n_wanted; i++)
                out->spans[part->wanted[i].index].first += n_before;
        if (complaints->n && !dwarf->complaints.n)
                buf_add_str(&dwarf->complaints.first, buf_text(&complaints->first));
        for (size_t i = 0; complaints->n && i < part->n_wanted; i++) {
                uint32_t unit = part->wanted[i].unit;

                /* The unit may have been in the first part of an earlier lookup. */
                if (!part->dwarf->main.units[unit].is_damaged || dwarf->main.units[unit].is_damaged)
                        continue;
                dwarf->main.units[unit].is_damaged = true;
                dwarf->complaints.n++;
        }
        complaints->n = 0;
        buf_clear(&complaints->first);
        budget_give(part->frames.budget, part->frames.taken_bytes);
        free(part->frames.frames);
}

/* Looks up a part in the same thread as the part before, so that data which that part has read need not be
 * read again. */
static void find_after(struct dwarf_part *part, struct source_frames *out)
{
        part->frames = *out;
        dwarf_refill(part->dwarf);
        find_part(part, 0);
        *out = part->frames;
}

static void find_wanted(struct dwarf *dwarf, const uint64_t *addrs, const struct dwarf_wanted *wanted,
                        size_t n_wanted, struct source_frames *out)
{
        size_t second = choose_second(dwarf, wanted, n_wanted);
        struct dwarf_part parts[N_PARTS] = {{dwarf, addrs, wanted, second, *out}};
        bool is_parallel = second < n_wanted && os_usable_cpus() > 1;

        parts[1] = (struct dwarf_part){dwarf, addrs, wanted + second, n_wanted - second};
        if (is_parallel) {
                parts[1].dwarf = dwarf_get_second(dwarf);
                parts[1].frames = (struct source_frames){.spans = out->spans, .budget = out->budget};
                dwarf_refill(parts[1].dwarf);
        }
        os_parallel(is_parallel ? N_PARTS : 1, find_part, parts);
        *out = parts[0].frames;
        if (is_parallel)
                add_part(dwarf, &parts[1], out);
        else
                find_after(&parts[1], out);
}

void dwarf_find(struct dwarf *dwarf, const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        struct dwarf_wanted *wanted = mem_new(n, sizeof(*wanted));
        size_t n_wanted = 0;

        *ret_frames = (struct source_frames){.spans = mem_new(n, sizeof(*ret_frames->spans)),
                                             .budget = dwarf->memory};
        dwarf_refill(dwarf);
        for (size_t i = 0; i < n; i++) {
                uint32_t unit = dwarf_find_unit(dwarf, addrs[i]);

                if (unit != DWARF_NO_OWNER)
                        wanted[n_wanted++] = (struct dwarf_wanted){unit, i};
        }
        sort_wanted(&wanted, n_wanted, dwarf->main.n_units);
        find_wanted(dwarf, addrs, wanted, n_wanted, ret_frames);
        free(wanted);
        dwarf_write_note(dwarf);
}
