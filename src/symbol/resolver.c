/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the modules, opens each at its first lookup, and gives names out as interned text.  Where the names
 * come from is the matter of resolver_file, kallsyms and perfmap. */
#include "resolver.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "resolver_file.h"
#include "symtab.h"

struct module {
        struct resolver_module is; /* with strings and build id of its own */
        bool is_loaded;
        struct resolver_file *file;
        struct buf note;
        /* The last answer, and the addresses for which it is the answer. */
        struct symbol last;
        uint64_t last_from, last_to;
};

struct resolver {
        struct resolver_options options;
        struct strpool *texts;
        struct arena arena;
        struct module **modules;
        size_t n_modules, cap_modules;
        struct buf scratch;
};

static const char *const default_debug_dirs[] = {"/usr/lib/debug", NULL};

struct resolver *resolver_new(const struct resolver_options *options)
{
        struct resolver *resolver = mem_new(1, sizeof(*resolver));

        resolver->options = *options;
        if (!resolver->options.debug_dirs)
                resolver->options.debug_dirs = default_debug_dirs;
        resolver->texts = strpool_new();
        return resolver;
}

void resolver_free(struct resolver *resolver)
{
        if (!resolver)
                return;
        for (size_t i = 0; i < resolver->n_modules; i++) {
                resolver_file_free(resolver->modules[i]->file);
                buf_release(&resolver->modules[i]->note);
                free(resolver->modules[i]);
        }
        free(resolver->modules);
        strpool_free(resolver->texts);
        arena_release(&resolver->arena);
        buf_release(&resolver->scratch);
        free(resolver);
}

static const char *keep_text(struct resolver *resolver, const char *text)
{
        return text ? arena_copy(&resolver->arena, text, strlen(text)) : NULL;
}

resolver_id resolver_add_module(struct resolver *resolver, const struct resolver_module *described)
{
        struct module *module = mem_new(1, sizeof(*module));

        module->is = *described;
        module->is.path = keep_text(resolver, described->path ? described->path : "");
        module->is.open_path = keep_text(resolver, described->open_path);
        if (described->build_id_size)
                module->is.build_id = (const uint8_t *)arena_copy(
                        &resolver->arena, (const char *)described->build_id, described->build_id_size);
        ARRAY_PUSH(resolver->modules, resolver->n_modules, resolver->cap_modules, module);
        return (resolver_id)resolver->n_modules - 1;
}

static struct module *load(struct resolver *resolver, resolver_id id)
{
        struct module *module = resolver->modules[id];

        if (module->is_loaded)
                return module;
        module->is_loaded = true;
        if (module->is.kind == RESOLVER_FILE)
                module->file = resolver_file_new(&module->is, resolver->options.debug_dirs, &module->note);
        return module;
}

/* --- Lookup --- */

static str_id text_of_hit(struct resolver *resolver, const struct symtab_hit *hit)
{
        struct buf *text = &resolver->scratch;

        if (*hit->text)
                return *hit->text;
        buf_clear(text);
        buf_add(text, hit->name, strnlen(hit->name, hit->name_max));
        if (hit->is_plt_stub)
                buf_add_str(text, "@plt");
        *hit->text = strpool_add_len(resolver->texts, buf_text(text), text->len);
        return *hit->text;
}

static struct symbol remember(struct module *module, const struct symbol *symbol,
                              const struct symtab_hit *hit)
{
        module->last = *symbol;
        module->last_from = hit->same_from;
        module->last_to = hit->same_to;
        return *symbol;
}

static bool was_last(const struct module *module, uint64_t addr)
{
        return addr >= module->last_from && addr < module->last_to;
}

static struct symbol find_in_file(struct resolver *resolver, struct module *module, uint64_t file_off)
{
        struct symbol symbol = {.status = SYMBOL_NONE, .addr = file_off};
        struct symtab_hit hit;

        if (!resolver_file_to_addr(module->file, file_off, &symbol.addr))
                return symbol;
        if (was_last(module, symbol.addr)) {
                module->last.addr = symbol.addr;
                return module->last;
        }
        symbol.status = resolver_file_find(module->file, symbol.addr, &hit);
        if (symbol.status == SYMBOL_NONE)
                return symbol;
        symbol.start = hit.start;
        symbol.size = hit.end - hit.start;
        if (symbol.status == SYMBOL_NAMED)
                symbol.name = text_of_hit(resolver, &hit);
        return remember(module, &symbol, &hit);
}

struct symbol resolver_find(struct resolver *resolver, resolver_id id, uint64_t addr)
{
        struct module *module = load(resolver, id);

        if (module->is.kind == RESOLVER_FILE)
                return find_in_file(resolver, module, addr);
        return (struct symbol){.status = SYMBOL_NONE, .addr = addr};
}

const char *resolver_text(const struct resolver *resolver, str_id id)
{
        return strpool_get(resolver->texts, id);
}

const char *resolver_note(const struct resolver *resolver, resolver_id id)
{
        const struct module *module = resolver->modules[id];

        return module->note.len ? buf_text(&module->note) : NULL;
}

bool resolver_get_image(struct resolver *resolver, resolver_id id, struct resolver_image *ret)
{
        const struct module *module = load(resolver, id);
        const struct object *object = module->file ? resolver_file_object(module->file) : NULL;
        const struct object_facts *facts;

        if (!object)
                return false;
        facts = object_get_facts(object);
        *ret = (struct resolver_image){
                .entry = facts->entry, .load_addr = facts->load_addr, .is_executable = facts->is_executable};
        ret->build_id_size =
                facts->build_id_size < sizeof(ret->build_id) ? facts->build_id_size : sizeof(ret->build_id);
        memcpy(ret->build_id, facts->build_id, ret->build_id_size);
        return true;
}
