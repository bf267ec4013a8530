/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and lines of Python places.  Places are not sorted by function, but the addresses assigned here
 * are: those of a function are contiguous and sorted by line, so that a Python function has a range like
 * any other function. */
#ifndef RESOLVER_PYTHON_H
#define RESOLVER_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolver.h"

struct python_table;
struct symbol_module;

/* Takes memory from the module's budget; NULL if there is not enough. */
struct python_table *python_table_new(const struct resolver_python *python, struct budget *budget);
void python_table_free(struct python_table *table);
AUTO_DEFINE(python_table)

/* Implementation of resolver.h for a module with a table. */
bool resolver_python_to_addr(const struct symbol_module *module, uint64_t offset, uint64_t *ret_addr);
struct symbol resolver_python_find(struct resolver *resolver, struct symbol_module *module, uint64_t addr);

/* ret->spans must be allocated, one for each address. */
void resolver_python_find_frames(struct resolver *resolver, struct symbol_module *module,
                                 const uint64_t *addrs, size_t n, struct resolver_frames *ret_frames);

#endif
