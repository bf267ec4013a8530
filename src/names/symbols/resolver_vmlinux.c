/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's file is recognised by its build id, not by its name. */
#include "resolver_vmlinux.h"

#include <stdlib.h>
#include <string.h>

#include "debug_search.h"
#include "mem.h"
#include "os.h"
#include "resolver_kernel.h"

enum {
        KERNEL_ALIGN_BYTES = 4096, /* granularity of the kernel's slide; for most kernels it is 2 MiB */
        MAX_PLACINGS = 16, /* maximum number of functions that are searched in all symbols of the file */
};

struct resolver_vmlinux {
        struct object *object;        /* NULL: there is none */
        struct resolver_debug *debug; /* debug information of `object` */
        bool is_placed;
        unsigned n_placings;
        uint64_t tried; /* start of the function that was searched last */
        uint64_t slide;
};

/* --- The file --- */

/* The object at the path, if it is this kernel. */
static struct object *try_path(const char *path, const struct resolver_module *kernel)
{
        AUTO(object) object = object_open(path, NULL);
        const struct object_facts *facts = object ? object_get_facts(object) : NULL;

        if (!facts || !object_build_id_equal(facts->build_id, facts->build_id_size, kernel->build_id,
                                             kernel->build_id_size))
                return NULL;
        object_set_budget(object, kernel->budget);
        return TAKE(object);
}

static struct object *search_by_release(const struct resolver_module *kernel, const char *const *dirs,
                                        const char *release)
{
        AUTO_RELEASE(buf) path = {0};
        struct object *found = NULL;

        for (; *dirs && !found; dirs++) {
                buf_clear(&path);
                buf_printf(&path, "%s/boot/vmlinux-%s", *dirs, release);
                found = try_path(buf_text(&path), kernel);
                if (found)
                        break;
                buf_clear(&path);
                buf_printf(&path, "%s/lib/modules/%s/vmlinux", *dirs, release);
                found = try_path(buf_text(&path), kernel);
        }
        if (found)
                return found;
        buf_clear(&path);
        buf_printf(&path, "/boot/vmlinux-%s", release);
        return try_path(buf_text(&path), kernel);
}

static void begin_sentence(struct buf *note)
{
        if (note->len)
                buf_add_str(note, "; ");
}

static struct object *search(const struct resolver_module *kernel, const struct debug_wanted *wanted,
                             struct buf *note)
{
        struct os_machine machine;
        struct object *found;

        os_machine_get(&machine);
        found = debug_search(wanted, note);
        if (!found)
                found = search_by_release(kernel, wanted->dirs, machine.os_release);
        if (found)
                return found;
        begin_sentence(note);
        buf_printf(note,
                   "lines and code of the kernel need its vmlinux with debug information, and wperf "
                   "found no %s/boot/vmlinux-%s with its build id",
                   wanted->dirs[0] ? wanted->dirs[0] : "", machine.os_release);
        return NULL;
}

struct resolver_vmlinux *resolver_vmlinux_new(const struct resolver_module *kernel,
                                              const struct resolver_options *options, struct buf *note)
{
        struct resolver_vmlinux *vmlinux = mem_new(1, sizeof(*vmlinux));
        struct debug_wanted wanted = {.build_id = kernel->build_id,
                                      .build_id_size = kernel->build_id_size,
                                      .path = "vmlinux",
                                      .budget = kernel->budget,
                                      .dirs = options->debug_dirs,
                                      .remote = options->sources ? options->sources->remote : NULL};
        AUTO_RELEASE(buf) name = {0};

        if (resolver_kernel_module_name(kernel->path, &name)) {
                begin_sentence(note);
                buf_add_str(note, "wperf does not read lines and code of kernel modules");
                return vmlinux;
        }
        if (!kernel->build_id_size) {
                begin_sentence(note);
                buf_add_str(
                        note,
                        "lines and code of the kernel need its build id, which the session does not have");
                return vmlinux;
        }
        vmlinux->object = search(kernel, &wanted, note);
        if (!vmlinux->object)
                return vmlinux;
        wanted.own = vmlinux->object;
        wanted.path = object_name(vmlinux->object);
        vmlinux->debug = resolver_debug_new(&wanted, &(struct resolver_known){0}, options->sources, note);
        return vmlinux;
}

void resolver_vmlinux_free(struct resolver_vmlinux *vmlinux)
{
        if (!vmlinux)
                return;
        resolver_debug_free(vmlinux->debug);
        object_free(vmlinux->object);
        free(vmlinux);
}

/* --- The slide --- */

/* The address of the only function with this name; false if there is none, or several. */
static bool find_function(struct object *object, const char *name, size_t len, uint64_t *ret_addr)
{
        struct object_symbols symbols;
        struct object_symbol symbol;
        bool any = false;

        if (!object_symbols_begin(object, OBJECT_SYMBOLS, &symbols) || !symbols.names_size)
                return false;
        while (object_symbols_next(&symbols, &symbol)) {
                const char *text = object_symbols_name(&symbols, &symbol);

                if (!symbol.is_defined || symbol.kind != OBJECT_SYMBOL_FUNCTION ||
                    strncmp(text, name, len) != 0 || text[len])
                        continue;
                if (any && symbol.addr != *ret_addr)
                        return false;
                any = true;
                *ret_addr = symbol.addr;
        }
        return any;
}

bool resolver_vmlinux_place(struct resolver_vmlinux *vmlinux, struct kallsyms *kallsyms, uint64_t addr)
{
        struct symtab_hit hit;
        uint64_t linked;

        if (!vmlinux->object || vmlinux->is_placed)
                return vmlinux->is_placed;
        if (vmlinux->n_placings == MAX_PLACINGS || !kallsyms_find(kallsyms, addr, &hit) ||
            *kallsyms_module(kallsyms, &hit) || (vmlinux->n_placings && hit.start == vmlinux->tried))
                return false;
        vmlinux->n_placings++;
        vmlinux->tried = hit.start;
        if (!find_function(vmlinux->object, hit.name, strnlen(hit.name, hit.name_max), &linked) ||
            (hit.start - linked) % KERNEL_ALIGN_BYTES)
                return false;
        vmlinux->slide = hit.start - linked;
        vmlinux->is_placed = true;
        return true;
}

uint64_t resolver_vmlinux_slide(const struct resolver_vmlinux *vmlinux)
{
        return vmlinux->slide;
}

const struct object *resolver_vmlinux_object(const struct resolver_vmlinux *vmlinux)
{
        return vmlinux->object;
}

struct resolver_debug *resolver_vmlinux_debug(struct resolver_vmlinux *vmlinux)
{
        return vmlinux->debug;
}

bool resolver_vmlinux_check(const struct resolver_vmlinux *vmlinux, struct err *err)
{
        return (!vmlinux->object || object_check(vmlinux->object, err)) &&
               (!vmlinux->debug || resolver_debug_check(vmlinux->debug, err));
}
