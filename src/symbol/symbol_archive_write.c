/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers answers and writes them as a section; symbol_archive.c has the layout and reads it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "symbol_archive_internal.h"

struct symbol_archive_writer {
        const struct resolver *resolver;
        struct strpool *texts;
        struct map text_of; /* of the resolver's -> of the archive's + 1 */
        struct arena arena;
        struct archived_module *modules;
        size_t n_modules, cap_modules;
        /* Of the module that is being written: hash -> number + 1. */
        struct map symbols, frames, stacks;
};

struct symbol_archive_writer *symbol_archive_writer_new(const struct resolver *resolver)
{
        struct symbol_archive_writer *w = mem_new(1, sizeof(*w));

        w->resolver = resolver;
        w->texts = strpool_new();
        return w;
}

void symbol_archive_writer_free(struct symbol_archive_writer *w)
{
        if (!w)
                return;
        for (size_t i = 0; i < w->n_modules; i++)
                archived_module_release(&w->modules[i]);
        free(w->modules);
        map_release(&w->text_of);
        map_release(&w->symbols);
        map_release(&w->frames);
        map_release(&w->stacks);
        strpool_free(w->texts);
        arena_release(&w->arena);
        free(w);
}

/* --- Gathering ------------------------------------------------------------------------------------ */

static struct archived_module *last_module(struct symbol_archive_writer *w)
{
        assert(w->n_modules);
        return &w->modules[w->n_modules - 1];
}

static uint32_t text_of(struct symbol_archive_writer *w, str_id id)
{
        uint64_t *known;

        if (!id)
                return 0;
        known = map_put(&w->text_of, id, NULL);
        if (!*known)
                *known = (uint64_t)strpool_add(w->texts, resolver_text(w->resolver, id)) + 1;
        return (uint32_t)(*known - 1);
}

static const char *keep_text(struct symbol_archive_writer *w, const char *text)
{
        return text ? strpool_get(w->texts, strpool_add(w->texts, text)) : NULL;
}

void symbol_archive_begin(struct symbol_archive_writer *w, const struct archive_identity *identity,
                          const struct archive_facts *facts)
{
        struct archived_module module = {.identity = *identity, .facts = *facts};

        module.identity.path = keep_text(w, identity->path);
        module.identity.build_id = (const uint8_t *)arena_copy(&w->arena, (const char *)identity->build_id,
                                                               identity->build_id_size);
        module.facts.name_note = keep_text(w, facts->name_note);
        module.facts.line_note = keep_text(w, facts->line_note);
        map_release(&w->symbols);
        map_release(&w->frames);
        map_release(&w->stacks);
        ARRAY_PUSH(w->modules, w->n_modules, w->cap_modules, module);
}

void symbol_archive_set_line_note(struct symbol_archive_writer *w, const char *note)
{
        last_module(w)->facts.line_note = keep_text(w, note);
}

void symbol_archive_add_section(struct symbol_archive_writer *w, const struct resolver_section *section)
{
        struct archived_module *m = last_module(w);

        ARRAY_PUSH(m->sections, m->n_sections, m->cap_sections,
                   (struct archived_loaded){strpool_add(w->texts, section->name), section->addr,
                                            section->size_bytes});
}

void symbol_archive_add_offset(struct symbol_archive_writer *w, uint64_t offset, uint64_t addr, bool is_next)
{
        struct archived_module *m = last_module(w);
        struct archived_span *last = m->n_spans ? &m->spans[m->n_spans - 1] : NULL;

        assert(!last || offset > last->last);
        if (last && is_next && last->distance == addr - offset) {
                last->last = offset;
                return;
        }
        ARRAY_PUSH(m->spans, m->n_spans, m->cap_spans, (struct archived_span){offset, offset, addr - offset});
}

#define ADD_RUN(m, runs, from, step, number)                                                                 \
        do {                                                                                                 \
                struct archived_run *last_ = (m)->n_##runs ? &(m)->runs[(m)->n_##runs - 1] : NULL;           \
                                                                                                             \
                assert(!last_ || (from) > last_->last);                                                      \
                if (last_ && last_->answer == (number) && last_->last + 1 == (from))                         \
                        last_->last = (from) + ((step)-1);                                                   \
                else                                                                                         \
                        ARRAY_PUSH((m)->runs, (m)->n_##runs, (m)->cap_##runs,                                \
                                   (struct archived_run){(from), (from) + ((step)-1), (number)});            \
        } while (0)

/* A hash that another one took already leads on to the next number. */
#define FIND_OR_ADD(known, list, n, cap, value, is_equal, ret)                                               \
        do {                                                                                                 \
                for (uint64_t hash_ = map_hash_bytes(&(value), sizeof(value));; hash_++) {                   \
                        uint64_t *at_ = map_put((known), hash_, NULL);                                       \
                                                                                                             \
                        if (!*at_) {                                                                         \
                                ARRAY_PUSH(list, n, cap, value);                                             \
                                *at_ = (n);                                                                  \
                        } else if (!is_equal(&(list)[*at_ - 1], &(value))) {                                 \
                                continue;                                                                    \
                        }                                                                                    \
                        (ret) = (uint32_t)(*at_ - 1);                                                        \
                        break;                                                                               \
                }                                                                                            \
        } while (0)

static bool is_same_symbol(const struct archived_symbol *a, const struct archived_symbol *b)
{
        return a->status == b->status && a->name == b->name && a->module == b->module &&
               a->start == b->start && a->size == b->size;
}

static bool is_same_frame(const struct archived_frame *a, const struct archived_frame *b)
{
        return a->function == b->function && a->path == b->path && a->line == b->line &&
               a->column == b->column && a->is_inlined == b->is_inlined && a->start == b->start;
}

void symbol_archive_add_symbol(struct symbol_archive_writer *w, uint64_t step, const struct symbol *symbol)
{
        struct archived_module *m = last_module(w);
        struct archived_symbol value;
        uint32_t number;

        /* Holes of the struct are part of what is hashed. */
        memset(&value, 0, sizeof(value));
        if (symbol->status == SYMBOL_NONE)
                return;
        value.status = symbol->status;
        value.name = text_of(w, symbol->name);
        value.module = text_of(w, symbol->module);
        value.start = symbol->start;
        value.size = symbol->size;
        FIND_OR_ADD(&w->symbols, m->symbols, m->n_symbols, m->cap_symbols, value, is_same_symbol, number);
        ADD_RUN(m, symbol_runs, symbol->addr, step, number);
}

static uint32_t frame_number(struct symbol_archive_writer *w, const struct resolver_frame *frame)
{
        struct archived_module *m = last_module(w);
        struct archived_frame value;
        uint32_t number;

        memset(&value, 0, sizeof(value));
        value.function = text_of(w, frame->function);
        value.path = text_of(w, frame->path);
        value.line = frame->line;
        value.column = frame->column;
        value.is_inlined = frame->is_inlined;
        value.start = frame->start;
        FIND_OR_ADD(&w->frames, m->frames, m->n_frames, m->cap_frames, value, is_same_frame, number);
        return number;
}

/* The stack that was just put at the end of stack_frames; taken away again where there was one like it. */
static uint32_t stack_number(struct symbol_archive_writer *w, size_t first)
{
        struct archived_module *m = last_module(w);
        size_t n = m->n_stack_frames - first;
        const uint32_t *own = n ? m->stack_frames + first : NULL;

        for (uint64_t hash = map_hash_bytes(n ? (const void *)own : "", n * sizeof(*own));; hash++) {
                uint64_t *at = map_put(&w->stacks, hash, NULL);
                const struct archived_stack *other = *at ? &m->stacks[*at - 1] : NULL;

                if (!other) {
                        ARRAY_PUSH(m->stacks, m->n_stacks, m->cap_stacks,
                                   (struct archived_stack){.first = (uint32_t)first, .n = (uint32_t)n});
                        *at = m->n_stacks;
                        return (uint32_t)m->n_stacks - 1;
                }
                if (other->n != n ||
                    (n && memcmp(m->stack_frames + other->first, own, n * sizeof(*own)) != 0))
                        continue;
                m->n_stack_frames = first;
                return (uint32_t)(*at - 1);
        }
}

void symbol_archive_add_frames(struct symbol_archive_writer *w, uint64_t addr, uint64_t step,
                               const struct resolver_frame *frames, size_t n, bool is_listed)
{
        struct archived_module *m = last_module(w);
        size_t first = m->n_stack_frames;
        uint32_t number;

        for (size_t i = 0; i < n && i < ARCHIVE_MAX_STACK; i++)
                ARRAY_PUSH(m->stack_frames, m->n_stack_frames, m->cap_stack_frames,
                           frame_number(w, &frames[i]));
        number = stack_number(w, first);
        m->stacks[number].is_listed |= is_listed;
        ADD_RUN(m, frame_runs, addr, step, number);
}

uint32_t symbol_archive_add_function(struct symbol_archive_writer *w, const struct resolver_extent *extents,
                                     size_t n_extents, const struct resolver_label *labels, size_t n_labels)
{
        struct archived_module *m = last_module(w);
        struct archived_function function = {(uint32_t)m->n_extents, (uint32_t)n_extents,
                                             (uint32_t)m->n_labels, (uint32_t)n_labels};

        for (size_t i = 0; i < n_extents; i++)
                ARRAY_PUSH(m->extents, m->n_extents, m->cap_extents, extents[i]);
        for (size_t i = 0; i < n_labels; i++)
                ARRAY_PUSH(m->labels, m->n_labels, m->cap_labels,
                           (struct archived_label){
                                   .name = text_of(w, labels[i].name),
                                   .path = text_of(w, labels[i].path),
                                   .line = labels[i].line,
                                   .has_addr = labels[i].has_addr,
                                   .addr = labels[i].has_addr ? labels[i].addr : 0,
                           });
        ARRAY_PUSH(m->functions, m->n_functions, m->cap_functions, function);
        return (uint32_t)m->n_functions - 1;
}

void symbol_archive_add_member(struct symbol_archive_writer *w, uint64_t addr, uint32_t function)
{
        struct archived_module *m = last_module(w);

        ADD_RUN(m, members, addr, 1, function);
}

void symbol_archive_add_code(struct symbol_archive_writer *w, uint64_t addr, const uint8_t *bytes,
                             uint64_t size)
{
        struct archived_module *m = last_module(w);
        const uint8_t *copy = (const uint8_t *)arena_copy(&w->arena, (const char *)bytes, (size_t)size);

        ARRAY_PUSH(m->codes, m->n_codes, m->cap_codes, (struct archived_code){addr, size, copy});
}

void symbol_archive_each_line(const struct symbol_archive_writer *w, symbol_archive_line_fn *each, void *ctx)
{
        for (size_t i = 0; i < w->n_modules; i++) {
                const struct archived_module *m = &w->modules[i];

                for (size_t k = 0; k < m->n_stacks; k++) {
                        const struct archived_stack *stack = &m->stacks[k];
                        const struct archived_frame *frame;

                        if (!stack->n || !stack->is_listed)
                                continue;
                        frame = &m->frames[m->stack_frames[stack->first]];
                        if (frame->path)
                                each(ctx, i, strpool_get(w->texts, frame->path), frame->line);
                }
        }
}

/* --- Writing -------------------------------------------------------------------------------------- */

static void add_texts(const struct strpool *texts, struct buf *out)
{
        archive_add_uleb(out, strpool_count(texts) - 1);
        for (str_id id = 1; id < strpool_count(texts); id++)
                buf_add(out, strpool_get(texts, id), strlen(strpool_get(texts, id)) + 1);
}

static void add_difference(struct buf *out, uint64_t value, uint64_t *before)
{
        archive_add_sleb(out, (int64_t)(value - *before));
        *before = value;
}

/* 0 is none. */
static void add_optional_text(const struct symbol_archive_writer *w, const char *text, struct buf *out)
{
        archive_add_uleb(out, text ? (uint64_t)strpool_add(w->texts, text) + 1 : 0);
}

static void add_build_id(struct buf *out, const uint8_t *id, uint8_t size)
{
        buf_add_u8(out, size);
        buf_add(out, id, size);
}

static void add_identity(const struct symbol_archive_writer *w, const struct archived_module *m,
                         struct buf *out)
{
        const struct archive_identity *identity = &m->identity;

        archive_add_uleb(out, identity->kind);
        archive_add_uleb(out, strpool_add(w->texts, identity->path));
        archive_add_sleb(out, identity->pid);
        add_build_id(out, identity->build_id, identity->build_id_size);
        archive_add_uleb(out, identity->dev);
        archive_add_uleb(out, identity->inode);
        archive_add_uleb(out, identity->start);
        archive_add_uleb(out, identity->end);
}

static void add_facts(const struct symbol_archive_writer *w, const struct archive_facts *facts,
                      struct buf *out)
{
        buf_add_u8(out, (uint8_t)(facts->has_image | facts->image.is_executable << 1 |
                                  facts->has_readable_names << 2));
        archive_add_uleb(out, facts->image.entry);
        archive_add_uleb(out, facts->image.load_addr);
        add_build_id(out, facts->image.build_id, facts->image.build_id_size);
        buf_add_u8(out, (uint8_t)facts->machine);
        archive_add_sleb(out, facts->built_ns);
        add_optional_text(w, facts->name_note, out);
        add_optional_text(w, facts->line_note, out);
}

static void add_runs(const struct archived_run *runs, size_t n, struct buf *out)
{
        uint64_t next = 0;

        archive_add_uleb(out, n);
        for (size_t i = 0; i < n; i++) {
                archive_add_uleb(out, runs[i].first - next);
                archive_add_uleb(out, runs[i].last - runs[i].first);
                archive_add_uleb(out, runs[i].answer);
                next = runs[i].last + 1;
        }
}

static void add_places(const struct archived_module *m, struct buf *out)
{
        uint64_t next = 0, start = 0;

        archive_add_uleb(out, m->n_sections);
        for (size_t i = 0; i < m->n_sections; i++) {
                archive_add_uleb(out, m->sections[i].name);
                archive_add_uleb(out, m->sections[i].addr);
                archive_add_uleb(out, m->sections[i].size_bytes);
        }
        archive_add_uleb(out, m->n_spans);
        for (size_t i = 0; i < m->n_spans; i++) {
                archive_add_uleb(out, m->spans[i].first - next);
                archive_add_uleb(out, m->spans[i].last - m->spans[i].first);
                archive_add_sleb(out, (int64_t)m->spans[i].distance);
                next = m->spans[i].last + 1;
        }
        archive_add_uleb(out, m->n_symbols);
        for (size_t i = 0; i < m->n_symbols; i++) {
                archive_add_uleb(out, m->symbols[i].status);
                archive_add_uleb(out, m->symbols[i].name);
                archive_add_uleb(out, m->symbols[i].module);
                add_difference(out, m->symbols[i].start, &start);
                archive_add_uleb(out, m->symbols[i].size);
        }
        add_runs(m->symbol_runs, m->n_symbol_runs, out);
}

static void add_stacks(const struct archived_module *m, struct buf *out)
{
        uint64_t line = 0, start = 0, number = 0;

        archive_add_uleb(out, m->n_frames);
        for (size_t i = 0; i < m->n_frames; i++) {
                archive_add_uleb(out, m->frames[i].function);
                archive_add_uleb(out, m->frames[i].path);
                add_difference(out, m->frames[i].line, &line);
                archive_add_uleb(out, (uint64_t)m->frames[i].column << 1 | m->frames[i].is_inlined);
                add_difference(out, m->frames[i].start, &start);
        }
        archive_add_uleb(out, m->n_stacks);
        for (size_t i = 0; i < m->n_stacks; i++) {
                archive_add_uleb(out, m->stacks[i].n);
                for (uint32_t k = 0; k < m->stacks[i].n; k++)
                        add_difference(out, m->stack_frames[m->stacks[i].first + k], &number);
        }
        add_runs(m->frame_runs, m->n_frame_runs, out);
}

static void add_functions(const struct archived_module *m, struct buf *out)
{
        uint64_t at = 0, line = 0;

        archive_add_uleb(out, m->n_functions);
        for (size_t i = 0; i < m->n_functions; i++) {
                const struct archived_function *f = &m->functions[i];

                archive_add_uleb(out, f->n_extents);
                for (uint32_t k = 0; k < f->n_extents; k++) {
                        const struct resolver_extent *e = &m->extents[f->first_extent + k];

                        add_difference(out, e->start, &at);
                        add_difference(out, e->end, &at);
                }
                archive_add_uleb(out, f->n_labels);
                for (uint32_t k = 0; k < f->n_labels; k++) {
                        const struct archived_label *label = &m->labels[f->first_label + k];

                        archive_add_uleb(out, label->name);
                        archive_add_uleb(out, label->path);
                        add_difference(out, label->line, &line);
                        buf_add_u8(out, label->has_addr);
                        archive_add_uleb(out, label->addr);
                }
        }
        add_runs(m->members, m->n_members, out);
}

static void add_code(const struct archived_module *m, struct buf *out)
{
        archive_add_uleb(out, m->n_codes);
        for (size_t i = 0; i < m->n_codes; i++) {
                archive_add_uleb(out, m->codes[i].addr);
                archive_add_uleb(out, m->codes[i].size);
                buf_add(out, m->codes[i].bytes, (size_t)m->codes[i].size);
        }
}

bool symbol_archive_write(const struct symbol_archive_writer *w, const struct archive_origin *origin,
                          struct buf *out, struct err *err)
{
        AUTO_RELEASE(buf) content = {0};

        buf_add_u8(&content, origin->is_unfinished);
        archive_add_uleb(&content, origin->cut_bytes);
        add_texts(w->texts, &content);
        archive_add_uleb(&content, w->n_modules);
        for (size_t i = 0; i < w->n_modules; i++) {
                const struct archived_module *m = &w->modules[i];

                add_identity(w, m, &content);
                add_facts(w, &m->facts, &content);
                add_places(m, &content);
                add_stacks(m, &content);
                add_functions(m, &content);
                add_code(m, &content);
        }
        return archive_section_write(&symbol_archive_kind, &content, out, err);
}
