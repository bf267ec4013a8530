/* SPDX-License-Identifier: BSD-3-Clause */
#include "place_names.h"

#include <inttypes.h>
#include <stdio.h>

void place_names_release(struct place_names *names)
{
        map_release(&names->resolver_ids);
}

struct symbol place_names_symbol(struct place_names *names, module_id module, uint64_t offset)
{
        uint64_t *known;

        if (module == MODULE_NONE)
                return (struct symbol){.status = SYMBOL_NONE, .addr = offset};
        known = map_put(&names->resolver_ids, module, NULL);
        if (!*known)
                *known = (uint64_t)names->modules->get(names->modules->ctx, module) + 1;
        return resolver_find(names->resolver, (resolver_id)(*known - 1), offset);
}

str_id place_names_module(struct place_names *names, module_id id, const struct symbol *symbol)
{
        struct module_facts facts;
        char name[40];

        if (id == MODULE_NONE)
                return 0;
        names->modules->tell(names->modules->ctx, id, &facts);
        if (facts.symbols_tell && symbol->module)
                return strpool_add(names->texts, resolver_text(names->resolver, symbol->module));
        if (symbol->status != SYMBOL_NAMED || facts.map_pid == -1)
                return strpool_add(names->texts, facts.name);
        snprintf(name, sizeof(name), "perf-%" PRId32 ".map", facts.map_pid);
        return strpool_add(names->texts, name);
}

str_id place_names_function(const struct place_names *names, const struct symbol *symbol)
{
        char start[32];

        switch (symbol->status) {
        case SYMBOL_NAMED: return strpool_add(names->texts, resolver_text(names->resolver, symbol->name));
        case SYMBOL_RANGE:
                snprintf(start, sizeof(start), "0x%" PRIx64, symbol->start);
                return strpool_add(names->texts, start);
        case SYMBOL_NONE: break;
        }
        return strpool_add(names->texts, "unknown");
}
