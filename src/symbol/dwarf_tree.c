/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions and inlined functions that have the places looked up in a unit, found in one walk over its entries
 * that reads nothing but where their code is.  Names and call sites are read for those that are shown. */
#include <inttypes.h>
#include <stdlib.h>

#include "dwarf_form.h"
#include "dwarf_lookup.h"

struct walk {
        const struct dwarf_unit *unit;
        struct dwarf_tree *tree;
        struct dwarf_places *places;    /* NULL: the ranges of functions go to `ranges` */
        struct dwarf_intervals *ranges; /* else those of the entry being read */
        uint32_t owner;                 /* of all of them */
        struct cursor c;
        size_t depth;
        uint32_t parents[DWARF_MAX_DEPTH]; /* the node around the entries of each depth */
};

/* --- Where code is --- */

/* The cursor moves behind the entry's attributes. */
static void read_code(struct walk *walk, const struct dwarf_abbrev *abbrev, struct dwarf_code *code)
{
        const struct dwarf_unit *unit = walk->unit;
        struct dwarf_entry entry = {.unit = unit, .abbrev = abbrev, .c = walk->c};
        struct dwarf_value value;

        if (!abbrev->is_code_fixed) {
                while (dwarf_entry_next(&entry, &value))
                        dwarf_code_take(code, &value);
                walk->c = entry.c;
                return;
        }
        for (unsigned i = 0; i < abbrev->n_code; i++) {
                const struct dwarf_code_at *at = &abbrev->code[i];
                struct cursor c = walk->c;

                cursor_take(&c, at->off);
                dwarf_read_form(&c, at->form, 0, &unit->shape, unit->off, &value);
                value.name = at->name;
                if (!c.failed)
                        dwarf_code_take(code, &value);
        }
        dwarf_skip_attrs(unit->abbrevs, abbrev, &unit->shape, &walk->c);
}

static bool read_ranges(struct walk *walk, const struct dwarf_abbrev *abbrev, struct err *err)
{
        struct dwarf_code code = {0};

        read_code(walk, abbrev, &code);
        return dwarf_add_ranges(walk->unit, &code, walk->owner, walk->ranges, err);
}

size_t dwarf_places_from(const struct dwarf_places *places, uint64_t addr)
{
        size_t low = 0, high = places->n;

        while (low < high) {
                size_t mid = low + (high - low) / 2;

                if (places->items[mid].addr < addr)
                        low = mid + 1;
                else
                        high = mid;
        }
        return low;
}

/* The places in the ranges that were read belong to node `id` now, unless one that began later has them.  Of ranges
 * that overlap each pays for its places. */
static bool claim_places(struct walk *walk, uint32_t id, size_t *ret_n, struct err *err)
{
        struct dwarf_places *places = walk->places;

        *ret_n = 0;
        for (size_t i = 0; i < walk->ranges->n; i++) {
                const struct dwarf_interval *range = &walk->ranges->items[i];
                size_t n = 0;

                for (size_t j = dwarf_places_from(places, range->start);
                     j < places->n && places->items[j].addr < range->end; j++) {
                        struct dwarf_place *place = &places->items[j];

                        n++;
                        if (place->node != DWARF_NO_OWNER && place->node_start > range->start)
                                continue;
                        place->node = id;
                        place->node_start = range->start;
                }
                *ret_n += n;
                if (!dwarf_spend(walk->unit->file, n, err))
                        return false;
        }
        return true;
}

/* *ret_node is the entry's node, or DWARF_NO_OWNER.  A function has one when it has a place; then all functions
 * inlined into it have one, as the chain outwards needs those without a place too. */
static bool read_node(struct walk *walk, const struct dwarf_abbrev *abbrev, uint32_t off, uint32_t parent,
                      uint32_t *ret_node, struct err *err)
{
        struct dwarf_tree *tree = walk->tree;
        uint32_t id = (uint32_t)tree->n_nodes;
        size_t n_claimed;

        *ret_node = DWARF_NO_OWNER;
        walk->ranges->n = 0;
        if (!read_ranges(walk, abbrev, err) || !claim_places(walk, id, &n_claimed, err))
                return false;
        if (!walk->ranges->n || (!n_claimed && parent == DWARF_NO_OWNER))
                return true;
        ARRAY_PUSH(tree->nodes, tree->n_nodes, tree->cap_nodes,
                   (struct dwarf_node){.start = walk->ranges->items[0].start,
                                       .parent = parent,
                                       .off = off,
                                       .call_file = DWARF_NO_FILE});
        *ret_node = id;
        return true;
}

/* --- The walk --- */

/* Moves behind the children of an entry that can't hold code, where it says how far they go.  `at` is the
 * entry's start behind the code of its abbreviation. */
static bool skip_children(struct walk *walk, const struct dwarf_abbrev *abbrev, const uint8_t *at)
{
        struct cursor c;
        uint64_t sibling;

        if (abbrev->sibling_at == DWARF_NO_SIBLING ||
            (abbrev->role != DWARF_ROLE_TYPE && (abbrev->role != DWARF_ROLE_STRUCT || !walk->unit->is_c)))
                return false;
        c = walk->c;
        c.at = at;
        cursor_skip(&c, abbrev->sibling_at);
        sibling = cursor_u32(&c);
        /* Never backwards: the walk must end. */
        if (c.failed || sibling < cursor_pos(&walk->c) || !cursor_seek(&walk->c, sibling))
                return false;
        return true;
}

static bool visit(struct walk *walk, const struct dwarf_abbrev *abbrev, uint32_t off, struct err *err)
{
        const uint8_t *at = walk->c.at;
        uint32_t around = walk->parents[walk->depth], node = around;

        if (abbrev->may_have_code && abbrev->role == DWARF_ROLE_FUNCTION) {
                if (!walk->places ? !read_ranges(walk, abbrev, err)
                                  : !read_node(walk, abbrev, off, DWARF_NO_OWNER, &node, err))
                        return false;
        } else if (abbrev->may_have_code && abbrev->role == DWARF_ROLE_INLINED && around != DWARF_NO_OWNER) {
                if (!read_node(walk, abbrev, off, around, &node, err))
                        return false;
                if (node == DWARF_NO_OWNER)
                        node = around;
        } else {
                dwarf_skip_attrs(walk->unit->abbrevs, abbrev, &walk->unit->shape, &walk->c);
        }
        if (!abbrev->has_children || skip_children(walk, abbrev, at))
                return true;
        if (walk->depth + 1 >= DWARF_MAX_DEPTH)
                return err_set(err, ERR_LIMIT, "its entries are nested deeper than %d", DWARF_MAX_DEPTH);
        walk->parents[++walk->depth] = node;
        return true;
}

/* Most codes have one byte or two. */
static inline __attribute__((always_inline)) uint64_t read_code_at(struct walk *walk, const uint8_t **at)
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

/* The place is kept apart from the walk so that the compiler may have it in a register. */
static bool walk_entries(struct walk *walk, struct err *err)
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

static bool walk_unit(struct walk *walk, struct err *err)
{
        const struct dwarf_unit *unit = walk->unit;

        if (!unit->abbrevs->has_functions)
                return true;
        if (!dwarf_spend(unit->file, unit->end - unit->off, err))
                return false;
        walk->c = cursor_sub(&unit->file->sections[DWARF_INFO], unit->off, unit->end - unit->off);
        cursor_seek(&walk->c, unit->first_entry - unit->off);
        walk->depth = 0;
        walk->parents[0] = DWARF_NO_OWNER;
        return walk_entries(walk, err);
}

bool dwarf_tree_find(const struct dwarf_unit *unit, struct dwarf_tree *tree, struct dwarf_places *places,
                     struct err *err)
{
        struct dwarf_intervals ranges = {0};
        struct walk walk;
        bool ok;

        walk.unit = unit;
        walk.tree = tree;
        walk.places = places;
        walk.ranges = &ranges;
        walk.owner = 0;
        ok = walk_unit(&walk, err);
        for (size_t i = 0; !ok && i < places->n; i++)
                places->items[i].node = DWARF_NO_OWNER;
        free(ranges.items);
        return ok;
}

bool dwarf_add_functions(const struct dwarf_unit *unit, uint32_t owner, struct dwarf_intervals *out,
                         struct err *err)
{
        struct walk walk;

        walk.unit = unit;
        walk.places = NULL;
        walk.ranges = out;
        walk.owner = owner;
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

/* --- Names --- */

struct naming {
        const char *linkage, *plain;
        const struct dwarf_unit *next; /* the entry that has the rest */
        uint64_t next_off;
};

static void take_name(struct naming *naming, const struct dwarf_unit *unit, const struct dwarf_value *value)
{
        switch (value->name) {
        case DW_AT_linkage_name:
        case DW_AT_MIPS_linkage_name:
                if (!naming->linkage)
                        naming->linkage = dwarf_value_text(unit, value);
                break;
        case DW_AT_name:
                if (!naming->plain)
                        naming->plain = dwarf_value_text(unit, value);
                break;
        case DW_AT_abstract_origin:
        case DW_AT_specification:
                naming->next = dwarf_value_unit(unit, value);
                naming->next_off = value->number;
                break;
        default: break;
        }
}

static void take_call_site(struct dwarf_node *node, const struct dwarf_value *value)
{
        uint32_t number = value->number <= UINT32_MAX ? (uint32_t)value->number : 0;

        if (value->class != DWARF_CONSTANT)
                return;
        if (value->name == DW_AT_call_file)
                node->call_file = number;
        else if (value->name == DW_AT_call_line)
                node->call_line = number;
        else if (value->name == DW_AT_call_column)
                node->call_column = number;
}

struct dwarf_node *dwarf_tree_node(const struct dwarf_unit *unit, struct dwarf_tree *tree, uint32_t id)
{
        struct dwarf_node *node = &tree->nodes[id];
        struct naming naming = {.next = unit, .next_off = unit->off + node->off};

        if (node->is_read)
                return node;
        for (int i = 0; i < DWARF_MAX_CHAIN && naming.next && !naming.linkage; i++) {
                const struct dwarf_unit *at = naming.next;
                struct dwarf_entry entry;
                struct dwarf_value value;

                naming.next = NULL;
                if (!dwarf_entry_open(at, naming.next_off, &entry))
                        break;
                while (dwarf_entry_next(&entry, &value)) {
                        take_name(&naming, at, &value);
                        if (!i)
                                take_call_site(node, &value);
                }
        }
        node->function = naming.linkage ? naming.linkage : naming.plain;
        node->is_read = true;
        return node;
}
