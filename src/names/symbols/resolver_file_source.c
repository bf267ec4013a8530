/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of names of a module with an object file, or a PDB without an image. */
#include "resolver_internal.h"
#include "symbol_archive.h"

bool resolver_file_replaces_kept(const struct resolver *resolver, struct symbol_module *module)
{
        AUTO_RELEASE(buf) unsaid = {0}; /* the answers have a note */
        AUTO(resolver_file) file = NULL;

        if (!module->is.archived->facts.is_kept || module->is.kind != RESOLVER_FILE ||
            !module->is.build_id_size)
                return false;
        file = resolver_file_new(&module->is, &resolver->options, &unsaid);
        if (!resolver_file_has_all_names(file))
                return false;
        module->file = TAKE(file);
        module->is.archived = NULL;
        return true;
}

static bool open_file(struct resolver *resolver, struct symbol_module *module)
{
        if (!module->file)
                module->file = resolver_file_new(&module->is, &resolver->options, &module->note);
        return true;
}

static void close_file(struct symbol_module *module)
{
        resolver_file_free(module->file);
}

const struct symbol_source symbol_source_file = {
        .open = open_file,
        .close = close_file,
};
