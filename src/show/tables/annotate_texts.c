/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_texts.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

void annotate_texts_release(struct annotate_texts *t)
{
        for (size_t i = 0; i < t->n_files; i++)
                free(t->files[i].lines);
        free(t->files);
        free(t->targets);
        arena_release(&t->arena);
        *t = (struct annotate_texts){0};
}

/* A function has code from few files, and neighbouring instructions are usually from the same file. */
static struct annotate_file *find_file(struct annotate_texts *t, const char *path)
{
        if (t->last_file < t->n_files && !strcmp(t->files[t->last_file].path, path))
                return &t->files[t->last_file];
        for (size_t i = 0; i < t->n_files; i++) {
                if (strcmp(t->files[i].path, path) != 0)
                        continue;
                t->last_file = i;
                return &t->files[i];
        }
        return NULL;
}

static struct annotate_file *get_file(struct annotate_texts *t, const char *path)
{
        struct annotate_file *file = find_file(t, path);

        if (file)
                return file;
        ARRAY_PUSH(t->files, t->n_files, t->cap_files,
                   (struct annotate_file){.path = arena_copy(&t->arena, path, strlen(path))});
        t->last_file = t->n_files - 1;
        return &t->files[t->last_file];
}

void annotate_texts_want_line(struct annotate_texts *t, const char *path, uint32_t line)
{
        struct annotate_file *file = path && line ? get_file(t, path) : NULL;

        if (file && (!file->n_lines || file->lines[file->n_lines - 1].line != line))
                ARRAY_PUSH(file->lines, file->n_lines, file->cap_lines, (struct annotate_line){line, NULL});
}

void annotate_texts_want_note(struct annotate_texts *t, const char *path)
{
        if (path)
                get_file(t, path)->wants_note = true;
}

void annotate_texts_want_target(struct annotate_texts *t, uint64_t addr)
{
        ARRAY_PUSH(t->targets, t->n_targets, t->cap_targets, (struct annotate_target){addr, NULL});
}

static int compare_lines(const void *x, const void *y)
{
        const struct annotate_line *a = x, *b = y;

        return (a->line > b->line) - (a->line < b->line);
}

static int compare_targets(const void *x, const void *y)
{
        const struct annotate_target *a = x, *b = y;

        return (a->addr > b->addr) - (a->addr < b->addr);
}

static void sort_lines(struct annotate_file *file)
{
        size_t n = 0;

        if (!file->n_lines)
                return;
        qsort(file->lines, file->n_lines, sizeof(*file->lines), compare_lines);
        for (size_t i = 0; i < file->n_lines; i++) {
                if (!n || file->lines[n - 1].line != file->lines[i].line)
                        file->lines[n++] = file->lines[i];
        }
        file->n_lines = n;
}

void annotate_texts_sort(struct annotate_texts *t)
{
        size_t n = 0;

        for (size_t i = 0; i < t->n_files; i++)
                sort_lines(&t->files[i]);
        if (!t->n_targets)
                return;
        qsort(t->targets, t->n_targets, sizeof(*t->targets), compare_targets);
        for (size_t i = 0; i < t->n_targets; i++) {
                if (!n || t->targets[n - 1].addr != t->targets[i].addr)
                        t->targets[n++] = t->targets[i];
        }
        t->n_targets = n;
}

const char *annotate_texts_line(struct annotate_texts *t, const char *path, uint32_t line)
{
        const struct annotate_file *file = t && path && line ? find_file(t, path) : NULL;
        const struct annotate_line wanted = {line, NULL};
        const struct annotate_line *found = NULL;

        if (file && file->n_lines)
                found = bsearch(&wanted, file->lines, file->n_lines, sizeof(wanted), compare_lines);
        return found ? found->text : NULL;
}

const char *annotate_texts_note(struct annotate_texts *t, const char *path)
{
        const struct annotate_file *file = t && path ? find_file(t, path) : NULL;

        return file ? file->note : NULL;
}

const char *annotate_texts_target(const struct annotate_texts *t, uint64_t addr)
{
        const struct annotate_target wanted = {addr, NULL};
        const struct annotate_target *found = NULL;

        if (t && t->n_targets)
                found = bsearch(&wanted, t->targets, t->n_targets, sizeof(wanted), compare_targets);
        return found ? found->name : NULL;
}
