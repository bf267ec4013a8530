/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads names and call sites of the functions that dwarf_tree.c found, for functions that are shown. */
#include "dwarf_lookup.h"

struct node_naming {
        const char *linkage, *plain;
        const struct dwarf_unit *next; /* the entry with the remaining attributes */
        uint64_t next_off;
};

static void take_name(struct node_naming *naming, const struct dwarf_unit *unit,
                      const struct dwarf_value *value)
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

/* If an entry refers to another one, its name comes from there, possibly in several steps. */
static void read_names(struct node_naming *naming, int n_entries)
{
        for (int i = 0; i < n_entries && naming->next && !naming->linkage; i++) {
                const struct dwarf_unit *at = naming->next;
                struct dwarf_entry entry;
                struct dwarf_value value;

                naming->next = NULL;
                if (!dwarf_entry_open(at, naming->next_off, &entry))
                        break;
                while (dwarf_entry_next(&entry, &value))
                        take_name(naming, at, &value);
        }
}

static const char *name_of(const struct node_naming *naming)
{
        return naming->linkage ? naming->linkage : naming->plain;
}

/* The origin of a function that is inlined in many places is read once. */
static const char *read_origin(const struct node_naming *from)
{
        struct node_naming naming = {.next = from->next, .next_off = from->next_off};
        uint64_t *kept = map_put(&from->next->file->origin_names, from->next_off, NULL);

        if (!*kept) {
                read_names(&naming, DWARF_MAX_CHAIN - 1);
                *kept = (uint64_t)(uintptr_t)name_of(&naming);
        }
        return (const char *)(uintptr_t)*kept;
}

struct dwarf_node *dwarf_tree_node(const struct dwarf_unit *unit, struct dwarf_tree *tree, uint32_t id)
{
        struct dwarf_node *node = &tree->nodes[id];
        struct node_naming naming = {0};
        struct dwarf_entry entry;
        struct dwarf_value value;

        if (node->is_read)
                return node;
        node->is_read = true;
        if (!dwarf_entry_open(unit, unit->off + node->off, &entry))
                return node;
        while (dwarf_entry_next(&entry, &value)) {
                take_name(&naming, unit, &value);
                take_call_site(node, &value);
        }
        if (naming.next && !naming.linkage && !naming.plain) {
                node->function = read_origin(&naming);
                return node;
        }
        read_names(&naming, DWARF_MAX_CHAIN - 1);
        node->function = name_of(&naming);
        return node;
}
