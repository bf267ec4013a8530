/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolver_code.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "resolver_internal.h"

size_t resolver_find_labels(struct resolver *resolver, resolver_id id, uint64_t addr,
                            struct resolver_label **ret_labels)
{
        struct symbol_module *module = resolver_load(resolver, id);
        struct resolver_image_file image = resolver_get_image_file(resolver, module, addr);
        struct source_label *found = NULL;
        size_t n;

        if (module->source->find_labels)
                n = module->source->find_labels(module, addr, &found);
        else
                n = image.debug ? resolver_debug_labels(image.debug, addr - image.slide, &found) : 0;
        *ret_labels = mem_new(n, sizeof(**ret_labels));
        for (size_t i = 0; i < n; i++)
                (*ret_labels)[i] = (struct resolver_label){
                        .name = resolver_frame_text(resolver, module, BUDGET_LINES, found[i].name, false),
                        .path = resolver_frame_text(resolver, module, BUDGET_LINES, found[i].path, false),
                        .line = found[i].line,
                        .addr = found[i].has_addr ? found[i].addr + image.slide : 0,
                        .has_addr = found[i].has_addr,
                };
        free(found);
        return n;
}

size_t resolver_find_extents(struct resolver *resolver, resolver_id id, uint64_t addr,
                             struct resolver_extent **ret_extents)
{
        struct symbol_module *module = resolver_load(resolver, id);
        struct resolver_image_file image = resolver_get_image_file(resolver, module, addr);
        struct source_extent *found = NULL;
        struct symbol symbol;
        size_t n;

        if (module->source->find_extents)
                n = module->source->find_extents(module, addr, &found);
        else
                n = image.debug ? resolver_debug_extents(image.debug, addr - image.slide, &found) : 0;
        *ret_extents = mem_new(n ? n : 1, sizeof(**ret_extents));
        for (size_t i = 0; i < n; i++)
                (*ret_extents)[i] =
                        (struct resolver_extent){found[i].start + image.slide, found[i].end + image.slide};
        free(found);
        if (n || module->source->find_extents)
                return n;
        symbol = resolver_find_in(resolver, module, addr);
        if (symbol.status == SYMBOL_NONE || !symbol.size)
                return 0;
        (*ret_extents)[0] = (struct resolver_extent){symbol.start, symbol.start + symbol.size};
        return 1;
}

bool resolver_read_code(struct resolver *resolver, resolver_id id, uint64_t addr, uint64_t size,
                        const uint8_t **ret_code)
{
        struct symbol_module *module = resolver_load(resolver, id);

        return module->source->read_code && module->source->read_code(resolver, module, addr, size, ret_code);
}

/* For the module's own file.  The text of instructions contains absolute addresses, so nothing is cached
 * for a kernel, whose address changes with each boot. */
static struct answers_cache *insns_cache(struct resolver *resolver, resolver_id id, uint64_t dialect,
                                         uint64_t addr)
{
        struct symbol_module *module = resolver_load(resolver, id);
        struct resolver_debug *debug =
                module->file ? resolver_get_image_file(resolver, module, addr).debug : NULL;

        return debug ? resolver_debug_insns(debug, dialect) : NULL;
}

size_t resolver_recall_insns(struct resolver *resolver, resolver_id id, uint64_t dialect, uint64_t addr,
                             const uint8_t *code, size_t size, struct resolver_insn **ret_insns)
{
        struct answers_cache *cache = insns_cache(resolver, id, dialect, addr);
        struct answer_found found = {0};
        struct resolver_insn *insns;
        size_t n = 0, at = 0;

        if (cache)
                answers_cache_find(cache, addr, &found);
        *ret_insns = insns = mem_new(found.list.n, sizeof(*insns));
        for (; n < found.list.n; n++) {
                const struct answer_insn *insn = answer_found_get(&found, n);

                if (insn->size_bytes > size - at || memcmp(code + at, insn->code, insn->size_bytes) != 0)
                        break;
                insns[n] = (struct resolver_insn){answers_text(found.store, insn->text), insn->size_bytes};
                at += insn->size_bytes;
        }
        return n == found.list.n && at == size ? n : 0;
}

void resolver_keep_insns(struct resolver *resolver, resolver_id id, uint64_t dialect, uint64_t addr,
                         const uint8_t *code, const struct resolver_insn *insns, size_t n)
{
        struct answers_cache *cache = insns_cache(resolver, id, dialect, addr);
        struct answer_insn *items = mem_new(n, sizeof(*items));

        for (size_t i = 0; cache && i < n; i++) {
                size_t n_kept = insns[i].size_bytes <= ANSWERS_MAX_INSN_BYTES ? insns[i].size_bytes : 0;

                items[i] = (struct answer_insn){
                        .text = answers_cache_text(cache, insns[i].text),
                        .size_bytes = (uint32_t)insns[i].size_bytes,
                };
                memcpy(items[i].code, code, n_kept); /* longer instructions were refused */
                code += insns[i].size_bytes;
        }
        if (cache)
                answers_cache_add(cache, addr, items, n);
        free(items);
}

enum object_machine resolver_get_machine(struct resolver *resolver, resolver_id id, uint64_t addr)
{
        const struct symbol_module *module = resolver_load(resolver, id);

        return module->source->get_machine ? module->source->get_machine(module, addr) : OBJECT_MACHINE_OTHER;
}

/* --- Data --- */

bool resolver_find_variable_at(struct resolver *resolver, resolver_id id, uint64_t addr,
                               struct resolver_variable *ret)
{
        struct symbol_module *module = resolver_load(resolver, id);
        struct symtab_hit hit;

        if (!module->file || !resolver_file_find_data(module->file, addr, &hit))
                return false;
        *ret = (struct resolver_variable){
                .name = resolver_hit_text(resolver, module, module->source, &hit),
                .start = hit.start,
                .size_bytes = hit.end - hit.start,
                .addr = addr,
                .size_is_guessed = hit.end_is_guessed,
        };
        return ret->name;
}

bool resolver_find_variable(struct resolver *resolver, resolver_id id, uint64_t offset,
                            struct resolver_variable *ret)
{
        struct symbol_module *module = resolver_load(resolver, id);
        uint64_t addr;

        return module->file && resolver_file_data_addr(module->file, offset, &addr) &&
               resolver_find_variable_at(resolver, id, addr, ret);
}
