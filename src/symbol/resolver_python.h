/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and lines of Python places.  Places of a function are in no order; the addresses that are given to them are: those of
 * a function follow each other by line, so that a Python function has a range as any other function has. */
#ifndef RESOLVER_PYTHON_H
#define RESOLVER_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolver.h"

struct python_table;
struct symbol_module;

/* Takes memory from the module's budget; NULL: there is none. */
struct python_table *python_table_new(const struct resolver_python *python, struct budget *budget);
void python_table_free(struct python_table *table);
AUTO_DEFINE(python_table)

/* The face of resolver.h for a module with a table. */
bool resolver_python_to_addr(const struct symbol_module *module, uint64_t offset, uint64_t *ret_addr);
struct symbol resolver_python_find(struct resolver *resolver, struct symbol_module *module, uint64_t addr);

/* ret->spans is there, one for each address. */
void resolver_python_find_frames(struct resolver *resolver, struct symbol_module *module,
                                 const uint64_t *addrs, size_t n, struct resolver_frames *ret_frames);

#endif
