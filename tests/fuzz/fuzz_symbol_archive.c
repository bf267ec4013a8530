/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the sections of an archived session: as they are, and as the content of sections whose heads are right.  All
 * questions are asked at the borders of what was packed. */
#include <stdlib.h>
#include <string.h>

#include "archive_section.h"
#include "arena.h"
#include "resolver.h"
#include "source_archive.h"
#include "symbol_archive_internal.h"
#include "symbol_index_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
        if (frames.spans[0].n != frames.n_frames || frames.n_frames > ARCHIVE_MAX_STACK)
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

static void ask_runs(struct resolver *resolver, resolver_id id, const struct archived_run *runs, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (runs[i].last < runs[i].first || (i && runs[i].first <= runs[i - 1].last))
                        abort();
                if (i >= MAX_QUESTIONS)
                        continue;
                ask(resolver, id, runs[i].first);
                ask(resolver, id, runs[i].last);
                ask(resolver, id, runs[i].last + 1);
        }
}

static void use_module(struct resolver *resolver, const struct archived_module *m)
{
        const struct resolver_module module = {.archived = m};
        resolver_id id = resolver_add_module(resolver, &module);
        struct resolver_image image;

        ask(resolver, id, 0);
        ask(resolver, id, UINT64_MAX);
        ask_runs(resolver, id, m->symbol_runs, m->n_symbol_runs);
        ask_runs(resolver, id, m->frame_runs, m->n_frame_runs);
        ask_runs(resolver, id, m->members, m->n_members);
        for (size_t i = 0; i < m->n_spans && i < MAX_QUESTIONS; i++)
                ask(resolver, id, m->spans[i].first);
        for (size_t i = 0; i < m->n_extents && i < MAX_QUESTIONS; i++)
                ask(resolver, id, m->extents[i].start);
        for (size_t i = 0; i < resolver_n_sections(resolver, id); i++)
                sink += strlen(resolver_get_section(resolver, id, i).name);
        sink += resolver_get_image(resolver, id, &image) ? image.build_id_size : 0;
        sink += (uint64_t)resolver_get_machine(resolver, id, 0);
        sink += resolver_note(resolver, id) ? strlen(resolver_note(resolver, id)) : 0;
        sink += strlen(archived_module_identity(m)->path);
}

static void use_symbols(struct cursor section)
{
        AUTO(symbol_archive) archive = symbol_archive_open(section, NULL);
        AUTO(resolver) resolver = NULL;

        if (!archive)
                return;
        /* Demangling has targets of its own. */
        resolver = resolver_new(&(struct resolver_options){.demangle = false});
        for (size_t i = 0; i < symbol_archive_n_modules(archive); i++) {
                const struct archived_module *m = symbol_archive_get(archive, i);

                if (!symbol_archive_find(archive, archived_module_identity(m)))
                        abort();
                use_module(resolver, m);
        }
}

static void use_source(struct cursor section)
{
        AUTO(source_archive) archive = source_archive_open(section, NULL);
        const struct archived_source *file;
        int64_t mtime_ns;

        if (!archive)
                return;
        file = source_archive_find(archive, "/src/a.c", &mtime_ns);
        for (uint32_t line = 0; file && line < MAX_QUESTIONS; line++) {
                const char *text = archived_source_line(file, line);

                sink += text ? strlen(text) : 0;
        }
}

/* As content that is not packed. */
static struct cursor wrap(const char *magic, const uint8_t *data, size_t size, struct buf *out)
{
        buf_clear(out);
        buf_add(out, magic, 4);
        buf_add_u32(out, 1);
        buf_add_u64(out, 0);
        buf_add_u64(out, size);
        buf_add_u64(out, symbol_image_checksum(data, size));
        buf_add(out, data, size);
        return cursor_make(out->data, out->len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) section = {0};
        struct cursor swapped = cursor_make(data, size);

        if (size > MAX_INPUT_BYTES)
                return 0;
        use_symbols(cursor_make(data, size));
        swapped.swap = true;
        use_symbols(swapped);
        use_source(cursor_make(data, size));
        use_symbols(wrap("WPSY", data, size, &section));
        use_source(wrap("WPSR", data, size, &section));
        return 0;
}
