/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers from an archive: what was asked when it was packed, and nothing else.  Names become readable here, as the options
 * of whoever asks now want them. */
#include "resolver_archive.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "symbol_archive_internal.h"

void resolver_archive_begin(struct symbol_module *module)
{
        const struct archive_facts *facts = symbol_archive_facts(module->is.archived);

        if (facts->name_note)
                buf_add_str(&module->note, facts->name_note);
}

/* The note has more to say once lines are asked for, as it had when they were looked up. */
static void note_lines(struct symbol_module *module)
{
        const struct archive_facts *facts = symbol_archive_facts(module->is.archived);

        buf_clear(&module->note);
        if (facts->line_note)
                buf_add_str(&module->note, facts->line_note);
}

static str_id get_text(struct resolver *resolver, struct symbol_module *module, answer_text number,
                       bool is_name)
{
        const struct archived_module *m = module->is.archived;
        const char *text = answers_text(answers_store_module(m->answers), number);
        AUTO_RELEASE(buf) whole = {0};
        uint64_t *known;
        str_id id = 0;
        bool ok;

        if (!text)
                return 0;
        known = map_put(&module->frame_texts, (uint64_t)number << 1 | is_name, NULL);
        if (*known)
                return (str_id)*known;
        buf_add_str(&whole, text);
        ok = is_name ? resolver_keep_name(resolver, module, BUDGET_NAMES, &whole, m->facts.has_readable_names,
                                          &id)
                     : resolver_keep_text(resolver, module, BUDGET_NAMES, &whole, &id);
        if (ok)
                *known = id;
        return ok ? id : 0;
}

bool resolver_archive_to_addr(const struct symbol_module *module, uint64_t offset, uint64_t *ret_addr)
{
        const struct module_answers *m = module->is.archived->answers;
        const struct answer_offset *found;
        size_t low = 0, high = answers_n_items(m, ANSWER_OFFSETS);

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                found = answers_get_item(m, ANSWER_OFFSETS, middle);
                if (found->first <= offset)
                        low = middle + 1;
                else
                        high = middle;
        }
        if (!low)
                return false;
        found = answers_get_item(m, ANSWER_OFFSETS, low - 1);
        if (offset - found->first > found->more)
                return false;
        *ret_addr = offset + found->distance;
        return true;
}

struct symbol resolver_archive_find(struct resolver *resolver, struct symbol_module *module, uint64_t addr)
{
        const struct answer_symbol *symbol;
        struct answer_found found;

        if (!answers_find(module->is.archived->answers, ANSWER_SYMBOLS, addr, &found) || !found.list.n)
                return (struct symbol){.status = SYMBOL_NONE, .addr = addr};
        symbol = answer_found_get(&found, 0);
        return (struct symbol){
                .status = symbol->status,
                .name = resolver_function_id(resolver, get_text(resolver, module, symbol->name, true)),
                .module = get_text(resolver, module, symbol->module, false),
                .start = symbol->start,
                .size = symbol->size,
                .addr = addr,
        };
}

void resolver_archive_find_frames(struct resolver *resolver, struct symbol_module *module,
                                  const uint64_t *addrs, size_t n, struct resolver_frames *ret)
{
        note_lines(module);
        *ret = (struct resolver_frames){.spans = mem_new(n, sizeof(*ret->spans))};
        for (size_t i = 0; i < n; i++) {
                struct answer_found found;

                if (!answers_find(module->is.archived->answers, ANSWER_FRAMES, addrs[i], &found))
                        continue;
                ret->spans[i].first = ret->n_frames;
                ret->spans[i].n = found.list.n;
                for (uint32_t k = 0; k < found.list.n; k++) {
                        const struct answer_frame *f = answer_found_get(&found, k);

                        ARRAY_PUSH(ret->frames, ret->n_frames, ret->cap_frames,
                                   (struct resolver_frame){
                                           .function = resolver_function_id(
                                                   resolver, get_text(resolver, module, f->function, true)),
                                           .path = get_text(resolver, module, f->path, false),
                                           .line = f->line,
                                           .column = f->column,
                                           .is_inlined = f->flags & ANSWER_IS_INLINED,
                                           .start = f->start,
                                   });
                }
        }
}

/* Of the function that an address was sampled in, or that begins there; returns how many. */
static size_t find_of_function(struct symbol_module *module, enum answer_kind kind, uint64_t addr,
                               struct answer_found *ret_found)
{
        note_lines(module);
        return answers_find(module->is.archived->answers, kind, addr, ret_found) ? ret_found->list.n : 0;
}

size_t resolver_archive_find_labels(struct resolver *resolver, struct symbol_module *module, uint64_t addr,
                                    struct resolver_label **ret_labels)
{
        struct answer_found found;
        size_t n = find_of_function(module, ANSWER_LABELS, addr, &found);

        *ret_labels = mem_new(n, sizeof(**ret_labels));
        for (size_t i = 0; i < n; i++) {
                const struct answer_label *label = answer_found_get(&found, i);

                (*ret_labels)[i] = (struct resolver_label){
                        .name = get_text(resolver, module, label->name, false),
                        .path = get_text(resolver, module, label->path, false),
                        .line = label->line,
                        .addr = label->addr,
                        .has_addr = label->has_addr,
                };
        }
        return n;
}

size_t resolver_archive_find_extents(struct symbol_module *module, uint64_t addr,
                                     struct resolver_extent **ret_extents)
{
        struct answer_found found;
        size_t n = find_of_function(module, ANSWER_EXTENTS, addr, &found);

        *ret_extents = mem_new(n, sizeof(**ret_extents));
        for (size_t i = 0; i < n; i++) {
                const struct answer_extent *extent = answer_found_get(&found, i);

                (*ret_extents)[i] = (struct resolver_extent){extent->start, extent->start + extent->size};
        }
        return n;
}

bool resolver_archive_read_code(const struct symbol_module *module, uint64_t addr, uint64_t size,
                                const uint8_t **ret_code)
{
        const struct module_answers *m = module->is.archived->answers;

        for (size_t i = 0; i < answers_n_items(m, ANSWER_CODE); i++) {
                const struct answer_code *code = answers_get_item(m, ANSWER_CODE, i);

                if (addr < code->addr || addr - code->addr > code->bytes.size ||
                    size > code->bytes.size - (addr - code->addr))
                        continue;
                *ret_code = code->bytes.at + (addr - code->addr);
                return true;
        }
        return false;
}

bool resolver_archive_get_image(const struct symbol_module *module, struct resolver_image *ret)
{
        const struct archive_facts *facts = symbol_archive_facts(module->is.archived);

        if (facts->has_image)
                *ret = facts->image;
        return facts->has_image;
}

size_t resolver_archive_n_sections(const struct symbol_module *module)
{
        return answers_n_items(module->is.archived->answers, ANSWER_SECTIONS);
}

struct resolver_section resolver_archive_get_section(const struct symbol_module *module, size_t index)
{
        const struct module_answers *m = module->is.archived->answers;
        const struct answer_section *section;

        if (index >= answers_n_items(m, ANSWER_SECTIONS))
                return (struct resolver_section){.name = ""};
        section = answers_get_item(m, ANSWER_SECTIONS, index);
        return (struct resolver_section){
                section->name ? answers_text(answers_store_module(m), section->name) : "",
                section->addr,
                section->size,
        };
}
