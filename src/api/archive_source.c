/* SPDX-License-Identifier: BSD-3-Clause */
/* Which lines of which source files are packed: those of the code that was, and a few around each. */
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "archive_internal.h"
#include "arena.h"
#include "map.h"
#include "source_text.h"
#include "text.h"

struct wanted {
        const char *path;
        size_t module; /* the first one that speaks of it */
        uint32_t *lines;
        size_t n_lines, cap_lines;
};

struct collector {
        struct map by_path; /* where the path's text stands -> number + 1 */
        struct wanted *files;
        size_t n_files, cap_files;
        const struct archive_pack *pack;
        const struct archive_request *request;
        const struct wanted *asking; /* whose source is looked for */
        size_t n_refused;
};

static void take_line(void *ctx, size_t module, const char *path, uint32_t line)
{
        struct collector *c = ctx;
        uint64_t *known = map_put(&c->by_path, (uint64_t)(uintptr_t)path, NULL);
        struct wanted *file;

        if (!*known) {
                ARRAY_PUSH(c->files, c->n_files, c->cap_files,
                           (struct wanted){.path = path, .module = module});
                *known = c->n_files;
        }
        file = &c->files[*known - 1];
        if (line)
                ARRAY_PUSH(file->lines, file->n_lines, file->cap_lines, line);
}

static bool find_remote(void *ctx, const char *path, struct buf *out)
{
        const struct collector *c = ctx;
        struct resolver_image image;

        return resolver_get_image(c->pack->resolver, c->pack->modules[c->asking->module].id, &image) &&
               image.build_id_size &&
               debuginfod_find_source(c->request->debuginfod, image.build_id, image.build_id_size, path, out);
}

static void add_file(struct collector *c, struct wanted *file, struct source_text *source,
                     struct source_archive_writer *writer)
{
        uint64_t next = 1;
        int64_t mtime_ns;

        c->asking = file;
        if (!source_text_find(source, file->path, &mtime_ns)) {
                c->n_refused += source_text_is_refused(source, file->path);
                return;
        }
        source_archive_begin(writer, file->path, mtime_ns);
        if (file->n_lines)
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
}

struct source_archive_writer *archive_source_make(struct archive_pack *pack,
                                                  const struct symbol_archive_writer *packed,
                                                  const struct archive_request *request)
{
        struct source_archive_writer *writer = source_archive_writer_new();
        struct collector c = {.pack = pack, .request = request};
        AUTO(source_text)
        source = source_text_new(request->source_folders, request->debuginfod ? find_remote : NULL, &c);

        source_text_take_private(source, request->sources && request->sources->any_owner);
        source_text_use_archive(source, pack->report->session.archive.source);
        symbol_archive_each_line(packed, take_line, &c);
        for (size_t i = 0; i < c.n_files; i++) {
                add_file(&c, &c.files[i], source, writer);
                free(c.files[i].lines);
        }
        free(c.files);
        pack->n_refused_sources = c.n_refused;
        map_release(&c.by_path);
        return writer;
}
