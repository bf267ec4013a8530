/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the functions and inlined functions that contain the looked-up places of a unit, in one walk over
 * its entries that reads only their address ranges. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_form.h"
#include "dwarf_lookup.h"
#include "mem.h"
#include "search.h"

/* The entry that encloses the entries of one depth. */
struct around {
        uint32_t node;     /* or DWARF_NO_OWNER */
        size_t first, end; /* range of places that it contains */
};

struct tree_walk {
        const struct dwarf_unit *unit;
        struct dwarf_tree *tree;
        struct dwarf_places *places;    /* NULL: the ranges of functions are added to `ranges` */
        struct dwarf_intervals *ranges; /* otherwise the ranges of the current entry */
        uint32_t owner;                 /* owner of all ranges */
        bool own;                       /* functions own their ranges themselves */
        struct cursor c;
        size_t depth;
        struct around around[DWARF_MAX_DEPTH];
};

/* --- Address ranges of entries --- */

/* Moves the cursor past the entry's attributes. */
static void read_code(struct tree_walk *walk, const struct dwarf_abbrev *abbrev,
                      const struct dwarf_code_layout *layout, struct dwarf_code *code)
{
        const struct dwarf_unit *unit = walk->unit;
        struct dwarf_value value;

        if (!layout->is_fixed) {
                struct dwarf_entry entry = dwarf_entry_at(unit, abbrev, &walk->c);

                while (dwarf_entry_next(&entry, &value))
                        dwarf_code_take(code, &value);
                walk->c = entry.c;
                return;
        }
        for (unsigned i = 0; i < layout->n; i++) {
                const struct dwarf_code_at *at = &layout->at[i];
                struct cursor c = walk->c;

                cursor_take(&c, at->off);
                dwarf_read_form(&c, at->form, 0, &unit->shape, unit->off, &value);
                value.name = at->name;
                if (!c.failed)
                        dwarf_code_take(code, &value);
        }
        dwarf_skip_attrs(unit->abbrevs, abbrev, &unit->shape, &walk->c);
}

/* One address range with the same layout in all entries of its abbreviation; the most frequent case. */
static struct dwarf_interval read_span(struct tree_walk *walk, const struct dwarf_code_layout *layout)
{
        const uint8_t *at = walk->c.at;
        uint64_t low = 0, size = 0;

        memcpy(&low, at + layout->low_at, sizeof(low));
        if (layout->high_bytes == 8)
                memcpy(&size, at + layout->high_at, 8);
        else if (layout->high_bytes == 4)
                memcpy(&size, at + layout->high_at, 4);
        else if (layout->high_bytes == 2)
                memcpy(&size, at + layout->high_at, 2);
        else
                size = at[layout->high_at];
        return (struct dwarf_interval){low, low + size, walk->owner};
}

static bool read_ranges(struct tree_walk *walk, const struct dwarf_abbrev *abbrev, struct err *err)
{
        const struct dwarf_code_layout *layout = &walk->unit->abbrevs->code_layouts[abbrev->code_layout];
        struct dwarf_code code = {0};

        if (layout->span_bytes && cursor_left(&walk->c) >= layout->span_bytes) {
                struct dwarf_interval span = read_span(walk, layout);

                dwarf_skip_attrs(walk->unit->abbrevs, abbrev, &walk->unit->shape, &walk->c);
                return dwarf_add_range(walk->unit, span.start, span.end, walk->owner, walk->ranges, err);
        }
        read_code(walk, abbrev, layout, &code);
        return dwarf_add_ranges(walk->unit, &code, walk->owner, walk->ranges, err);
}

/* Index of the first place at or after `addr`, between `low` and `high`. */
static inline __attribute__((always_inline)) size_t search(const struct dwarf_places *places, size_t low,
                                                           size_t high, uint64_t addr)
{
        SEARCH_FIRST(low, high, mid, places->items[mid].addr < addr);
        return low;
}

size_t dwarf_places_from(const struct dwarf_places *places, uint64_t addr)
{
        return search(places, 0, places->n, addr);
}

/* Counts the places of `around` in the ranges that were read, taking the work from the budget.  With `id`,
 * assigns them to this node, unless a node that begins later has them. */
static bool claim_places(struct tree_walk *walk, const struct around *around, uint32_t id, struct around *ret,
                         struct err *err)
{
        struct dwarf_places *places = walk->places;
        uint64_t lowest = places->items[around->first].addr, highest = places->items[around->end - 1].addr;

        *ret = (struct around){around->node, SIZE_MAX, 0};
        for (size_t i = 0; i < walk->ranges->n; i++) {
                const struct dwarf_interval *range = &walk->ranges->items[i];
                size_t first, j;

                if (range->end <= lowest || range->start > highest)
                        continue;
                first = search(places, around->first, around->end, range->start);
                for (j = first; j < around->end && places->items[j].addr < range->end; j++) {
                        struct dwarf_place *place = &places->items[j];

                        if (id == DWARF_NO_OWNER ||
                            (place->node != DWARF_NO_OWNER && place->node_start > range->start))
                                continue;
                        place->node = id;
                        place->node_start = range->start;
                }
                if (j == first)
                        continue;
                ret->first = first < ret->first ? first : ret->first;
                ret->end = j > ret->end ? j : ret->end;
                if (!dwarf_spend(walk->unit->file, j - first, err))
                        return false;
        }
        return true;
}

/* Version 2 has no lists of ranges: a function in several pieces only has the address of the first, and
 * functions inlined into it may be in another. */
static bool are_ranges_whole(const struct tree_walk *walk)
{
        return walk->unit->shape.version > 2;
}

static uint32_t add_node(struct dwarf_tree *tree, uint64_t start, uint32_t parent, uint32_t off)
{
        struct dwarf_node node = {.start = start, .parent = parent, .off = off, .call_file = DWARF_NO_FILE};

        ARRAY_PUSH(tree->nodes, tree->n_nodes, tree->cap_nodes, node);
        return (uint32_t)tree->n_nodes - 1;
}

/* Version 2 has no ranges for an inlined function in several pieces. It contains no place itself, but those
 * inlined into it may. */
static void add_without_ranges(struct tree_walk *walk, uint32_t off, struct around *inside)
{
        inside->node = add_node(walk->tree, walk->tree->nodes[inside->node].start, inside->node, off);
}

/* A function that contains a place becomes a node.  *ret describes it for the entries inside; its `end` is
 * 0 if it contains no place, and then the entries inside are skipped. */
static bool read_node(struct tree_walk *walk, const struct dwarf_abbrev *abbrev, uint32_t off,
                      const struct around *around, struct around *ret, struct err *err)
{
        struct dwarf_tree *tree = walk->tree;
        uint32_t id = abbrev->role == DWARF_ROLE_BLOCK ? DWARF_NO_OWNER : (uint32_t)tree->n_nodes;

        walk->ranges->n = 0;
        if (!read_ranges(walk, abbrev, err) || !claim_places(walk, around, id, ret, err))
                return false;
        if (!walk->ranges->n || (around->node != DWARF_NO_OWNER && !are_ranges_whole(walk)))
                *ret = *around;
        else if (!ret->end)
                *ret = (struct around){.node = DWARF_NO_OWNER};
        if (!ret->end || id == DWARF_NO_OWNER)
                return true;
        if (walk->ranges->n)
                ret->node = add_node(tree, walk->ranges->items[0].start, around->node, off);
        else if (abbrev->role == DWARF_ROLE_INLINED)
                add_without_ranges(walk, off, ret);
        return true;
}

/* --- The walk --- */

/* Skips the children of an entry, if it has a sibling attribute.  `at` is after the entry's abbreviation
 * code. */
static bool skip_children(struct tree_walk *walk, const struct dwarf_abbrev *abbrev, const uint8_t *at)
{
        struct cursor c;
        uint64_t sibling;

        if (abbrev->sibling_at == DWARF_NO_SIBLING)
                return false;
        c = walk->c;
        c.at = at;
        cursor_skip(&c, abbrev->sibling_at);
        sibling = cursor_u32(&c);
        /* The sibling must not be before the current position, so that the walk ends. */
        if (c.failed || sibling < cursor_pos(&walk->c) || !cursor_seek(&walk->c, sibling))
                return false;
        return true;
}

static bool holds_no_code(const struct tree_walk *walk, const struct dwarf_abbrev *abbrev)
{
        return abbrev->role == DWARF_ROLE_TYPE || (abbrev->role == DWARF_ROLE_STRUCT && walk->unit->is_c);
}

static bool read_function(struct tree_walk *walk, const struct dwarf_abbrev *abbrev, uint32_t off,
                          struct err *err)
{
        if (walk->own)
                walk->owner = off;
        return read_ranges(walk, abbrev, err);
}

/* A function may contain functions whose code is elsewhere.  The code of inlined functions and blocks is
 * inside the code of the enclosing entry; if that contains no place, they are skipped with all entries
 * inside. */
static bool visit(struct tree_walk *walk, const struct dwarf_abbrev *abbrev, uint32_t off, struct err *err)
{
        const uint8_t *at = walk->c.at;
        const struct around *around = &walk->around[walk->depth];
        struct around inside = *around;
        bool is_empty = false;

        if (abbrev->may_have_code && abbrev->role == DWARF_ROLE_FUNCTION) {
                const struct around outside = {DWARF_NO_OWNER, 0, walk->places ? walk->places->n : 0};

                if (!walk->places ? !read_function(walk, abbrev, off, err)
                                  : !read_node(walk, abbrev, off, &outside, &inside, err))
                        return false;
        } else if (abbrev->may_have_code && around->node != DWARF_NO_OWNER &&
                   (abbrev->role == DWARF_ROLE_INLINED || abbrev->role == DWARF_ROLE_BLOCK)) {
                if (!read_node(walk, abbrev, off, around, &inside, err))
                        return false;
                is_empty = !inside.end;
        } else {
                if (abbrev->role == DWARF_ROLE_INLINED && abbrev->has_children &&
                    around->node != DWARF_NO_OWNER)
                        add_without_ranges(walk, off, &inside);
                dwarf_skip_attrs(walk->unit->abbrevs, abbrev, &walk->unit->shape, &walk->c);
                is_empty = holds_no_code(walk, abbrev);
        }
        if (!abbrev->has_children || (is_empty && skip_children(walk, abbrev, at)))
                return true;
        if (walk->depth + 1 >= DWARF_MAX_DEPTH)
                return err_set(err, ERR_LIMIT, "its entries are nested deeper than %d", DWARF_MAX_DEPTH);
        walk->around[++walk->depth] = inside;
        return true;
}

/* Most codes have one or two bytes. */
static inline __attribute__((always_inline)) uint64_t read_code_at(struct tree_walk *walk, const uint8_t **at)
{
        const uint8_t *p = *at;
        uint64_t code;

        if (walk->c.end - p >= 2 && (p[0] & p[1]) < 0x80) {
                *at += p[0] < 0x80 ? 1 : 2;
                return p[0] < 0x80 ? p[0] : (p[0] & 0x7fu) | (uint64_t)p[1] << 7;
        }
        walk->c.at = p;
        code = dwarf_uleb(&walk->c);
        *at = walk->c.at;
        return code;
}

/* The position is a separate variable so that the compiler can keep it in a register. */
static bool walk_entries(struct tree_walk *walk, struct err *err)
{
        const struct dwarf_abbrevs *abbrevs = walk->unit->abbrevs;
        const uint8_t *at = walk->c.at, *const end = walk->c.end;

        do {
                uint32_t off = (uint32_t)(at - walk->c.start);
                uint64_t code = read_code_at(walk, &at);
                const struct dwarf_abbrev *abbrev;

                if (!code) {
                        if (walk->depth)
                                walk->depth--;
                        continue;
                }
                abbrev = dwarf_abbrev_find(abbrevs, code);
                if (!abbrev)
                        return err_set(err, ERR_FORMAT, "entry 0x%" PRIx64 " has no abbreviation",
                                       walk->unit->off + off);
                if (abbrev->leaf_bytes <= (size_t)(end - at)) {
                        at += abbrev->leaf_bytes;
                        continue;
                }
                walk->c.at = at;
                if (!visit(walk, abbrev, off, err))
                        return false;
                at = walk->c.at;
        } while (walk->depth && at < end && !walk->c.failed);
        if (walk->c.failed)
                return err_set(err, ERR_FORMAT, "it ends inside an entry");
        return true;
}

static bool walk_unit(struct tree_walk *walk, struct err *err)
{
        const struct dwarf_unit *unit = walk->unit;

        if (!unit->abbrevs->has_functions)
                return true;
        if (!dwarf_spend(unit->file, unit->end - unit->off, err))
                return false;
        walk->c = cursor_sub(&unit->file->sections[DWARF_INFO], unit->off, unit->end - unit->off);
        cursor_seek(&walk->c, unit->first_entry - unit->off);
        walk->depth = 0;
        walk->around[0] = (struct around){.node = DWARF_NO_OWNER};
        return walk_entries(walk, err);
}

bool dwarf_tree_find(const struct dwarf_unit *unit, struct dwarf_tree *tree, struct dwarf_places *places,
                     struct err *err)
{
        struct dwarf_intervals ranges = {0};
        struct tree_walk walk;
        bool ok;

        assert(places->n);
        walk.unit = unit;
        walk.tree = tree;
        walk.places = places;
        walk.ranges = &ranges;
        walk.owner = 0;
        walk.own = false;
        ok = walk_unit(&walk, err);
        for (size_t i = 0; !ok && i < places->n; i++)
                places->items[i].node = DWARF_NO_OWNER;
        free(ranges.items);
        return ok;
}

bool dwarf_add_functions(const struct dwarf_unit *unit, uint32_t owner, struct dwarf_intervals *out,
                         struct err *err)
{
        struct tree_walk walk;

        walk.unit = unit;
        walk.places = NULL;
        walk.ranges = out;
        walk.owner = owner;
        walk.own = owner == DWARF_NO_OWNER;
        return walk_unit(&walk, err);
}

bool dwarf_add_entry_ranges(const struct dwarf_unit *unit, uint64_t off, uint32_t owner,
                            struct dwarf_intervals *out, struct err *err)
{
        struct dwarf_code code = {0};
        struct dwarf_entry entry;
        struct dwarf_value value;

        if (!dwarf_entry_open(unit, off, &entry))
                return true;
        while (dwarf_entry_next(&entry, &value))
                dwarf_code_take(&code, &value);
        return dwarf_add_ranges(unit, &code, owner, out, err);
}

void dwarf_tree_release(struct dwarf_tree *tree)
{
        free(tree->nodes);
        *tree = (struct dwarf_tree){0};
}
