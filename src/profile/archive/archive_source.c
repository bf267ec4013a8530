/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs the lines of source files that belong to the packed code, and a few lines around each. */
#include "archive_internal.h"
#include "buf.h"
#include "given_source.h"
#include "text_printable.h"

struct source_packing {
        const struct archive_pack *pack;
        struct given_source *given;
        struct source_archive_writer *writer;
        const char *path; /* the present file; NULL: none yet */
        size_t n_before;
        struct buf *taken; /* the files, one a line */
};

static void take_line(void *ctx, size_t module, const char *path, uint32_t line)
{
        const struct source_packing *p = ctx;

        given_source_want(p->given, p->pack->modules[module].id, path, line);
}

/* Takes the lines of all frames, because with another filter any of them may be the innermost. */
static void take_python_lines(const struct source_packing *p)
{
        const struct report *report = p->pack->report;
        const struct world *world = report->session.world;
        const struct python_section *section = module_source_python(p->pack->source);

        for (uint32_t i = 0; section && i < stacks_n_places(report->stacks); i++) {
                const struct code_place *place = stacks_get_place(report->stacks, i);
                struct resolver_frames found;
                resolver_id module;
                uint64_t addr;

                if (place->module == MODULE_NONE ||
                    world_get_module(world, place->module)->kind != MODULE_PYTHON)
                        continue;
                module = report_session_module(&report->session, place->module);
                if (!resolver_to_addr(p->pack->resolver, module, place->offset, &addr))
                        continue;
                resolver_find_frames(p->pack->resolver, module, &addr, 1, &found);
                if (found.n_frames && found.frames[0].path)
                        given_source_want_python(
                                p->given, resolver_text(p->pack->resolver, found.frames[0].path),
                                python_section_code_at(section, place->offset), found.frames[0].line);
                resolver_frames_release(&found);
        }
}

/* Says how many lines of the present file were packed. */
static void end_file(struct source_packing *p)
{
        if (p->path)
                text_printf(p->taken, "%s: %zu lines\n", p->path,
                            source_archive_n_lines(p->writer) - p->n_before);
}

static void begin_file(void *ctx, const char *path, int64_t mtime_ns)
{
        struct source_packing *p = ctx;

        end_file(p);
        p->path = path;
        p->n_before = source_archive_n_lines(p->writer);
        source_archive_begin(p->writer, path, mtime_ns);
}

static void pack_line(void *ctx, uint32_t line, const char *text)
{
        const struct source_packing *p = ctx;

        source_archive_add_line(p->writer, line, text);
}

struct source_archive_writer *archive_source_make(struct archive_pack *pack,
                                                  const struct symbol_archive_writer *packed,
                                                  const struct archive_request *request)
{
        AUTO(given_source)
        given = given_source_new(&(struct given_source_request){
                .resolver = pack->resolver,
                .archive = pack->report->session.archive.source,
                .folders = request->source_folders,
                .takes_private = request->sources && request->sources->any_owner,
                .debuginfod = request->debuginfod,
        });
        struct source_packing p = {
                .pack = pack,
                .given = given,
                .writer = source_archive_writer_new(),
                .taken = &pack->source_files,
        };

        buf_clear(&pack->source_files);
        symbol_archive_each_line(packed, take_line, &p);
        take_python_lines(&p);
        given_source_each(given, &(struct given_source_sink){begin_file, pack_line, &p});
        end_file(&p);
        pack->n_refused_sources = given_source_n_refused(given);
        pack->n_unproven_sources = given_source_n_unproven(given);
        return p.writer;
}
