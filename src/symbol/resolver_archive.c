/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers from an archive: what was asked when it was packed, and nothing else.  Names become readable here, as the options
 * of whoever asks now want them. */
#include "resolver_archive.h"

#include <stdlib.h>
#include <string.h>

#include "symbol_archive_internal.h"
#include "text.h"

static const char plt_suffix[] = "@plt";

void resolver_archive_begin(struct module *module)
{
        const struct archive_facts *facts = archived_module_facts(module->is.archived);

        if (facts->name_note)
                buf_add_str(&module->note, facts->name_note);
}

/* The note has more to say once lines are asked for, as it had when they were looked up. */
static void note_lines(struct module *module)
{
        const struct archive_facts *facts = archived_module_facts(module->is.archived);

        buf_clear(&module->note);
        if (facts->line_note)
                buf_add_str(&module->note, facts->line_note);
}

/* The `@plt` of a stub is no part of the name that stands in the file. */
static void add_name(struct resolver *resolver, const char *text, struct buf *out)
{
        size_t len = strlen(text), suffix = sizeof(plt_suffix) - 1;
        bool is_stub = text_ends(text, plt_suffix);
        AUTO_RELEASE(buf) raw = {0};

        buf_add(&raw, text, is_stub ? len - suffix : len);
        resolver_add_readable(resolver, buf_text(&raw), out);
        if (is_stub)
                buf_add_str(out, plt_suffix);
}

static str_id get_text(struct resolver *resolver, struct module *module, uint32_t number, bool is_name)
{
        const struct archived_module *m = module->is.archived;
        const char *text = symbol_archive_text(m->archive, number);
        AUTO_RELEASE(buf) readable = {0};
        uint64_t *known;
        str_id id = 0;

        if (!text)
                return 0;
        known = map_put(&module->frame_texts, (uint64_t)number << 1 | is_name, NULL);
        if (*known)
                return (str_id)*known;
        if (is_name && m->facts.has_readable_names)
                add_name(resolver, text, &readable);
        else
                buf_add_str(&readable, text);
        if (resolver_keep_text(resolver, module, BUDGET_NAMES, &readable, &id))
                *known = id;
        return id;
}

bool resolver_archive_to_addr(const struct module *module, uint64_t offset, uint64_t *ret_addr)
{
        const struct archived_module *m = module->is.archived;
        size_t low = 0, high = m->n_spans;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (m->spans[middle].first <= offset)
                        low = middle + 1;
                else
                        high = middle;
        }
        if (!low || offset > m->spans[low - 1].last)
                return false;
        *ret_addr = offset + m->spans[low - 1].distance;
        return true;
}

struct symbol resolver_archive_find(struct resolver *resolver, struct module *module, uint64_t addr)
{
        const struct archived_module *m = module->is.archived;
        const struct archived_run *run = archived_run_find(m->symbol_runs, m->n_symbol_runs, addr);
        const struct archived_symbol *found;

        if (!run)
                return (struct symbol){.status = SYMBOL_NONE, .addr = addr};
        found = &m->symbols[run->answer];
        return (struct symbol){
                .status = found->status,
                .name = get_text(resolver, module, found->name, true),
                .module = get_text(resolver, module, found->module, false),
                .start = found->start,
                .size = found->size,
                .addr = addr,
        };
}

void resolver_archive_find_frames(struct resolver *resolver, struct module *module, const uint64_t *addrs,
                                  size_t n, struct resolver_frames *ret)
{
        const struct archived_module *m = module->is.archived;

        note_lines(module);
        *ret = (struct resolver_frames){.spans = mem_new(n, sizeof(*ret->spans))};
        for (size_t i = 0; i < n; i++) {
                const struct archived_run *run = archived_run_find(m->frame_runs, m->n_frame_runs, addrs[i]);
                const struct archived_stack *stack = run ? &m->stacks[run->answer] : NULL;

                if (!stack || !stack->n)
                        continue;
                ret->spans[i].first = ret->n_frames;
                ret->spans[i].n = stack->n;
                for (uint32_t k = 0; k < stack->n; k++) {
                        const struct archived_frame *f = &m->frames[m->stack_frames[stack->first + k]];

                        ARRAY_PUSH(ret->frames, ret->n_frames, ret->cap_frames,
                                   (struct resolver_frame){
                                           .function = get_text(resolver, module, f->function, true),
                                           .path = get_text(resolver, module, f->path, false),
                                           .line = f->line,
                                           .column = f->column,
                                           .is_inlined = f->is_inlined,
                                           .start = f->start,
                                   });
                }
        }
}

/* The function that an address was sampled in, or that begins there. */
static const struct archived_function *find_function(const struct archived_module *m, uint64_t addr)
{
        const struct archived_run *run = archived_run_find(m->members, m->n_members, addr);

        if (run)
                return &m->functions[run->answer];
        for (size_t i = 0; i < m->n_functions; i++) {
                if (m->functions[i].n_extents && m->extents[m->functions[i].first_extent].start == addr)
                        return &m->functions[i];
        }
        return NULL;
}

size_t resolver_archive_find_labels(struct resolver *resolver, struct module *module, uint64_t addr,
                                    struct resolver_label **ret_labels)
{
        const struct archived_module *m = module->is.archived;
        const struct archived_function *f = find_function(m, addr);
        size_t n = f ? f->n_labels : 0;

        note_lines(module);
        *ret_labels = mem_new(n, sizeof(**ret_labels));
        for (size_t i = 0; i < n; i++) {
                const struct archived_label *label = &m->labels[f->first_label + i];

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

size_t resolver_archive_find_extents(struct module *module, uint64_t addr,
                                     struct resolver_extent **ret_extents)
{
        const struct archived_module *m = module->is.archived;
        const struct archived_function *f = find_function(m, addr);
        size_t n = f ? f->n_extents : 0;

        note_lines(module);
        *ret_extents = mem_new(n ? n : 1, sizeof(**ret_extents));
        if (n)
                memcpy(*ret_extents, m->extents + f->first_extent, n * sizeof(**ret_extents));
        return n;
}

bool resolver_archive_read_code(const struct module *module, uint64_t addr, uint64_t size,
                                const uint8_t **ret_code)
{
        const struct archived_module *m = module->is.archived;

        for (size_t i = 0; i < m->n_codes; i++) {
                const struct archived_code *code = &m->codes[i];

                if (addr < code->addr || addr - code->addr > code->size ||
                    size > code->size - (addr - code->addr))
                        continue;
                *ret_code = code->bytes + (addr - code->addr);
                return true;
        }
        return false;
}

bool resolver_archive_get_image(const struct module *module, struct resolver_image *ret)
{
        const struct archive_facts *facts = archived_module_facts(module->is.archived);

        if (facts->has_image)
                *ret = facts->image;
        return facts->has_image;
}

size_t resolver_archive_n_sections(const struct module *module)
{
        return module->is.archived->n_sections;
}

struct resolver_section resolver_archive_get_section(const struct module *module, size_t index)
{
        const struct archived_module *m = module->is.archived;
        const struct archived_loaded *section = index < m->n_sections ? &m->sections[index] : NULL;
        const char *name = section ? symbol_archive_text(m->archive, section->name) : NULL;

        if (!section)
                return (struct resolver_section){.name = ""};
        return (struct resolver_section){name ? name : "", section->addr, section->size_bytes};
}
