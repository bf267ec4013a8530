/* SPDX-License-Identifier: BSD-3-Clause */
/* Returns answers from an archive, which has only the lookups that were made when it was packed.  Names are
 * made readable here, by the current options. */
#include <stdlib.h>
#include <string.h>

#include "answers_cache.h"
#include "buf.h"
#include "mem.h"
#include "resolver_internal.h"
#include "search.h"
#include "symbol_archive.h"
#include "text.h"

enum { MAX_STEPS = 1 << 22 };

/* --- Facts --- */

static struct resolver_section *list_sections(const struct module_answers *m, size_t n)
{
        struct resolver_section *sections = mem_new(n, sizeof(*sections));

        for (size_t i = 0; i < n; i++) {
                const struct answer_section *section = answers_get_item(m, ANSWER_SECTIONS, i);

                sections[i] = (struct resolver_section){
                        section->name ? answers_text(answers_store_module(m), section->name) : "",
                        section->addr,
                        section->size,
                };
        }
        return sections;
}

static bool is_data(const struct resolver_section *section)
{
        return text_starts(section->name, ".rodata") || text_starts(section->name, ".rdata") ||
               text_starts(section->name, ".data");
}

/* Whether some of the packed code is data.  A hostile archive costs no time: what is behind the limit is not
 * looked at. */
static bool has_data(const struct module_answers *m, const struct resolver_facts *facts)
{
        size_t n_steps = 0;

        for (size_t i = 0; i < answers_n_items(m, ANSWER_CODE); i++) {
                const struct answer_code *code = answers_get_item(m, ANSWER_CODE, i);
                const struct resolver_section *section = facts->sections, *end = section + facts->n_sections;

                while (section < end &&
                       (code->addr < section->addr || code->addr - section->addr >= section->size_bytes)) {
                        section++;
                        if (++n_steps == MAX_STEPS)
                                return false;
                }
                if (section < end && is_data(section))
                        return true;
        }
        return false;
}

static void set_facts(const struct symbol_module *module, struct resolver_facts *ret)
{
        const struct archive_facts *packed = &module->is.archived->facts;
        const struct module_answers *m = module->is.archived->answers;

        ret->is_kept = packed->is_kept;
        ret->has_image = packed->has_image;
        if (packed->has_image)
                ret->image = packed->image;
        ret->n_sections = answers_n_items(m, ANSWER_SECTIONS);
        ret->sections = list_sections(m, ret->n_sections);
        ret->has_packed_data = has_data(m, ret);
        ret->source_rule = RESOLVER_SOURCE_PACKED;
}

static bool open_archived(struct resolver *resolver, struct symbol_module *module)
{
        const struct archive_facts *facts = &module->is.archived->facts;

        module->has_plain_names = !facts->has_readable_names;
        if (facts->name_note)
                buf_add_str(&module->note, facts->name_note);
        set_facts(module, &module->facts);
        return true;
}

/* --- Answers --- */

static const struct answer_offset *offset_at(const struct module_answers *m, size_t index)
{
        return answers_get_item(m, ANSWER_OFFSETS, index);
}

static bool to_addr(const struct symbol_module *module, uint64_t offset, uint64_t *ret_addr)
{
        const struct module_answers *m = module->is.archived->answers;
        size_t low = 0, high = answers_n_items(m, ANSWER_OFFSETS);

        SEARCH_FIRST(low, high, middle, offset_at(m, middle)->first <= offset);
        if (!low || offset - offset_at(m, low - 1)->first > offset_at(m, low - 1)->more)
                return false;
        *ret_addr = offset + offset_at(m, low - 1)->distance;
        return true;
}

static struct symbol find(struct resolver *resolver, struct symbol_module *module, uint64_t addr)
{
        const struct answer_symbol *symbol;
        struct answer_found found;

        if (!answers_find(module->is.archived->answers, ANSWER_SYMBOLS, addr, &found) || !found.list.n)
                return (struct symbol){.status = SYMBOL_NONE, .addr = addr};
        symbol = answer_found_get(&found, 0);
        return (struct symbol){
                .status = symbol->status,
                .name = resolver_frame_text(resolver, module, BUDGET_NAMES,
                                            answers_text(found.store, symbol->name), true),
                .module = resolver_frame_text(resolver, module, BUDGET_NAMES,
                                              answers_text(found.store, symbol->module), false),
                .start = symbol->start,
                .size = symbol->size,
                .addr = addr,
        };
}

/* The note may become longer when lines are looked up, as it did when they were packed. */
static const struct module_answers *begin_lines(struct symbol_module *module)
{
        const char *note = module->is.archived->facts.line_note;

        buf_clear(&module->note);
        buf_add_str(&module->note, note ? note : "");
        return module->is.archived->answers;
}

static void find_frames(struct resolver *resolver, struct symbol_module *module, const uint64_t *addrs,
                        size_t n, struct resolver_frames *ret)
{
        struct answered_frames found = {
                .found = mem_new(n, sizeof(*found.found)),
                .rest.spans = mem_new(n, sizeof(*found.rest.spans)),
        };

        answers_find_all(begin_lines(module), ANSWER_FRAMES, addrs, n, found.found);
        resolver_add_answers(resolver, module, &found, n, ret);
}

static size_t find_labels(struct symbol_module *module, uint64_t addr, struct source_label **ret_labels)
{
        struct answer_found found;

        *ret_labels = NULL;
        return answers_find(begin_lines(module), ANSWER_LABELS, addr, &found)
                       ? answers_get_labels(&found, ret_labels)
                       : 0;
}

static size_t find_extents(struct symbol_module *module, uint64_t addr, struct source_extent **ret_extents)
{
        struct answer_found found;

        *ret_extents = NULL;
        return answers_find(begin_lines(module), ANSWER_EXTENTS, addr, &found)
                       ? answers_get_extents(&found, ret_extents)
                       : 0;
}

static bool read_code(struct resolver *resolver, struct symbol_module *module, uint64_t addr, uint64_t size,
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

static enum object_machine get_machine(const struct symbol_module *module, uint64_t addr)
{
        return module->is.archived->facts.machine;
}

const struct symbol_source symbol_source_archive = {
        .open = open_archived,
        .to_addr = to_addr,
        .find = find,
        .find_frames = find_frames,
        .find_labels = find_labels,
        .find_extents = find_extents,
        .read_code = read_code,
        .get_machine = get_machine,
};
