/* SPDX-License-Identifier: BSD-3-Clause */
/* The distinct places of stacks: each is written once, however many paths lead to it.  And what their code is called. */
#ifndef EXPORT_PLACES_H
#define EXPORT_PLACES_H

#include "buf.h"
#include "named_stacks.h"

struct export_places {
        uint32_t *of_node; /* the place's number; NAMED_NONE: none is wanted of this node */
        uint32_t *
                one_node; /* by place: a node of it.  By module and address, so that functions lie together */
        uint32_t n;
};

/* Of the nodes in `wanted`, NULL for all; marks of cut stacks have none. */
void export_places_list(const struct named_stacks *stacks, const bool *wanted, struct export_places *ret);
void export_places_release(struct export_places *places);

/* True when the chain that held the place had the address behind its call. */
bool export_is_behind(const struct named_node *node);

/* "libc.so.6", "[vdso]", "[anon]" of memory without a file; not made printable. */
const char *export_module_name(const struct named_module *module);

/* One of the node's functions by its name, as export_add_name() shows it; "" is code of the node's module. */
void export_add_function_name(const struct named_stacks *stacks, const struct named_node *node,
                              const char *function, struct buf *out);

#endif
