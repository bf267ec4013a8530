/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of the section; numbers are LEB128: the number of files; for each file its path with a NUL, the
 * time of its last change, and the number of lines; for each line its distance from the previous one, less
 * one, and its text with a NUL. */
#include "source_archive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "archive_section.h"
#include "arena.h"
#include "map.h"
#include "mem.h"
#include "search.h"

static const struct archive_section_kind kind = {"WPSR", SOURCE_ARCHIVE_VERSION};

enum { MAP_ENTRY_BYTES = 32 };

struct archived_line {
        uint32_t line;
        const char *text;
};

struct archived_source {
        const char *path;
        int64_t mtime_ns;
        struct archived_line *lines;
        size_t n_lines, cap_lines;
};

struct source_archive {
        struct budget budget;
        struct buf unpacked;
        struct archived_source *files;
        size_t n_files;
        struct map by_path; /* hash of the path to index */
};

/* --- Reading -------------------------------------------------------------------------------------- */

static void read_lines(struct cursor *c, struct archived_source *file, struct budget *budget)
{
        uint64_t next = 0;

        file->n_lines = archive_read_count(c, 2, sizeof(*file->lines), budget);
        file->lines = mem_new(file->n_lines, sizeof(*file->lines));
        for (size_t i = 0; i < file->n_lines && !c->failed; i++) {
                uint64_t gap = cursor_uleb(c);

                if (next > UINT32_MAX || gap > UINT32_MAX - next) {
                        cursor_fail(c);
                        return;
                }
                file->lines[i].line = (uint32_t)(next + gap);
                file->lines[i].text = cursor_str(c, NULL);
                next += gap + 1;
        }
}

static uint64_t hash_of(const char *path)
{
        return map_hash_bytes(path, strlen(path));
}

static bool read_content(struct source_archive *archive, struct cursor c)
{
        archive->n_files =
                archive_read_count(&c, 3, sizeof(*archive->files) + MAP_ENTRY_BYTES, &archive->budget);
        archive->files = mem_new(archive->n_files, sizeof(*archive->files));
        for (size_t i = 0; i < archive->n_files && !c.failed; i++) {
                archive->files[i].path = cursor_str(&c, NULL);
                archive->files[i].mtime_ns = cursor_sleb(&c);
                read_lines(&c, &archive->files[i], &archive->budget);
        }
        if (c.failed || cursor_left(&c))
                return false;
        for (size_t i = archive->n_files; i-- > 0;)
                *map_put(&archive->by_path, hash_of(archive->files[i].path), NULL) = i;
        return true;
}

struct source_archive *source_archive_open(struct cursor section, struct budget *budget, struct err *err)
{
        AUTO(source_archive) archive = mem_new(1, sizeof(*archive));
        struct cursor content;

        archive_section_budget(&archive->budget, budget, section);
        if (!archive_section_read(&kind, section, &archive->budget, &archive->unpacked, &content, err))
                return NULL;
        if (!read_content(archive, content)) {
                archive_section_fail(&archive->budget, err);
                return NULL;
        }
        return TAKE(archive);
}

void source_archive_free(struct source_archive *archive)
{
        if (!archive)
                return;
        for (size_t i = 0; i < archive->n_files; i++)
                free(archive->files[i].lines);
        free(archive->files);
        map_release(&archive->by_path);
        buf_release(&archive->unpacked);
        budget_release(&archive->budget);
        free(archive);
}

const struct archived_source *source_archive_find(const struct source_archive *archive, const char *path,
                                                  int64_t *ret_mtime_ns)
{
        const uint64_t *index = map_find(&archive->by_path, hash_of(path));

        if (!index || strcmp(archive->files[*index].path, path) != 0)
                return NULL;
        *ret_mtime_ns = archive->files[*index].mtime_ns;
        return &archive->files[*index];
}

const char *source_archive_line(const struct archived_source *file, uint32_t line)
{
        size_t low = 0, high = file->n_lines;

        SEARCH_FIRST(low, high, middle, file->lines[middle].line < line);
        return low < file->n_lines && file->lines[low].line == line ? file->lines[low].text : NULL;
}

/* --- Writing -------------------------------------------------------------------------------------- */

struct source_archive_writer {
        struct archived_source *files;
        size_t n_files, cap_files, n_lines;
        struct arena texts;
};

struct source_archive_writer *source_archive_writer_new(void)
{
        return mem_new(1, sizeof(struct source_archive_writer));
}

void source_archive_writer_free(struct source_archive_writer *w)
{
        if (!w)
                return;
        for (size_t i = 0; i < w->n_files; i++)
                free(w->files[i].lines);
        free(w->files);
        arena_release(&w->texts);
        free(w);
}

void source_archive_begin(struct source_archive_writer *w, const char *path, int64_t mtime_ns)
{
        struct archived_source file = {.path = arena_copy(&w->texts, path, strlen(path)),
                                       .mtime_ns = mtime_ns};

        ARRAY_PUSH(w->files, w->n_files, w->cap_files, file);
}

void source_archive_add_line(struct source_archive_writer *w, uint32_t line, const char *text)
{
        struct archived_source *file;

        assert(w->n_files);
        file = &w->files[w->n_files - 1];
        assert(!file->n_lines || line > file->lines[file->n_lines - 1].line);
        ARRAY_PUSH(file->lines, file->n_lines, file->cap_lines,
                   (struct archived_line){line, arena_copy(&w->texts, text, strlen(text))});
        w->n_lines++;
}

size_t source_archive_n_files(const struct source_archive_writer *w)
{
        return w->n_files;
}

size_t source_archive_n_lines(const struct source_archive_writer *w)
{
        return w->n_lines;
}

static void add_text(struct buf *out, const char *text)
{
        buf_add(out, text, strlen(text) + 1);
}

bool source_archive_write(const struct source_archive_writer *w, struct buf *out, struct err *err)
{
        AUTO_RELEASE(buf) content = {0};

        buf_add_uleb(&content, w->n_files);
        for (size_t i = 0; i < w->n_files; i++) {
                const struct archived_source *file = &w->files[i];
                uint64_t next = 0;

                add_text(&content, file->path);
                buf_add_sleb(&content, file->mtime_ns);
                buf_add_uleb(&content, file->n_lines);
                for (size_t k = 0; k < file->n_lines; k++) {
                        buf_add_uleb(&content, file->lines[k].line - next);
                        add_text(&content, file->lines[k].text);
                        next = (uint64_t)file->lines[k].line + 1;
                }
        }
        return archive_section_write(&kind, &content, out, err);
}
