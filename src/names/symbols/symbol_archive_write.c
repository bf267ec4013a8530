/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects answers of a resolver in a store, and writes it as a section; symbol_archive.c reads it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "answers_store.h"
#include "archive_section.h"
#include "map.h"
#include "mem.h"
#include "symbol_archive.h"

/* A function of the current module: numbers of its lists. */
struct added_function {
        uint32_t extents, labels;
        bool has_labels;
        uint64_t start;
};

/* The source line of an innermost frame in listings. */
struct added_line {
        size_t module;
        answer_text path;
        uint32_t line;
};

struct symbol_archive_writer {
        const struct resolver *resolver;
        struct answers *answers;
        bool is_quick;
        struct map text_of; /* id of the resolver -> id of the store */
        struct added_line *lines;
        size_t n_lines, cap_lines;
        /* For the current module. */
        struct module_answers *module; /* NULL: there is none yet */
        struct archive_facts facts;
        answer_text name_note, line_note;
        /* the last range, which may be extended; `more` is valid with has_offset */
        struct answer_offset offset;
        bool has_offset;
        struct map listed; /* lists of frames whose lines were added */
        struct added_function *functions;
        size_t n_functions, cap_functions;
};

struct symbol_archive_writer *symbol_archive_writer_new(const struct resolver *resolver)
{
        struct symbol_archive_writer *w = mem_new(1, sizeof(*w));

        w->resolver = resolver;
        w->answers = answers_new();
        return w;
}

void symbol_archive_use(struct symbol_archive_writer *w, const struct resolver *resolver)
{
        w->resolver = resolver;
        map_release(&w->text_of);
}

void symbol_archive_set_quick(struct symbol_archive_writer *w)
{
        w->is_quick = true;
}

void symbol_archive_writer_free(struct symbol_archive_writer *w)
{
        if (!w)
                return;
        free(w->lines);
        free(w->functions);
        map_release(&w->listed);
        map_release(&w->text_of);
        answers_free(w->answers);
        free(w);
}

/* --- Collecting ----------------------------------------------------------------------------------- */

static answer_text text_of(struct symbol_archive_writer *w, str_id id)
{
        uint64_t *known;

        if (!id)
                return 0;
        known = map_put(&w->text_of, id, NULL);
        if (!*known)
                *known = answers_add_text(w->answers, resolver_text(w->resolver, id));
        return (answer_text)*known;
}

/* A function is also found by its first address, if no other function has it as a sampled address. */
static void add_starts(struct symbol_archive_writer *w)
{
        for (size_t i = 0; i < w->n_functions; i++)
                symbol_archive_add_member(w, w->functions[i].start, (uint32_t)i);
        w->n_functions = 0;
}

/* Adds the parts that could change while the module was written. */
static void end_module(struct symbol_archive_writer *w)
{
        const struct resolver_image *image = &w->facts.image;
        const struct answer_facts facts = {
                .build_id = {image->build_id, image->build_id_size},
                .entry = image->entry,
                .load_addr = image->load_addr,
                .built_ns = (uint64_t)w->facts.built_ns,
                .flags = (w->facts.has_image ? ANSWER_HAS_IMAGE : 0u) |
                         (image->is_executable ? ANSWER_IS_EXECUTABLE : 0u) |
                         (w->facts.has_readable_names ? ANSWER_HAS_READABLE_NAMES : 0u),
                .machine = w->facts.machine,
                .name_note = w->name_note,
                .line_note = w->line_note,
        };

        if (!w->module)
                return;
        add_starts(w);
        answers_add_item(w->module, ANSWER_FACTS, &facts);
        if (w->facts.is_kept)
                answers_add_item(w->module, ANSWER_KEPT, &(struct answer_kept){ANSWER_KEPT_BY_RECORDER});
        if (w->has_offset)
                answers_add_item(w->module, ANSWER_OFFSETS, &w->offset);
        map_release(&w->listed);
        w->has_offset = false;
        w->module = NULL;
}

void symbol_archive_begin(struct symbol_archive_writer *w, const struct archive_identity *identity,
                          const struct archive_facts *facts)
{
        const struct answer_identity item = {
                .build_id = {identity->build_id, identity->build_id_size},
                .pid = (uint64_t)(int64_t)identity->pid,
                .dev = identity->dev,
                .inode = identity->inode,
                .start = identity->start,
                .end = identity->end,
                .kind = identity->kind,
                .path = answers_add_text(w->answers, identity->path),
        };

        end_module(w);
        w->module = answers_add_module(w->answers);
        w->facts = *facts;
        w->name_note = answers_add_text(w->answers, facts->name_note);
        w->line_note = answers_add_text(w->answers, facts->line_note);
        answers_add_item(w->module, ANSWER_IDENTITY, &item);
}

void symbol_archive_set_line_note(struct symbol_archive_writer *w, const char *note)
{
        w->line_note = answers_add_text(w->answers, note);
}

void symbol_archive_add_section(struct symbol_archive_writer *w, const struct resolver_section *section)
{
        const struct answer_section item = {section->addr, section->size_bytes,
                                            answers_add_text(w->answers, section->name), 0};

        assert(w->module);
        answers_add_item(w->module, ANSWER_SECTIONS, &item);
}

void symbol_archive_add_offset(struct symbol_archive_writer *w, uint64_t offset, uint64_t addr, bool is_next)
{
        struct answer_offset *last = &w->offset;

        assert(!w->has_offset || offset > last->first + last->more);
        if (w->has_offset && is_next && last->distance == addr - offset) {
                last->more = offset - last->first;
                return;
        }
        if (w->has_offset)
                answers_add_item(w->module, ANSWER_OFFSETS, last);
        *last = (struct answer_offset){offset, 0, addr - offset};
        w->has_offset = true;
}

void symbol_archive_add_symbol(struct symbol_archive_writer *w, uint64_t step, const struct symbol *symbol)
{
        const struct answer_symbol item = {
                .start = symbol->start,
                .size = symbol->size,
                .name = text_of(w, symbol->name),
                .module = text_of(w, symbol->module),
                .status = symbol->status,
        };

        assert(w->module);
        if (symbol->status != SYMBOL_NONE)
                answers_add_range(w->module, ANSWER_SYMBOLS, symbol->addr, symbol->addr + (step - 1),
                                  answers_add_list(w->module, ANSWER_SYMBOLS, &item, 1));
}

void symbol_archive_add_frames(struct symbol_archive_writer *w, uint64_t addr, uint64_t step,
                               const struct resolver_frame *frames, size_t n, bool is_listed)
{
        struct answer_frame items[ANSWERS_MAX_FRAMES];
        bool is_new = false;
        uint32_t list;

        assert(w->module);
        n = n < ANSWERS_MAX_FRAMES ? n : ANSWERS_MAX_FRAMES;
        items[0] = (struct answer_frame){0};
        for (size_t i = 0; i < n; i++)
                items[i] = (struct answer_frame){
                        .function = text_of(w, frames[i].function),
                        .path = text_of(w, frames[i].path),
                        .line = frames[i].line,
                        .column = frames[i].column,
                        .flags = frames[i].is_inlined ? ANSWER_IS_INLINED : 0,
                        .start = frames[i].start,
                };
        list = answers_add_list(w->module, ANSWER_FRAMES, items, n);
        answers_add_range(w->module, ANSWER_FRAMES, addr, addr + (step - 1), list);
        if (n && is_listed && frames[0].path)
                map_put(&w->listed, list, &is_new);
        if (is_new)
                ARRAY_PUSH(w->lines, w->n_lines, w->cap_lines,
                           (struct added_line){answers_n_modules(w->answers) - 1, text_of(w, frames[0].path),
                                               frames[0].line});
}

uint32_t symbol_archive_add_function(struct symbol_archive_writer *w, const struct resolver_extent *extents,
                                     size_t n_extents, const struct resolver_label *labels, size_t n_labels)
{
        assert(w->module && n_extents);

        struct answer_extent *e = mem_new(n_extents, sizeof(*e));
        struct answer_label *l = mem_new(n_labels, sizeof(*l));
        struct added_function function = {.has_labels = n_labels, .start = extents[0].start};

        for (size_t i = 0; i < n_extents; i++)
                e[i] = (struct answer_extent){extents[i].start, extents[i].end - extents[i].start};
        for (size_t i = 0; i < n_labels; i++)
                l[i] = (struct answer_label){
                        .name = text_of(w, labels[i].name),
                        .path = text_of(w, labels[i].path),
                        .line = labels[i].line,
                        .has_addr = labels[i].has_addr,
                        .addr = labels[i].has_addr ? labels[i].addr : 0,
                };
        function.extents = answers_add_list(w->module, ANSWER_EXTENTS, e, n_extents);
        if (n_labels)
                function.labels = answers_add_list(w->module, ANSWER_LABELS, l, n_labels);
        free(e);
        free(l);
        ARRAY_PUSH(w->functions, w->n_functions, w->cap_functions, function);
        return (uint32_t)w->n_functions - 1;
}

void symbol_archive_add_member(struct symbol_archive_writer *w, uint64_t addr, uint32_t function)
{
        const struct added_function *f = &w->functions[function];

        assert(function < w->n_functions);
        answers_add_range(w->module, ANSWER_EXTENTS, addr, addr, f->extents);
        if (f->has_labels)
                answers_add_range(w->module, ANSWER_LABELS, addr, addr, f->labels);
}

void symbol_archive_add_code(struct symbol_archive_writer *w, uint64_t addr, const uint8_t *bytes,
                             uint64_t size)
{
        const struct answer_code item = {{bytes, size}, addr};

        assert(w->module);
        answers_add_item(w->module, ANSWER_CODE, &item);
}

void symbol_archive_each_line(const struct symbol_archive_writer *w, symbol_archive_line_fn *each, void *ctx)
{
        for (size_t i = 0; i < w->n_lines; i++)
                each(ctx, w->lines[i].module, answers_text(w->answers, w->lines[i].path), w->lines[i].line);
}

bool symbol_archive_write(struct symbol_archive_writer *w, const struct archive_origin *origin,
                          struct buf *out, struct err *err)
{
        struct archive_section_kind kind = symbol_archive_kind;
        AUTO_RELEASE(buf) content = {0};

        kind.is_quick = w->is_quick;
        end_module(w);
        buf_add_u8(&content, origin->is_unfinished);
        buf_add_uleb(&content, origin->cut_bytes);
        answers_write(w->answers, true, &content);
        return archive_section_write(&kind, &content, out, err);
}
