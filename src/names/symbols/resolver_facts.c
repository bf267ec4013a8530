/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolver_facts.h"

#include <assert.h>

#include "resolver_internal.h"
#include "text.h"

const struct resolver_facts *resolver_get_facts(struct resolver *resolver, resolver_id id)
{
        return &resolver_load(resolver, id)->facts;
}

bool resolver_check(const struct resolver *resolver, resolver_id id, struct err *err)
{
        const struct symbol_module *module = resolver->modules[id];

        assert(id < resolver->n_modules);
        return !module->source->check || module->source->check(module, err);
}

const char *resolver_doubt(struct resolver *resolver, resolver_id id)
{
        struct symbol_module *module = resolver->modules[id];

        assert(id < resolver->n_modules);
        if (module->is_in_doubt && !module->doubt.len)
                buf_printf(&module->doubt, "%zu functions of %s overlap in memory: their names may be wrong",
                           perfmap_n_shared(module->perfmap), text_base_name(module->is.path));
        return module->doubt.len ? buf_text(&module->doubt) : NULL;
}

const uint8_t *resolver_source_md5(struct resolver *resolver, resolver_id id, const char *path)
{
        struct symbol_module *module = resolver_load(resolver, id);
        struct resolver_image_file image;

        if (!module->file)
                return NULL;
        image = resolver_get_image_file(resolver, module, 0);
        return image.debug ? resolver_debug_source_md5(image.debug, path) : NULL;
}
