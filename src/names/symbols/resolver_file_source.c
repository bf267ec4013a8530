/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of names of a module with an object file, or a PDB without an image. */
#include <string.h>

#include "mem.h"
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
        return true;
}

static void take_image(const struct object *object, struct resolver_image *ret)
{
        const struct object_facts *facts = object_get_facts(object);

        *ret = (struct resolver_image){
                .entry = facts->entry,
                .load_addr = facts->load_addr,
                .size_bytes = facts->image_size,
                .is_executable = facts->is_executable,
        };
        ret->build_id_size =
                facts->build_id_size < sizeof(ret->build_id) ? facts->build_id_size : sizeof(ret->build_id);
        memcpy(ret->build_id, facts->build_id, ret->build_id_size);
}

static void take_sections(const struct object *object, struct resolver_facts *ret)
{
        size_t n = object_n_sections(object);

        ret->sections = mem_new(n, sizeof(*ret->sections));
        for (size_t i = 0; i < n; i++) {
                const struct object_section *section = object_get_section(object, i);

                if (section->flags & OBJECT_SECTION_LOADED)
                        ret->sections[ret->n_sections++] =
                                (struct resolver_section){section->name, section->addr, section->size_bytes};
        }
}

static void set_facts(const struct symbol_module *module, struct resolver_facts *ret)
{
        struct object *object = ret->object = resolver_file_object(module->file);

        ret->has_file = object || resolver_file_has_pdb(module->file);
        ret->has_all_names = resolver_file_has_all_names(module->file);
        if (ret->has_file && (module->is.build_id_size || resolver_file_is_image(module->file, &module->is)))
                ret->source_rule = RESOLVER_SOURCE_PROVEN;
        if (!object)
                return;
        ret->file_bytes = object_file_bytes(object);
        ret->has_image = true;
        take_image(object, &ret->image);
        take_sections(object, ret);
}

static bool open_file(struct resolver *resolver, struct symbol_module *module)
{
        if (!module->file)
                module->file = resolver_file_new(&module->is, &resolver->options, &module->note);
        set_facts(module, &module->facts);
        return true;
}

static void close_file(struct symbol_module *module)
{
        resolver_file_free(module->file);
}

static bool to_addr(const struct symbol_module *module, uint64_t offset, uint64_t *ret_addr)
{
        if (module->is.recorded[0].file && !resolver_file_object(module->file)) {
                *ret_addr = offset + module->is.recorded[0].slide;
                return true;
        }
        return resolver_file_to_addr(module->file, offset, ret_addr);
}

static enum symbol_status find_hit(struct symbol_module *module, uint64_t addr, struct symtab_hit *ret_hit,
                                   const char **ret_container)
{
        return resolver_file_find(module->file, addr, ret_hit);
}

static void add_name(const struct symbol_module *module, const struct symtab_hit *hit, struct buf *out)
{
        resolver_file_add_name(module->file, hit, out);
}

static struct resolver_image_file get_image(struct resolver *resolver, struct symbol_module *module,
                                            uint64_t addr)
{
        return (struct resolver_image_file){
                .object = resolver_file_object(module->file),
                .debug = resolver_file_debug(module->file, &module->is, &module->note)};
}

static bool read_code(struct resolver *resolver, struct symbol_module *module, uint64_t addr, uint64_t size,
                      const uint8_t **ret_code)
{
        const struct object *object = resolver_file_object(module->file);
        struct cursor code;

        if (!object || !object_read_addr(object, addr, size, &code))
                return false;
        *ret_code = code.at;
        return true;
}

static enum object_machine get_machine(const struct symbol_module *module, uint64_t addr)
{
        return resolver_file_machine(module->file, addr);
}

static bool check(const struct symbol_module *module, struct err *err)
{
        return resolver_file_check(module->file, err);
}

const struct symbol_source symbol_source_file = {
        .open = open_file,
        .close = close_file,
        .to_addr = to_addr,
        .find_hit = find_hit,
        .add_name = add_name,
        .has_mangled_names = true,
        .get_image = get_image,
        .read_code = read_code,
        .get_machine = get_machine,
        .check = check,
};
