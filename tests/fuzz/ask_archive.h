/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes all lookups in an archived session, at the limits of the packed ranges. */
#ifndef ASK_ARCHIVE_H
#define ASK_ARCHIVE_H

#include <stdlib.h>
#include <string.h>

#include "answers_store.h"
#include "archive_section.h"
#include "resolver.h"
#include "resolver_code.h"
#include "resolver_facts.h"
#include "symbol_archive.h"

enum { MAX_INPUT_BYTES = 1 << 16, MAX_QUESTIONS = 64 };

/* So that reads are not optimised away. */
static volatile uint64_t sink;

static void use_text(const struct resolver *resolver, str_id id)
{
        sink += id ? strlen(resolver_text(resolver, id)) : 0;
}

static void ask_frames(struct resolver *resolver, resolver_id id, uint64_t addr)
{
        struct resolver_frames frames;

        resolver_find_frames(resolver, id, &addr, 1, &frames);
        if (frames.spans[0].n != frames.n_frames || frames.n_frames > ANSWERS_MAX_FRAMES)
                abort();
        for (size_t i = 0; i < frames.n_frames; i++) {
                use_text(resolver, frames.frames[i].function);
                use_text(resolver, frames.frames[i].path);
        }
        resolver_frames_release(&frames);
}

static void ask_function(struct resolver *resolver, resolver_id id, uint64_t addr)
{
        struct resolver_extent *extents;
        struct resolver_label *labels;
        size_t n = resolver_find_extents(resolver, id, addr, &extents);
        const uint8_t *code;

        for (size_t i = 0; i < n; i++) {
                uint64_t code_size = extents[i].end - extents[i].start;

                if (extents[i].end <= extents[i].start || (i && extents[i].start < extents[i - 1].end))
                        abort();
                if (!resolver_read_code(resolver, id, extents[i].start, code_size, &code))
                        continue;
                for (uint64_t k = 0; k < code_size; k++)
                        sink += code[k];
        }
        free(extents);
        n = resolver_find_labels(resolver, id, addr, &labels);
        for (size_t i = 0; i < n; i++) {
                use_text(resolver, labels[i].name);
                use_text(resolver, labels[i].path);
        }
        free(labels);
}

static void ask(struct resolver *resolver, resolver_id id, uint64_t addr)
{
        struct symbol symbol = resolver_find_addr(resolver, id, addr);
        uint64_t at;

        use_text(resolver, symbol.name);
        use_text(resolver, symbol.module);
        sink += resolver_to_addr(resolver, id, addr, &at);
        ask_frames(resolver, id, addr);
        ask_function(resolver, id, addr);
}

static void ask_runs(struct resolver *resolver, resolver_id id, const struct module_answers *m,
                     enum answer_kind kind)
{
        struct answer_range before = {0};

        for (size_t i = 0; i < answers_n_ranges(m, kind); i++) {
                struct answer_range run = answers_get_range(m, kind, i);

                if (run.last < run.first || (i && run.first <= before.last) ||
                    answers_of_range(m, kind, i).list.n > answers_max_list(kind))
                        abort();
                before = run;
                if (i >= MAX_QUESTIONS)
                        continue;
                ask(resolver, id, run.first);
                ask(resolver, id, run.last);
                ask(resolver, id, run.last + 1);
        }
}

/* Nobody asks an archive for these. */
static void use_insns(const struct module_answers *m)
{
        for (size_t i = 0; i < answers_n_ranges(m, ANSWER_INSNS); i++) {
                struct answer_found found = answers_of_range(m, ANSWER_INSNS, i);

                for (size_t k = 0; k < found.list.n; k++) {
                        const struct answer_insn *insn = answer_found_get(&found, k);

                        if (!insn->size_bytes || insn->size_bytes > ANSWERS_MAX_INSN_BYTES)
                                abort();
                        sink += strlen(answers_text(found.store, insn->text));
                }
        }
}

static void use_module(struct resolver *resolver, const struct archived_module *m)
{
        const struct resolver_module module = {.archived = m};
        resolver_id id = resolver_add_module(resolver, &module);
        const struct resolver_facts *facts = resolver_get_facts(resolver, id);

        ask(resolver, id, 0);
        ask(resolver, id, UINT64_MAX);
        for (enum answer_kind kind = ANSWER_SYMBOLS; kind <= ANSWER_EXTENTS; kind++)
                ask_runs(resolver, id, m->answers, kind);
        use_insns(m->answers);
        for (size_t i = 0; i < answers_n_items(m->answers, ANSWER_OFFSETS) && i < MAX_QUESTIONS; i++) {
                const struct answer_offset *offset = answers_get_item(m->answers, ANSWER_OFFSETS, i);

                ask(resolver, id, offset->first);
        }
        for (size_t i = 0; i < facts->n_sections; i++)
                sink += strlen(facts->sections[i].name);
        sink += facts->has_image ? facts->image.build_id_size : 0;
        sink += (uint64_t)resolver_get_machine(resolver, id, 0);
        sink += resolver_note(resolver, id) ? strlen(resolver_note(resolver, id)) : 0;
        sink += strlen(m->identity.path);
}

static inline void use_symbols(struct cursor section)
{
        AUTO(symbol_archive) archive = symbol_archive_open(section, NULL, NULL);
        AUTO(resolver) resolver = NULL;

        if (!archive)
                return;
        /* Demangling has targets of its own. */
        resolver = resolver_new(&(struct resolver_options){.demangle = false});
        for (size_t i = 0; i < symbol_archive_n_modules(archive); i++) {
                const struct archived_module *m = symbol_archive_get(archive, i);

                if (!symbol_archive_find(archive, &m->identity))
                        abort();
                use_module(resolver, m);
        }
}

/* As content that is not packed. */
static inline struct cursor wrap(const char *magic, uint32_t version, const uint8_t *data, size_t size,
                                 struct buf *out)
{
        buf_clear(out);
        buf_add(out, magic, 4);
        buf_add_u32(out, version);
        buf_add_u64(out, 0);
        buf_add_u64(out, size);
        buf_add_u64(out, archive_section_checksum(data, size));
        buf_add(out, data, size);
        return cursor_make(out->data, out->len);
}

#endif
