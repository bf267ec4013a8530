/* SPDX-License-Identifier: BSD-3-Clause */
#include "given_source.h"

#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "map.h"
#include "mem.h"
#include "python_claim.h"
#include "resolver_facts.h"
#include "text_number.h"

/* A line of a Python function. */
struct wanted_line {
        const struct python_section_code *function;
        uint32_t line;
};

struct wanted_source {
        const char *path;
        resolver_id *modules; /* that refer to it; none if the file is of Python functions */
        struct wanted_line *python;
        size_t n_python, cap_python;
        size_t n_modules, cap_modules;
        uint32_t *lines;
        size_t n_lines, cap_lines;
};

struct given_source {
        struct given_source_request request;
        struct map by_path;   /* address of the path's text to index + 1 */
        struct map referring; /* index of a file and module: the module refers to it */
        struct wanted_source *files;
        size_t n_files, cap_files;
        struct source_text *source;
        resolver_id asking; /* the module whose source is looked up */
        size_t n_refused, n_unproven;
};

static bool find_remote(void *ctx, const char *path, struct buf *out)
{
        const struct given_source *g = ctx;
        const struct resolver_image *image = &resolver_get_facts(g->request.resolver, g->asking)->image;

        return image->build_id_size && debuginfod_find_source(g->request.debuginfod, image->build_id,
                                                              image->build_id_size, path, out);
}

struct given_source *given_source_new(const struct given_source_request *request)
{
        struct given_source *g = mem_new(1, sizeof(*g));

        g->request = *request;
        g->source = source_text_new(request->folders, request->debuginfod ? find_remote : NULL, g);
        source_text_take_private(g->source, request->takes_private);
        source_text_use_archive(g->source, request->archive);
        return g;
}

void given_source_free(struct given_source *g)
{
        if (!g)
                return;
        for (size_t i = 0; i < g->n_files; i++) {
                free(g->files[i].lines);
                free(g->files[i].modules);
                free(g->files[i].python);
        }
        free(g->files);
        map_release(&g->by_path);
        map_release(&g->referring);
        source_text_free(g->source);
        free(g);
}

size_t given_source_n_refused(const struct given_source *g)
{
        return g->n_refused;
}

size_t given_source_n_unproven(const struct given_source *g)
{
        return g->n_unproven;
}

/* --- What is wanted --- */

static struct wanted_source *find_file(struct given_source *g, const char *path)
{
        uint64_t *known = map_put(&g->by_path, (uint64_t)(uintptr_t)path, NULL);

        if (!*known) {
                ARRAY_PUSH(g->files, g->n_files, g->cap_files, (struct wanted_source){.path = path});
                *known = g->n_files;
        }
        return &g->files[*known - 1];
}

void given_source_want(struct given_source *g, resolver_id module, const char *path, uint32_t line)
{
        struct wanted_source *file = find_file(g, path);
        bool is_new;

        if (line)
                ARRAY_PUSH(file->lines, file->n_lines, file->cap_lines, line);
        map_put(&g->referring, (uint64_t)(file - g->files) << 32 | module, &is_new);
        if (is_new)
                ARRAY_PUSH(file->modules, file->n_modules, file->cap_modules, module);
}

void given_source_want_python(struct given_source *g, const char *path,
                              const struct python_section_code *function, uint32_t line)
{
        struct wanted_source *file = find_file(g, path);

        if (function)
                ARRAY_PUSH(file->python, file->n_python, file->cap_python,
                           (struct wanted_line){function, line});
}

/* --- What may be given --- */

/* Lines that are in the session already may be given again. */
static struct source_asker asker_of(const struct given_source *g, resolver_id module, const char *path)
{
        enum resolver_source_rule rule = resolver_get_facts(g->request.resolver, module)->source_rule;
        bool is_proven = rule == RESOLVER_SOURCE_PROVEN;

        return (struct source_asker){
                .module = module,
                .is_archived = rule == RESOLVER_SOURCE_PACKED,
                .use = is_proven ? SOURCE_GIVEN : SOURCE_GIVEN_UNKNOWN,
                .md5 = is_proven ? resolver_source_md5(g->request.resolver, module, path) : NULL,
        };
}

/* Counts a file that is here, but that nothing names that can be checked. */
static void count_unproven(struct given_source *g, const char *path)
{
        int64_t mtime_ns;

        source_text_ask_for(g->source, (struct source_asker){.use = SOURCE_SHOWN});
        g->n_unproven += source_text_find(g->source, path, &mtime_ns);
}

/* There is one text per path. If servers have different texts for the builds that refer to the path, none is
 * given, because it would be shown for the other builds too.  Modules that cannot be checked have no text,
 * and do not count. */
static bool agree(struct given_source *g, const struct wanted_source *file)
{
        struct digest first = {0}, digest;
        struct source_asker asked = {.use = SOURCE_GIVEN_UNKNOWN};
        bool any = false;

        for (size_t i = file->n_modules; i-- > 0;) {
                struct source_asker asker = asker_of(g, file->modules[i], file->path);

                if (asker.use == SOURCE_GIVEN_UNKNOWN && !asker.is_archived)
                        continue;
                g->asking = file->modules[i];
                source_text_ask_for(g->source, asked = asker);
                digest = source_text_digest(g->source, file->path);
                if (any && memcmp(&first, &digest, sizeof(digest)) != 0)
                        return false;
                first = digest;
                any = true;
        }
        if (!any)
                count_unproven(g, file->path);
        source_text_ask_for(g->source, asked);
        return any;
}

/* Wants the lines of functions that the file holds, and the lines that prove it: the packed lines are all
 * that there is when the session is packed again elsewhere. */
static void take_held_lines(struct given_source *g, struct wanted_source *file)
{
        size_t n_held = 0;

        for (size_t i = 0; i < file->n_python; i++) {
                const struct python_section_code *f = file->python[i].function;

                if (!python_claim_holds(f->function, source_text_line(g->source, file->path, f->first_line)))
                        continue;
                n_held++;
                if (!file->python[i].line)
                        continue;
                ARRAY_PUSH(file->lines, file->n_lines, file->cap_lines, file->python[i].line);
                if (!python_claim_holds(f->function, NULL))
                        ARRAY_PUSH(file->lines, file->n_lines, file->cap_lines, f->first_line);
        }
        g->n_unproven += file->n_python && !n_held && !file->n_modules;
}

/* False if there is no source that may be given. */
static bool find_source(struct given_source *g, struct wanted_source *file, int64_t *ret_mtime_ns)
{
        if (file->n_modules && !agree(g, file))
                return false;
        if (!file->n_modules)
                source_text_ask_for(g->source,
                                    (struct source_asker){.is_archived = true, .use = SOURCE_GIVEN_PYTHON});
        if (!source_text_find(g->source, file->path, ret_mtime_ns)) {
                if (source_text_is_refused(g->source, file->path))
                        g->n_refused++;
                else
                        count_unproven(g, file->path);
                return false;
        }
        take_held_lines(g, file);
        return file->n_lines;
}

static void give_lines(struct given_source *g, const struct wanted_source *file,
                       const struct given_source_sink *sink)
{
        uint64_t next = 1;

        for (size_t i = 0; i < file->n_lines; i++) {
                uint32_t wanted = file->lines[i];
                uint64_t from = wanted > ANNOTATE_CONTEXT_LINES ? wanted - ANNOTATE_CONTEXT_LINES : 1;
                uint64_t to = (uint64_t)wanted + ANNOTATE_CONTEXT_LINES;

                for (uint64_t line = from > next ? from : next; line <= to && line <= UINT32_MAX; line++) {
                        const char *text = source_text_line(g->source, file->path, (uint32_t)line);

                        if (text)
                                sink->line(sink->ctx, (uint32_t)line, text);
                        next = line + 1;
                }
        }
}

void given_source_each(struct given_source *g, const struct given_source_sink *sink)
{
        for (size_t i = 0; i < g->n_files; i++) {
                struct wanted_source *file = &g->files[i];
                int64_t mtime_ns;

                if (!find_source(g, file, &mtime_ns))
                        continue;
                qsort(file->lines, file->n_lines, sizeof(*file->lines), text_compare_u32);
                sink->begin(sink->ctx, file->path, mtime_ns);
                give_lines(g, file, sink);
        }
}
