/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of functions and modules, the same in rows and trees. */
#ifndef PLACE_NAMES_H
#define PLACE_NAMES_H

#include "map.h"
#include "place_modules.h"

/* All fields except `resolver_ids` belong to the caller and must outlive it. */
struct place_names {
        struct strpool *texts; /* receives the names */
        struct resolver *resolver;
        const struct place_modules *modules;
        struct map resolver_ids; /* module to resolver id + 1 */
};

void place_names_release(struct place_names *names);

/* Looks up a symbol; `offset` as in struct place. For MODULE_NONE it becomes the symbol's address. */
struct symbol place_names_symbol(struct place_names *names, module_id module, uint64_t offset);

/* The module's base name, or the name in its facts or in the symbol; 0 for MODULE_NONE. */
str_id place_names_module(struct place_names *names, module_id module, const struct symbol *symbol);

/* The function's name; "0x17ab10" if only its start is known; else "unknown". */
str_id place_names_function(const struct place_names *names, const struct symbol *symbol);

#endif
