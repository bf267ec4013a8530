/* SPDX-License-Identifier: BSD-3-Clause */
/* The distinct places of stacks, so that each is written once although many paths lead to it; and the names
 * of their code. */
#ifndef EXPORT_PLACES_H
#define EXPORT_PLACES_H

#include "buf.h"
#include "named_stacks.h"

struct export_places {
        uint32_t *of_node; /* for each node, the number of its place; NAMED_NONE: none is wanted */
        /* for each place, one of its nodes.  Sorted by module and address, so that places of a function are
         * neighbours */
        uint32_t *one_node;
        uint32_t n;
};

/* Lists the places of the nodes in `wanted` (NULL: all); marks of cut stacks have no place. */
void export_places_list(const struct named_stacks *stacks, const bool *wanted, struct export_places *ret);
void export_places_release(struct export_places *places);

/* True if the call chain had the return address of the call. */
bool export_is_behind(const struct named_node *node);

/* "libc.so.6", "[vdso]", "[anon]" for memory without a file; not made printable. */
const char *export_module_name(const struct named_module *module);

/* The name of one of the node's functions, as in export_add_name(); "" is code of the node's module. */
void export_add_function_name(const struct named_stacks *stacks, const struct named_node *node,
                              const char *function, struct buf *out);

#endif
