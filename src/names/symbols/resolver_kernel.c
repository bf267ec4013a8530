/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of names of the kernel and its modules: kallsyms; for lines and code, its vmlinux. */
#include "resolver_kernel.h"

#include <string.h>

#include "buf.h"
#include "object.h"
#include "os.h"
#include "os_paths.h"
#include "resolver_internal.h"
#include "text.h"

enum { MAX_NOTES_BYTES = 64 * 1024 };

bool resolver_kernel_module_name(const char *path, struct buf *out)
{
        const char *name = text_base_name(path);

        if (text_starts(name, "[kernel") || text_starts(name, "[guest.kernel") ||
            text_starts(name, "vmlinu") || !name[0])
                return false;
        for (name += name[0] == '['; *name && *name != '.' && *name != ']'; name++)
                buf_add_char(out, *name == '-' ? '_' : *name);
        return out->len > 0;
}

bool resolver_kernel_is_running(const struct resolver_module *module)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) notes = {0};
        uint8_t build_id[OBJECT_BUILD_ID_BYTES];
        size_t size;

        if (!module->build_id_size)
                return true;
        os_sysfs_notes(resolver_kernel_module_name(module->path, &name) ? buf_text(&name) : NULL, &path);
        if (!os_read_file(buf_text(&path), MAX_NOTES_BYTES, &notes, NULL))
                return true;
        size = object_find_build_id(notes.data, notes.len, build_id);
        return !size || object_build_id_equal(build_id, size, module->build_id, module->build_id_size);
}

/* --- The source --- */

static bool open_kernel(struct resolver *resolver, struct symbol_module *module)
{
        const char *path = resolver->options.kallsyms_path;
        const struct answers_cache_options *cache =
                resolver->options.sources ? resolver->options.sources->index : NULL;

        if (!path && !resolver_kernel_is_running(&module->is)) {
                buf_add_str(&module->note, "its build id is not that of the running kernel");
                return false;
        }
        if (!resolver->kallsyms)
                resolver->kallsyms =
                        path ? kallsyms_new(path, &resolver->kallsyms_note)
                             : kallsyms_new_kept(os_proc_kallsyms(), cache, &resolver->kallsyms_note);
        module->kallsyms = resolver->kallsyms;
        buf_add_str(&module->note, buf_text(&resolver->kallsyms_note));
        return module->kallsyms;
}

static void close_kernel(struct symbol_module *module)
{
        resolver_vmlinux_free(module->vmlinux);
}

static enum symbol_status find_hit(struct symbol_module *module, uint64_t addr, struct symtab_hit *ret_hit,
                                   const char **ret_container)
{
        if (!kallsyms_find(module->kallsyms, addr, ret_hit))
                return SYMBOL_NONE;
        *ret_container = kallsyms_module(module->kallsyms, ret_hit);
        return SYMBOL_NAMED;
}

static struct resolver_image_file get_image(struct resolver *resolver, struct symbol_module *module,
                                            uint64_t addr)
{
        if (!module->vmlinux)
                module->vmlinux = resolver_vmlinux_new(&module->is, &resolver->options, &module->note);
        if (!resolver_vmlinux_place(module->vmlinux, module->kallsyms, addr))
                return (struct resolver_image_file){0};
        return (struct resolver_image_file){resolver_vmlinux_object(module->vmlinux),
                                            resolver_vmlinux_debug(module->vmlinux),
                                            resolver_vmlinux_slide(module->vmlinux)};
}

static bool read_code(struct resolver *resolver, struct symbol_module *module, uint64_t addr, uint64_t size,
                      const uint8_t **ret_code)
{
        struct resolver_image_file image = get_image(resolver, module, addr);
        struct cursor code;

        if (!image.object || !object_read_addr(image.object, addr - image.slide, size, &code))
                return false;
        *ret_code = code.at;
        return true;
}

static enum object_machine get_machine(const struct symbol_module *module, uint64_t addr)
{
        const struct object *object = module->vmlinux ? resolver_vmlinux_object(module->vmlinux) : NULL;

        return object ? object_get_facts(object)->machine : OBJECT_MACHINE_OTHER;
}

static bool check(const struct symbol_module *module, struct err *err)
{
        return !module->vmlinux || resolver_vmlinux_check(module->vmlinux, err);
}

const struct symbol_source symbol_source_kernel = {
        .open = open_kernel,
        .close = close_kernel,
        .find_hit = find_hit,
        .get_image = get_image,
        .read_code = read_code,
        .get_machine = get_machine,
        .check = check,
};
