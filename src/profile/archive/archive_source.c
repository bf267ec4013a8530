/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs the lines of source files that belong to the packed code, and a few lines around each. */
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "archive_internal.h"
#include "buf.h"
#include "map.h"
#include "mem.h"
#include "python_claim.h"
#include "resolver_facts.h"
#include "source_text.h"
#include "text_number.h"
#include "text_printable.h"

/* A line of a Python function. */
struct wanted_line {
        const struct python_section_code *function;
        uint32_t line;
};

struct wanted_source {
        const char *path;
        size_t *modules; /* that refer to it; none if the file is of Python functions */
        struct wanted_line *python;
        size_t n_python, cap_python;
        size_t n_modules, cap_modules;
        uint32_t *lines;
        size_t n_lines, cap_lines;
};

struct source_collector {
        struct map by_path; /* address of the path's text to index + 1 */
        struct wanted_source *files;
        size_t n_files, cap_files;
        const struct archive_pack *pack;
        const struct archive_request *request;
        size_t asking; /* the module whose source is looked up */
        size_t n_refused, n_unproven;
        struct buf *taken; /* the files, one a line */
};

static struct wanted_source *want_line(struct source_collector *c, const char *path, uint32_t line)
{
        uint64_t *known = map_put(&c->by_path, (uint64_t)(uintptr_t)path, NULL);
        struct wanted_source *file;

        if (!*known) {
                ARRAY_PUSH(c->files, c->n_files, c->cap_files, (struct wanted_source){.path = path});
                *known = c->n_files;
        }
        file = &c->files[*known - 1];
        if (line)
                ARRAY_PUSH(file->lines, file->n_lines, file->cap_lines, line);
        return file;
}

static void take_line(void *ctx, size_t module, const char *path, uint32_t line)
{
        struct wanted_source *file = want_line(ctx, path, line);

        /* Lines are ordered by module. */
        if (!file->n_modules || file->modules[file->n_modules - 1] != module)
                ARRAY_PUSH(file->modules, file->n_modules, file->cap_modules, module);
}

/* Takes the lines of all frames, because with another filter any of them may be the innermost. */
static void take_python_lines(struct source_collector *c)
{
        const struct report *report = c->pack->report;
        const struct world *world = report->session.world;
        const struct python_section *section = module_source_python(c->pack->source);

        for (uint32_t i = 0; section && i < stacks_n_places(report->stacks); i++) {
                const struct code_place *place = stacks_get_place(report->stacks, i);
                struct resolver_frames found;
                resolver_id module;
                uint64_t addr;

                if (place->module == MODULE_NONE ||
                    world_get_module(world, place->module)->kind != MODULE_PYTHON)
                        continue;
                module = report_session_module(&report->session, place->module);
                if (!resolver_to_addr(c->pack->resolver, module, place->offset, &addr))
                        continue;
                resolver_find_frames(c->pack->resolver, module, &addr, 1, &found);
                if (found.n_frames && found.frames[0].path) {
                        struct wanted_source *file =
                                want_line(c, resolver_text(c->pack->resolver, found.frames[0].path), 0);

                        ARRAY_PUSH(file->python, file->n_python, file->cap_python,
                                   (struct wanted_line){python_section_code_at(section, place->offset),
                                                        found.frames[0].line});
                }
                resolver_frames_release(&found);
        }
}

static bool find_remote(void *ctx, const char *path, struct buf *out)
{
        const struct source_collector *c = ctx;
        const struct resolver_image *image =
                &resolver_get_facts(c->pack->resolver, c->pack->modules[c->asking].id)->image;

        return image->build_id_size && debuginfod_find_source(c->request->debuginfod, image->build_id,
                                                              image->build_id_size, path, out);
}

/* Lines that are in the session already may be packed again. */
static struct source_asker asker_of(const struct source_collector *c, size_t module, const char *path)
{
        resolver_id id = c->pack->modules[module].id;
        enum resolver_source_rule rule = resolver_get_facts(c->pack->resolver, id)->source_rule;
        bool is_proven = rule == RESOLVER_SOURCE_PROVEN;

        return (struct source_asker){
                .module = (uint32_t)module,
                .is_archived = rule == RESOLVER_SOURCE_PACKED,
                .use = is_proven ? SOURCE_GIVEN : SOURCE_GIVEN_UNKNOWN,
                .md5 = is_proven ? resolver_source_md5(c->pack->resolver, id, path) : NULL,
        };
}

/* Counts a file that is here, but that nothing names that can be checked. */
static void count_unproven(struct source_collector *c, const char *path, struct source_text *source)
{
        int64_t mtime_ns;

        source_text_ask_for(source, (struct source_asker){.use = SOURCE_SHOWN});
        c->n_unproven += source_text_find(source, path, &mtime_ns);
}

/* An archive has one text per path. If servers have different texts for the builds that refer to the path,
 * none is packed, because it would be shown for the other builds too.  Modules that cannot be checked have
 * no text, and do not count. */
static bool agree(struct source_collector *c, const struct wanted_source *file, struct source_text *source)
{
        struct digest first = {0}, digest;
        struct source_asker asked = {.use = SOURCE_GIVEN_UNKNOWN};
        bool any = false;

        for (size_t i = file->n_modules; i-- > 0;) {
                struct source_asker asker = asker_of(c, file->modules[i], file->path);

                if (asker.use == SOURCE_GIVEN_UNKNOWN && !asker.is_archived)
                        continue;
                c->asking = file->modules[i];
                source_text_ask_for(source, asked = asker);
                digest = source_text_digest(source, file->path);
                if (any && memcmp(&first, &digest, sizeof(digest)) != 0)
                        return false;
                first = digest;
                any = true;
        }
        if (!any)
                count_unproven(c, file->path, source);
        source_text_ask_for(source, asked);
        return any;
}

/* Wants the lines of functions that the file holds. */
static void take_held_lines(struct source_collector *c, struct wanted_source *file,
                            struct source_text *source)
{
        size_t n_held = 0;

        for (size_t i = 0; i < file->n_python; i++) {
                const struct python_section_code *f = file->python[i].function;

                if (!python_claim_holds(f->function, source_text_line(source, file->path, f->first_line)))
                        continue;
                n_held++;
                if (file->python[i].line)
                        ARRAY_PUSH(file->lines, file->n_lines, file->cap_lines, file->python[i].line);
        }
        c->n_unproven += file->n_python && !n_held && !file->n_modules;
}

/* False if there is no source that may be given to others. */
static bool find_source(struct source_collector *c, struct wanted_source *file, struct source_text *source,
                        int64_t *ret_mtime_ns)
{
        if (file->n_modules && !agree(c, file, source))
                return false;
        if (!file->n_modules)
                source_text_ask_for(source,
                                    (struct source_asker){.is_archived = true, .use = SOURCE_GIVEN_PYTHON});
        if (!source_text_find(source, file->path, ret_mtime_ns)) {
                if (source_text_is_refused(source, file->path))
                        c->n_refused++;
                else
                        count_unproven(c, file->path, source);
                return false;
        }
        take_held_lines(c, file, source);
        return file->n_lines;
}

static void add_file(struct source_collector *c, struct wanted_source *file, struct source_text *source,
                     struct source_archive_writer *writer)
{
        size_t n_before = source_archive_n_lines(writer);
        uint64_t next = 1;
        int64_t mtime_ns;

        if (!find_source(c, file, source, &mtime_ns))
                return;
        source_archive_begin(writer, file->path, mtime_ns);
        qsort(file->lines, file->n_lines, sizeof(*file->lines), text_compare_u32);
        for (size_t i = 0; i < file->n_lines; i++) {
                uint64_t from =
                        file->lines[i] > ANNOTATE_CONTEXT_LINES ? file->lines[i] - ANNOTATE_CONTEXT_LINES : 1;
                uint64_t to = (uint64_t)file->lines[i] + ANNOTATE_CONTEXT_LINES;

                for (uint64_t line = from > next ? from : next; line <= to && line <= UINT32_MAX; line++) {
                        const char *text = source_text_line(source, file->path, (uint32_t)line);

                        if (text)
                                source_archive_add_line(writer, (uint32_t)line, text);
                        next = line + 1;
                }
        }
        text_printf(c->taken, "%s: %zu lines\n", file->path, source_archive_n_lines(writer) - n_before);
}

struct source_archive_writer *archive_source_make(struct archive_pack *pack,
                                                  const struct symbol_archive_writer *packed,
                                                  const struct archive_request *request)
{
        struct source_archive_writer *writer = source_archive_writer_new();
        struct source_collector c = {.pack = pack, .request = request, .taken = &pack->source_files};
        AUTO(source_text)
        source = source_text_new(request->source_folders, request->debuginfod ? find_remote : NULL, &c);

        buf_clear(&pack->source_files);
        source_text_take_private(source, request->sources && request->sources->any_owner);
        source_text_use_archive(source, pack->report->session.archive.source);
        symbol_archive_each_line(packed, take_line, &c);
        take_python_lines(&c);
        for (size_t i = 0; i < c.n_files; i++) {
                add_file(&c, &c.files[i], source, writer);
                free(c.files[i].lines);
                free(c.files[i].modules);
                free(c.files[i].python);
        }
        free(c.files);
        pack->n_refused_sources = c.n_refused;
        pack->n_unproven_sources = c.n_unproven;
        map_release(&c.by_path);
        return writer;
}
