/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_sources.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "text_match.h"

bool python_file_matches(const char *pattern, const char *path)
{
        bool is_glob = pattern[strcspn(pattern, "*?")];

        if (!*path)
                return false;
        for (const char *at = path, *separator;; at = separator + 1) {
                if (is_glob ? text_match_glob(pattern, at) : !strcmp(pattern, at))
                        return true;
                separator = strpbrk(at, "/\\");
                if (!separator)
                        return false;
        }
}

/* --- Adding up --- */

static void add_native(struct python_line *line, const struct python_native *native)
{
        for (size_t i = 0; i < line->n_natives; i++) {
                struct python_native *known = &line->natives[i];

                if (known->function != native->function || known->module != native->module)
                        continue;
                known->count += native->count;
                known->weight += native->weight;
                return;
        }
        ARRAY_PUSH(line->natives, line->n_natives, line->cap_natives, *native);
}

static void add_line(struct python_source *source, const struct python_line *from)
{
        struct python_line *line = NULL;

        for (size_t i = 0; i < source->n_lines && !line; i++)
                line = source->lines[i].line == from->line ? &source->lines[i] : NULL;
        if (!line) {
                ARRAY_PUSH(source->lines, source->n_lines, source->cap_lines,
                           (struct python_line){.line = from->line});
                line = &source->lines[source->n_lines - 1];
        }
        line->count += from->count;
        line->weight += from->weight;
        line->total_count += source->is_file ? from->file_count : from->total_count;
        line->total_weight += source->is_file ? from->file_weight : from->total_weight;
        for (size_t i = 0; i < from->n_natives; i++)
                add_native(line, &from->natives[i]);
}

/* Texts of the rows: equal texts have equal pointers. */
static struct python_source *get_source(struct python_sources *sources,
                                        const struct python_function *function, bool is_file)
{
        const char *title = is_file ? function->path : function->label;

        for (size_t i = 0; is_file && i < sources->n; i++) {
                if (sources->items[i].event == function->event && sources->items[i].path == function->path)
                        return &sources->items[i];
        }
        ARRAY_PUSH(sources->items, sources->n, sources->cap,
                   (struct python_source){.event = function->event,
                                          .is_file = is_file,
                                          .title = title,
                                          .path = function->path});
        return &sources->items[sources->n - 1];
}

static void add_function(struct python_sources *sources, const struct python_function *function, bool is_file)
{
        struct python_source *source = get_source(sources, function, is_file);

        source->count += function->self_count;
        source->weight += function->self_weight;
        for (size_t i = 0; i < function->n_lines; i++)
                add_line(source, &function->lines[i]);
}

/* --- Sorting --- */

static int compare_natives(const void *x, const void *y)
{
        const struct python_native *a = x, *b = y;

        if (a->weight != b->weight)
                return a->weight > b->weight ? -1 : 1;
        return strcmp(a->function, b->function);
}

static int compare_lines(const void *x, const void *y)
{
        const struct python_line *a = x, *b = y;

        return (a->line > b->line) - (a->line < b->line);
}

static int compare_sources(const void *x, const void *y)
{
        const struct python_source *a = x, *b = y;

        if (a->event != b->event)
                return a->event < b->event ? -1 : 1;
        if (a->weight != b->weight)
                return a->weight > b->weight ? -1 : 1;
        return strcmp(a->title, b->title);
}

static void sort_sources(struct python_sources *sources)
{
        for (size_t i = 0; i < sources->n; i++) {
                struct python_source *source = &sources->items[i];

                for (size_t k = 0; k < source->n_lines; k++) {
                        struct python_line *line = &source->lines[k];

                        if (line->n_natives)
                                qsort(line->natives, line->n_natives, sizeof(*line->natives),
                                      compare_natives);
                }
                qsort(source->lines, source->n_lines, sizeof(*source->lines), compare_lines);
        }
        if (sources->n)
                qsort(sources->items, sources->n, sizeof(*sources->items), compare_sources);
}

/* By its name, its label, or its name without the class or function that contains it. */
static bool function_matches(const struct python_function *function, const char *pattern)
{
        const char *last = strrchr(function->name, '.');

        return text_match_symbol(pattern, function->name) || text_match_symbol(pattern, function->label) ||
               (last && text_match_symbol(pattern, last + 1));
}

struct python_sources *python_sources_find(const struct python_rows *rows, const char *pattern)
{
        struct python_sources *sources = mem_new(1, sizeof(*sources));

        for (size_t i = 0; i < rows->n; i++) {
                if (rows->items[i].n_lines && python_file_matches(pattern, rows->items[i].path))
                        add_function(sources, &rows->items[i], true);
        }
        for (size_t i = 0, n_files = sources->n; !n_files && i < rows->n; i++) {
                const struct python_function *function = &rows->items[i];

                if (function->n_lines && function_matches(function, pattern))
                        add_function(sources, function, false);
        }
        sort_sources(sources);
        return sources;
}

void python_sources_free(struct python_sources *sources)
{
        if (!sources)
                return;
        for (size_t i = 0; i < sources->n; i++) {
                for (size_t k = 0; k < sources->items[i].n_lines; k++)
                        free(sources->items[i].lines[k].natives);
                free(sources->items[i].lines);
        }
        free(sources->items);
        free(sources);
}
