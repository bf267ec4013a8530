/* SPDX-License-Identifier: BSD-3-Clause */
/* What the function and the module of a place are called, the same in rows and in trees. */
#ifndef PLACE_NAMES_H
#define PLACE_NAMES_H

#include "map.h"
#include "place_modules.h"

/* All but `resolver_ids` is the caller's and outlives it. */
struct place_names {
        struct strpool *texts; /* takes the names */
        struct resolver *resolver;
        const struct place_modules *modules;
        struct map resolver_ids; /* module -> resolver id + 1 */
};

void place_names_release(struct place_names *names);

/* `offset` as in struct place; of MODULE_NONE it is the answer's address. */
struct symbol place_names_symbol(struct place_names *names, module_id module, uint64_t offset);

/* Base name, or what its facts or the symbol call it; 0 for MODULE_NONE. */
str_id place_names_module(struct place_names *names, module_id module, const struct symbol *symbol);

/* The function's name, "0x17ab10" where only its beginning is known, or "unknown". */
str_id place_names_function(const struct place_names *names, const struct symbol *symbol);

#endif
