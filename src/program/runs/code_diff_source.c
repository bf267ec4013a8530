/* SPDX-License-Identifier: BSD-3-Clause */
#include "code_diff_source.h"

#include <stdlib.h>
#include <string.h>

#include "code_body.h"
#include "given_source.h"
#include "map.h"
#include "mem.h"

struct placed_row {
        struct code_row_side *row;
        const char *path; /* the resolver's text */
        int64_t built_ns;
};

struct found_file {
        const char *path;
        int64_t mtime_ns;
        bool is_newer; /* than a module that names it */
};

struct code_diff_source {
        struct resolver *resolver;
        struct given_source *given;
        struct arena *texts;
        struct placed_row *placed;
        size_t n_placed, cap_placed;
        struct found_file *files;
        size_t n_files, cap_files;
        struct map by_path;  /* address of the path's text to the index of its file + 1 */
        struct map by_line;  /* index of a file and a line to the address of the line's text */
        struct map of_paths; /* address of the resolver's text to that of its copy */
};

struct code_diff_source *code_diff_source_new(const struct code_diff_listing *listing,
                                              const struct code_side *side, struct arena *texts)
{
        struct code_diff_source *s = mem_new(1, sizeof(*s));

        s->resolver = side->resolver;
        s->texts = texts;
        if (!listing->strips_source)
                s->given = given_source_new(&(struct given_source_request){
                        .resolver = side->resolver,
                        .archive = side->report ? side->report->session.archive.source : NULL,
                        .folders = listing->folders,
                        .takes_private = listing->takes_private,
                        .debuginfod = listing->debuginfod,
                });
        return s;
}

void code_diff_source_free(struct code_diff_source *s)
{
        if (!s)
                return;
        given_source_free(s->given);
        free(s->placed);
        free(s->files);
        map_release(&s->by_path);
        map_release(&s->by_line);
        map_release(&s->of_paths);
        free(s);
}

/* The resolver ends before the rows. */
static const char *copy_path(struct code_diff_source *s, const char *path)
{
        uint64_t *copy = map_put(&s->of_paths, (uint64_t)(uintptr_t)path, NULL);

        if (!*copy)
                *copy = (uint64_t)(uintptr_t)arena_copy(s->texts, path, strlen(path));
        return (const char *)(uintptr_t)*copy;
}

void code_diff_source_add(struct code_diff_source *s, const struct code_side_module *module,
                          struct code_row_side *row)
{
        struct resolver_frames frames = {0};

        resolver_find_frames(s->resolver, module->image->id, &row->addr, 1, &frames);
        if (frames.spans[0].n && frames.frames[frames.spans[0].first].line) {
                const struct resolver_frame *frame = &frames.frames[frames.spans[0].first];
                const char *path = resolver_text(s->resolver, frame->path);

                row->path = copy_path(s, path);
                row->line = frame->line;
                if (s->given)
                        given_source_want(s->given, module->image->id, path, frame->line);
                ARRAY_PUSH(s->placed, s->n_placed, s->cap_placed,
                           (struct placed_row){row, path, module->built_ns});
        }
        resolver_frames_release(&frames);
}

static void begin_file(void *ctx, const char *path, int64_t mtime_ns)
{
        struct code_diff_source *s = ctx;

        ARRAY_PUSH(s->files, s->n_files, s->cap_files, (struct found_file){path, mtime_ns, false});
        *map_put(&s->by_path, (uint64_t)(uintptr_t)path, NULL) = s->n_files;
}

static void take_line(void *ctx, uint32_t line, const char *text)
{
        struct code_diff_source *s = ctx;

        *map_put(&s->by_line, (uint64_t)s->n_files << 32 | line, NULL) =
                (uint64_t)(uintptr_t)arena_copy(s->texts, text, strlen(text));
}

size_t code_diff_source_fill(struct code_diff_source *s)
{
        size_t n_newer = 0;

        if (!s->given)
                return 0;
        given_source_each(s->given, &(struct given_source_sink){begin_file, take_line, s});
        for (size_t i = 0; i < s->n_placed; i++) {
                const struct placed_row *placed = &s->placed[i];
                const uint64_t *file = map_find(&s->by_path, (uint64_t)(uintptr_t)placed->path), *text;

                if (!file)
                        continue;
                if (placed->built_ns && s->files[*file - 1].mtime_ns > placed->built_ns) {
                        s->files[*file - 1].is_newer = true;
                        continue;
                }
                text = map_find(&s->by_line, *file << 32 | placed->row->line);
                if (text)
                        placed->row->source = (const char *)(uintptr_t)*text;
        }
        for (size_t i = 0; i < s->n_files; i++)
                n_newer += s->files[i].is_newer;
        return n_newer;
}
