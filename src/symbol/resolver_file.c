/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the names of an object file come from: its own .symtab, else its .dynsym. */
#include "resolver_file.h"

#include <stdlib.h>

#include "arena.h"

struct resolver_file {
        struct object *own; /* the file that was mapped; NULL when it can't be had */
        struct symtab *tab;
};

static struct object *open_own(const struct resolver_module *module, struct buf *note)
{
        const char *path = module->open_path ? module->open_path : module->path;
        struct object *object;
        struct err err = {0};

        if (module->image)
                object = object_open_bytes(module->image, module->image_size, module->path, &err);
        else
                object = object_open(path, &err);
        if (!object)
                buf_add_str(note, err.code == ERR_MISSING ? "no such file" : err.text);
        return object;
}

static bool is_asked_for(const struct object *object, const struct resolver_module *module)
{
        const struct object_facts *facts = object_get_facts(object);

        return !module->build_id_size || object_build_id_equal(facts->build_id, facts->build_id_size,
                                                               module->build_id, module->build_id_size);
}

struct resolver_file *resolver_file_new(const struct resolver_module *module, const char *const *debug_dirs,
                                        struct buf *note)
{
        AUTO(resolver_file) file = mem_new(1, sizeof(*file));

        file->tab = symtab_new();
        file->own = open_own(module, note);
        if (file->own && !is_asked_for(file->own, module)) {
                buf_add_str(note, "build id differs");
                object_free(file->own);
                file->own = NULL;
        }
        if (file->own && !symtab_add_object(file->tab, file->own, OBJECT_SYMBOLS))
                symtab_add_object(file->tab, file->own, OBJECT_DYNAMIC_SYMBOLS);
        symtab_finish(file->tab);
        return TAKE(file);
}

void resolver_file_free(struct resolver_file *file)
{
        if (!file)
                return;
        symtab_free(file->tab);
        object_free(file->own);
        free(file);
}

bool resolver_file_to_addr(const struct resolver_file *file, uint64_t file_off, uint64_t *ret_addr)
{
        return file->own && object_to_addr(file->own, file_off, ret_addr);
}

enum symbol_status resolver_file_find(struct resolver_file *file, uint64_t addr, struct symtab_hit *ret_hit)
{
        return symtab_find(file->tab, addr, ret_hit) ? SYMBOL_NAMED : SYMBOL_NONE;
}

const struct object *resolver_file_object(const struct resolver_file *file)
{
        return file->own;
}
