/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the modules, chooses the source of each at its first lookup, and asks it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "elf_search.h"
#include "mem.h"
#include "recorded_symbols.h"
#include "resolver_internal.h"

static const char *const default_debug_dirs[] = {"/usr/lib/debug", NULL};

static const struct symbol_source symbol_source_none;

struct resolver *resolver_new(const struct resolver_options *options)
{
        struct resolver *resolver = mem_new(1, sizeof(*resolver));

        resolver->options = *options;
        if (!resolver->options.debug_dirs && options->sources && options->sources->elf)
                resolver->options.debug_dirs = options->sources->elf->debug_dirs;
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
                struct symbol_module *module = resolver->modules[i];

                if (module->source->close)
                        module->source->close(module);
                free(module->facts.sections);
                buf_release(&module->note);
                buf_release(&module->doubt);
                map_release(&module->frame_texts);
                budget_release(&module->budget);
                free(module);
        }
        free(resolver->modules);
        kallsyms_free(resolver->kallsyms);
        buf_release(&resolver->kallsyms_note);
        strpool_free(resolver->texts);
        free(resolver->names);
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
        struct symbol_module *module = mem_new(1, sizeof(*module));

        assert(described->path || described->image || described->archived ||
               described->kind == RESOLVER_KERNEL || described->kind == RESOLVER_NONE);
        assert(!described->build_id_size || described->build_id);
        module->is = *described;
        module->source = &symbol_source_none;
        module->is.path = keep_text(resolver, described->path ? described->path : "");
        module->is.open_path = keep_text(resolver, described->open_path);
        module->is.jitdump_path = keep_text(resolver, described->jitdump_path);
        module->is.jitdump_open_path = keep_text(resolver, described->jitdump_open_path);
        module->is.jit_note = keep_text(resolver, described->jit_note);
        if (described->build_id_size)
                module->is.build_id = (const uint8_t *)arena_copy(
                        &resolver->arena, (const char *)described->build_id, described->build_id_size);
        budget_init_file(&module->budget,
                         resolver->options.sources ? resolver->options.sources->budget : NULL,
                         module->is.path);
        module->is.budget = &module->budget;
        ARRAY_PUSH(resolver->modules, resolver->n_modules, resolver->cap_modules, module);
        return (resolver_id)resolver->n_modules - 1;
}

static struct symbol_module *find_module(const struct resolver *resolver, resolver_id id)
{
        assert(id < resolver->n_modules);
        return resolver->modules[id];
}

static const struct symbol_source *choose_source(struct resolver *resolver, struct symbol_module *module)
{
        if (module->is.archived && !resolver_file_replaces_kept(resolver, module))
                return &symbol_source_archive;
        switch (module->is.kind) {
        case RESOLVER_FILE: return &symbol_source_file;
        case RESOLVER_KERNEL: return &symbol_source_kernel;
        case RESOLVER_PERFMAP: return &symbol_source_perfmap;
        case RESOLVER_JITDUMP: return &symbol_source_jitdump;
        case RESOLVER_PYTHON: return &symbol_source_python;
        case RESOLVER_NONE: break;
        }
        return &symbol_source_none;
}

struct symbol_module *resolver_load(struct resolver *resolver, resolver_id id)
{
        struct symbol_module *module = find_module(resolver, id);
        const struct symbol_source *source;

        if (module->is_loaded)
                return module;
        module->is_loaded = true;
        source = choose_source(resolver, module);
        if (source->open && source->open(resolver, module))
                module->source = source;
        return module;
}

/* --- Names of functions --- */

/* The names that another recorder wrote into the session. */
static enum symbol_status find_recorded(struct symbol_module *module, uint64_t addr,
                                        struct symtab_hit *ret_hit, const char **ret_container)
{
        for (size_t i = 0; i < N_ELEMENTS(module->is.recorded) && module->is.recorded[i].file; i++) {
                const struct resolver_recorded *recorded = &module->is.recorded[i];
                /* The addresses of a file are already those of the recorded table. */
                uint64_t slide = module->source->to_addr ? 0 : recorded->slide;

                if (!recorded_file_find(recorded->file, addr + slide, ret_hit))
                        continue;
                ret_hit->start -= slide;
                ret_hit->end -= slide;
                return SYMBOL_NAMED;
        }
        return SYMBOL_NONE;
}

static const struct symbol_source recorded_names = {.find_hit = find_recorded, .has_mangled_names = true};

/* What the tables of a source have for an address. */
struct table_hit {
        const struct symbol_source *source;
        enum symbol_status status;
        struct symtab_hit hit;
        const char *container;
};

/* Always sets the range of addresses for which the result is the same. */
static void find_hit(struct symbol_module *module, uint64_t addr, struct table_hit *ret)
{
        struct table_hit recorded = {.source = &recorded_names};

        *ret = (struct table_hit){.source = module->source, .status = SYMBOL_NONE};
        ret->hit.same_from = ret->hit.same_to = addr;
        if (module->source->find_hit)
                ret->status = module->source->find_hit(module, addr, &ret->hit, &ret->container);
        if (ret->status == SYMBOL_NAMED || !module->is.recorded[0].file)
                return;
        recorded.status = find_recorded(module, addr, &recorded.hit, &recorded.container);
        if (recorded.status == SYMBOL_NAMED)
                *ret = recorded;
        /* Several tables were used, so the result is valid for this address only. */
        ret->hit.same_from = ret->hit.same_to = addr;
}

static struct symbol symbol_of_hit(struct resolver *resolver, struct symbol_module *module, uint64_t addr,
                                   const struct table_hit *found)
{
        struct symbol symbol = {.status = found->status, .addr = addr};

        if (found->status == SYMBOL_NONE)
                return symbol;
        symbol.start = found->hit.start;
        symbol.size = found->hit.end - found->hit.start;
        if (found->status == SYMBOL_NAMED)
                symbol.name = resolver_function_id(
                        resolver, resolver_hit_text(resolver, module, found->source, &found->hit));
        if (!symbol.name && budget_is_short(&module->budget))
                symbol.status = SYMBOL_RANGE;
        if (found->container)
                symbol.module = strpool_add(resolver->texts, found->container);
        return symbol;
}

bool resolver_to_addr(struct resolver *resolver, resolver_id id, uint64_t offset, uint64_t *ret_addr)
{
        const struct symbol_module *module = resolver_load(resolver, id);

        if (module->source->to_addr)
                return module->source->to_addr(module, offset, ret_addr);
        *ret_addr = offset;
        return true;
}

struct symbol resolver_find(struct resolver *resolver, resolver_id id, uint64_t offset)
{
        uint64_t addr;

        if (!resolver_to_addr(resolver, id, offset, &addr))
                return (struct symbol){.status = SYMBOL_NONE, .addr = offset};
        return resolver_find_addr(resolver, id, addr);
}

struct symbol resolver_find_in(struct resolver *resolver, struct symbol_module *module, uint64_t addr)
{
        struct table_hit found;

        if (module->source->find)
                return module->source->find(resolver, module, addr);
        if (addr >= module->last_from && addr < module->last_to) {
                module->last.addr = addr;
                return module->last;
        }
        find_hit(module, addr, &found);
        module->last = symbol_of_hit(resolver, module, addr, &found);
        module->last_from = found.hit.same_from;
        module->last_to = found.hit.same_to;
        return module->last;
}

struct symbol resolver_find_addr(struct resolver *resolver, resolver_id id, uint64_t addr)
{
        return resolver_find_in(resolver, resolver_load(resolver, id), addr);
}

const char *resolver_note(const struct resolver *resolver, resolver_id id)
{
        const struct symbol_module *module = find_module(resolver, id);

        return module->note.len ? buf_text(&module->note) : NULL;
}
